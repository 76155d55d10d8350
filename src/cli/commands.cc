// The tables of the commands that talk to a cluster.
#include "cli/config_commands.h"
#include "cli/session.h"
#include "cli/stream_commands.h"
#include "cli/topic_commands.h"

namespace weir::cli {
namespace {

constexpr std::size_t kNamesMax = 1000;

constexpr OptionSpec kPartitions = {.name = "partitions",
                                    .kind = OptionKind::integer,
                                    .value_name = "N",
                                    .help = "How many partitions.",
                                    .fallback_note = "the broker's num.partitions",
                                    .least = 1,
                                    .most = 100'000};
constexpr OptionSpec kConfig = {.name = "config",
                                .value_name = "KEY=VALUE",
                                .help = "Set a configuration, as retention.ms=86400000.",
                                .repeat = Repeat::list};
constexpr OptionSpec kDeleteConfig = {.name = "delete-config",
                                      .value_name = "KEY",
                                      .help = "Return a configuration to its default.",
                                      .repeat = Repeat::list};

constexpr OptionSpec kCreateOptions[] = {
    kPartitions,
    {.name = "replication-factor",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Accepted and reported back; durability is that of the store.",
     .fallback_note = "the broker's",
     .least = 1,
     .most = 32'767},
    kConfig,
    {.name = "if-not-exists",
     .kind = OptionKind::flag,
     .help = "Succeed when the topic exists already, whatever its settings."},
};
constexpr OptionSpec kGrowTo = {.name = "partitions",
                                .kind = OptionKind::integer,
                                .value_name = "N",
                                .help = "Grow to so many partitions; they never become fewer.",
                                .least = 1,
                                .most = 100'000};
constexpr OptionSpec kAlterOptions[] = {kGrowTo, kConfig, kDeleteConfig};
constexpr OptionSpec kDeleteOptions[] = {
    {.name = "if-exists", .kind = OptionKind::flag, .help = "Succeed when there is no such topic."},
};
constexpr OptionSpec kDescribeConfigOptions[] = {
    {.name = "all", .kind = OptionKind::flag, .help = "Also those that have their default."},
};
constexpr OptionSpec kAlterConfigOptions[] = {kConfig, kDeleteConfig};

constexpr OptionSpec kProduceOptions[] = {
    {.name = "key-separator",
     .value_name = "TEXT",
     .help = "What stands before its first occurrence in a line is the key.",
     .fallback_note = "lines have no keys"},
    {.name = "header",
     .value_name = "KEY=VALUE",
     .help = "A header for every record.",
     .repeat = Repeat::list},
    {.name = "partition",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Send everything there.",
     .fallback_note = "by the key, else any",
     .least = 0,
     .most = INT32_MAX},
    {.name = "codec",
     .kind = OptionKind::choice,
     .value_name = "CODEC",
     .help = "Compression: none, gzip, snappy, lz4 or zstd.",
     .fallback = "none",
     .choices = "none|gzip|snappy|lz4|zstd"},
    {.name = "acks",
     .kind = OptionKind::choice,
     .value_name = "all|1|0",
     .help = "What to wait for; weir treats 1 like all. 0 waits for nothing and may lose records.",
     .fallback = "all",
     .choices = "all|1|0"},
    {.name = "linger",
     .kind = OptionKind::duration,
     .value_name = "DURATION",
     .help = "How long a record may wait for others to be sent with.",
     .fallback = "5ms"},
};

constexpr OptionSpec kConsumeOptions[] = {
    {.name = "from",
     .value_name = "PLACE",
     .help = "Where to begin: beginning, end, an offset, -N for the last N records of each "
             "partition, or a time, as @1700000000000 or 2026-01-31T12:00:00Z.",
     .fallback = "beginning"},
    {.name = "to",
     .value_name = "PLACE",
     .help = "Where to stop; the record there is not printed.",
     .fallback_note = "the end at the moment of the start"},
    {.name = "follow",
     .kind = OptionKind::flag,
     .help = "Do not stop at the end; print new records until Ctrl-C."},
    {.name = "partition",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Only this partition.",
     .fallback_note = "all",
     .repeat = Repeat::list,
     .least = 0,
     .most = INT32_MAX},
    {.name = "count",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Stop after so many records.",
     .fallback_note = "no limit",
     .least = 0},
    {.name = "print",
     .value_name = "FIELD[,…]",
     .help = "Before each value, with tabs between: key, offset, timestamp, headers, partition."},
    {.name = "isolation",
     .kind = OptionKind::choice,
     .value_name = "LEVEL",
     .help = "committed leaves out records of open and aborted transactions.",
     .fallback = "uncommitted",
     .choices = "uncommitted|committed"},
};

constexpr CommandSpec kCreate = {
    .path = "topic create",
    .summary = "Create topics.",
    .positionals = "NAME…",
    .positionals_min = 1,
    .positionals_max = kNamesMax,
    .options = kCreateOptions,
    .examples =
        "weir topic create orders --partitions 6 --config retention.ms=604800000\n"
        "weir topic create a b c --if-not-exists"};
constexpr CommandSpec kList = {.path = "topic list",
                               .summary = "List the topics.",
                               .examples =
                                   "weir topic list\n"
                                   "weir topic list --output json | jq -r .topic"};
constexpr CommandSpec kDescribe = {.path = "topic describe",
                                   .summary = "Show partitions and settings of topics.",
                                   .positionals = "NAME…",
                                   .positionals_min = 1,
                                   .positionals_max = kNamesMax,
                                   .examples = "weir topic describe orders"};
constexpr CommandSpec kAlter = {.path = "topic alter",
                                .summary = "Change settings of topics, or add partitions.",
                                .positionals = "NAME…",
                                .positionals_min = 1,
                                .positionals_max = kNamesMax,
                                .options = kAlterOptions,
                                .examples =
                                    "weir topic alter orders --partitions 12\n"
                                    "weir topic alter orders --delete-config retention.ms"};
constexpr CommandSpec kDelete = {.path = "topic delete",
                                 .summary = "Delete topics and their data.",
                                 .positionals = "NAME…",
                                 .positionals_min = 1,
                                 .positionals_max = kNamesMax,
                                 .options = kDeleteOptions,
                                 .examples = "weir topic delete orders"};
constexpr CommandSpec kDescribeConfigs = {
    .path = "config describe",
    .summary = "Show the configuration of a topic or broker.",
    .positionals = "topic/NAME|broker/ID|brokers",
    .positionals_min = 1,
    .positionals_max = 1,
    .options = kDescribeConfigOptions,
    .examples = "weir config describe topic/orders --all\nweir config describe broker/1"};
constexpr CommandSpec kAlterConfigs = {
    .path = "config alter",
    .summary = "Change the configuration of a topic or broker.",
    .positionals = "topic/NAME|broker/ID|brokers",
    .positionals_min = 1,
    .positionals_max = 1,
    .options = kAlterConfigOptions,
    .examples = "weir config alter topic/orders --config cleanup.policy=compact"};
constexpr CommandSpec kProduce = {
    .path = "produce",
    .summary = "Send the lines of standard input as records.",
    .description =
        "Every line is one record. Sending is idempotent: retries make no duplicates.\n"
        "Ctrl-C ends the input; what was read is still sent. A second one gives up.",
    .positionals = "TOPIC",
    .positionals_min = 1,
    .positionals_max = 1,
    .options = kProduceOptions,
    .examples =
        "echo hello | weir produce orders\n"
        "weir produce orders --key-separator : --codec zstd < orders.txt"};
constexpr CommandSpec kConsume = {
    .path = "consume",
    .summary = "Print the records of a topic.",
    .description = "Stops at the end of the topic, unless --follow is given.",
    .positionals = "TOPIC",
    .positionals_min = 1,
    .positionals_max = 1,
    .options = kConsumeOptions,
    .examples =
        "weir consume orders --print partition,offset,key\n"
        "weir consume orders --from=-10 --follow\n"
        "weir consume orders --from 2026-01-31T00:00:00Z --to 2026-02-01T00:00:00Z\n"
        "weir consume orders --output json | jq .value"};

/// With the options that all of them have. A function, for spans of other files are not constants.
CommandSpec with_cluster_options(CommandSpec spec) {
  spec.common = cluster_options();
  return spec;
}

}  // namespace

std::vector<Command> cluster_commands() {
  return {
      {with_cluster_options(kCreate), &create_topics, false},
      {with_cluster_options(kList), &list_topics, false},
      {with_cluster_options(kDescribe), &describe_topics, false},
      {with_cluster_options(kAlter), &alter_topics, false},
      {with_cluster_options(kDelete), &delete_topics, false},
      {with_cluster_options(kProduce), &produce, true},
      {with_cluster_options(kConsume), &consume, false},
      {with_cluster_options(kDescribeConfigs), &describe_configs, false},
      {with_cluster_options(kAlterConfigs), &alter_configs, false},
  };
}

}  // namespace weir::cli
