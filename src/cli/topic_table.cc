// The tables of `weir topic …`.
#include "cli/command_tables.h"
#include "cli/topic_commands.h"

namespace weir::cli {
namespace {

constexpr OptionSpec kPartitions = {.name = "partitions",
                                    .kind = OptionKind::integer,
                                    .value_name = "N",
                                    .help = "How many partitions.",
                                    .fallback_note = "the broker's num.partitions",
                                    .least = 1,
                                    .most = 100'000};
constexpr OptionSpec kCreateOptions[] = {
    kPartitions,
    {.name = "replication-factor",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Accepted and reported back; durability is that of the store.",
     .fallback_note = "the broker's",
     .least = 1,
     .most = 32'767},
    kConfigOption,
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
constexpr OptionSpec kAlterOptions[] = {kGrowTo, kConfigOption, kDeleteConfigOption};
constexpr OptionSpec kDeleteOptions[] = {kIfExistsOption};

constexpr CommandSpec kCreate = with_names(
    {.path = "topic create",
     .summary = "Create topics.",
     .options = kCreateOptions,
     .examples = "weir topic create orders --partitions 6 --config retention.ms=604800000\n"
                 "weir topic create a b c --if-not-exists"});
constexpr CommandSpec kList = {.path = "topic list",
                               .summary = "List the topics.",
                               .examples =
                                   "weir topic list\n"
                                   "weir topic list --output json | jq -r .topic"};
constexpr CommandSpec kDescribe = with_names({.path = "topic describe",
                                              .summary = "Show partitions and settings of topics.",
                                              .examples = "weir topic describe orders"});
constexpr CommandSpec kAlter =
    with_names({.path = "topic alter",
                .summary = "Change settings of topics, or add partitions.",
                .options = kAlterOptions,
                .examples = "weir topic alter orders --partitions 12\n"
                            "weir topic alter orders --delete-config retention.ms"});
constexpr CommandSpec kDelete = with_names({.path = "topic delete",
                                            .summary = "Delete topics and their data.",
                                            .options = kDeleteOptions,
                                            .examples = "weir topic delete orders"});

}  // namespace

std::vector<Command> topic_table() {
  return {command(kCreate, &create_topics), command(kList, &list_topics),
          command(kDescribe, &describe_topics), command(kAlter, &alter_topics),
          command(kDelete, &delete_topics)};
}

}  // namespace weir::cli
