// The tables of `weir produce` and `weir consume`.
#include "cli/command_tables.h"
#include "cli/stream_commands.h"

namespace weir::cli {
namespace {

constexpr OptionSpec kProduceOptions[] = {
    {.name = "key-separator",
     .value_name = "TEXT",
     .help = "What stands before its first occurrence in a line is the key.",
     .fallback_note = "lines have no keys",
     .least = 1},
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
    {.name = "group",
     .value_name = "NAME",
     .help = "Share the topic with the other members of this consumer group, go on where it has "
             "committed (--from counts where it has not), and commit what was printed.",
     .least = 1},
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

constexpr CommandSpec kProduce = with_one(
    "TOPIC",
    {.path = "produce",
     .summary = "Send the lines of standard input as records.",
     .description =
         "Every line is one record: all of its bytes but the line break, so a carriage return\n"
         "stays. The topic must exist. Sending is idempotent: retries make no duplicates.\n"
         "Ctrl-C ends the input; what was read is still sent. A second one gives up.",
     .options = kProduceOptions,
     .examples = "echo hello | weir produce orders\n"
                 "weir produce orders --key-separator : --codec zstd < orders.txt"});
constexpr CommandSpec kConsume = with_one(
    "TOPIC",
    {.path = "consume",
     .summary = "Print the records of a topic.",
     .description = "Stops at the end of the topic, unless --follow is given.\n"
                    "With --group, Ctrl-C commits what was printed and leaves the group.",
     .options = kConsumeOptions,
     .examples = "weir consume orders --print partition,offset,key\n"
                 "weir consume orders --from=-10 --follow\n"
                 "weir consume orders --group billing --follow\n"
                 "weir consume orders --from 2026-01-31T00:00:00Z --to 2026-02-01T00:00:00Z\n"
                 "weir consume orders --output json | jq .value"});

}  // namespace

std::vector<Command> stream_table() {
  return {command(kProduce, &produce, true), command(kConsume, &consume, true)};
}

}  // namespace weir::cli
