// The tables of `weir perf …`.
#include "cli/command_tables.h"
#include "cli/perf_commands.h"
#include "perf/limits.h"

namespace weir::cli {
namespace {

constexpr OptionSpec kConnections = {.name = "connections",
                                     .kind = OptionKind::integer,
                                     .value_name = "N",
                                     .help = "Connections, each with a share of the partitions.",
                                     .fallback = "4",
                                     .least = 1,
                                     .most = perf::kConnectionsMax};
constexpr OptionSpec kPartitions = {.name = "partitions",
                                    .kind = OptionKind::integer,
                                    .value_name = "N",
                                    .help = "Make the topic with so many, unless it is there.",
                                    .fallback_note = "the topic must be there",
                                    .least = 1,
                                    .most = INT32_MAX};
constexpr OptionSpec kBytes = {
    .name = "bytes", .kind = OptionKind::size, .value_name = "SIZE", .help = "Stop after so much."};
constexpr OptionSpec kDuration = {.name = "duration",
                                  .kind = OptionKind::duration,
                                  .value_name = "DURATION",
                                  .help = "Stop after so long."};
constexpr OptionSpec kRecordBytes = {.name = "record-bytes",
                                     .kind = OptionKind::size,
                                     .value_name = "SIZE",
                                     .help = "Size of a value.",
                                     .fallback = "1KiB"};
constexpr OptionSpec kPayload = {.name = "payload",
                                 .kind = OptionKind::choice,
                                 .value_name = "text|random",
                                 .help = "text compresses as logs do, random not at all.",
                                 .fallback = "text",
                                 .choices = "text|random"};
constexpr OptionSpec kBatchBytes = {.name = "batch-bytes",
                                    .kind = OptionKind::size,
                                    .value_name = "SIZE",
                                    .help = "A batch holds so much before compression.",
                                    .fallback = "256KiB"};
constexpr OptionSpec kRate = {.name = "rate",
                              .kind = OptionKind::size,
                              .value_name = "SIZE",
                              .help = "Keys and values per second, as 10MB.",
                              .fallback_note = "as fast as possible"};
constexpr OptionSpec kKeys = {.name = "keys",
                              .kind = OptionKind::choice,
                              .value_name = "none|uniform|zipf",
                              .help = "Whether records have keys, and how these are spread.",
                              .fallback = "none",
                              .choices = "none|uniform|zipf"};
constexpr OptionSpec kKeyCount = {.name = "key-count",
                                  .kind = OptionKind::integer,
                                  .value_name = "N",
                                  .help = "Different keys.",
                                  .fallback = "10000",
                                  .least = 1,
                                  .most = 100'000'000};
constexpr OptionSpec kCodec = {.name = "codec",
                               .kind = OptionKind::choice,
                               .value_name = "CODEC",
                               .help = "Compression: none, gzip, snappy, lz4 or zstd.",
                               .fallback = "none",
                               .choices = "none|gzip|snappy|lz4|zstd"};
constexpr OptionSpec kAcks = {.name = "acks",
                              .kind = OptionKind::choice,
                              .value_name = "all|1|0",
                              .help = "What to wait for; 0 measures the writing to the socket.",
                              .fallback = "all",
                              .choices = "all|1|0"};
constexpr OptionSpec kIdempotent = {.name = "idempotent",
                                    .kind = OptionKind::flag,
                                    .help = "Number the batches, as Kafka's producers do."};
constexpr OptionSpec kTransactions = {
    .name = "transactions", .kind = OptionKind::flag, .help = "Not there yet: refused."};
constexpr OptionSpec kWindow = {.name = "window",
                                .kind = OptionKind::integer,
                                .value_name = "N",
                                .help = "Unanswered requests per connection.",
                                .fallback = "5",
                                .least = 1,
                                .most = perf::kWindowMax};
constexpr OptionSpec kLinger = {.name = "linger",
                                .kind = OptionKind::duration,
                                .value_name = "DURATION",
                                .help = "How long a record may wait for others of its batch.",
                                .fallback = "5ms"};
constexpr OptionSpec kRaw = {
    .name = "raw",
    .kind = OptionKind::flag,
    .help =
        "Send batches that were encoded before the measurement: the client costs almost "
        "nothing. A rate then counts whole requests."};
constexpr OptionSpec kPerRequest = {.name = "partitions-per-request",
                                    .kind = OptionKind::integer,
                                    .value_name = "N",
                                    .help = "Batches in a raw request.",
                                    .fallback_note = "as many as make 1 MiB",
                                    .least = 1,
                                    .most = 100'000};

constexpr OptionSpec kProduceOptions[] = {
    kPartitions, kConnections, kBytes, kDuration,   kRate,       kRecordBytes,
    kBatchBytes, kPayload,     kKeys,  kKeyCount,   kCodec,      kAcks,
    kLinger,     kWindow,      kRaw,   kPerRequest, kIdempotent, kTransactions};
constexpr OptionSpec kConsumeOptions[] = {kConnections, kBytes, kDuration};
constexpr OptionSpec kEndToEndOptions[] = {kPartitions, kConnections, kBytes,      kDuration,
                                           kRate,       kRecordBytes, kBatchBytes, kPayload,
                                           kKeys,       kKeyCount,    kCodec,      kAcks,
                                           kLinger,     kWindow,      kIdempotent, kTransactions};
constexpr OptionSpec kConnectOptions[] = {
    {.name = "connections",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Connections that are opened and do nothing.",
     .fallback = "1",
     .least = 0,
     .most = perf::kConnectionsMax},
    {.name = "hold",
     .kind = OptionKind::duration,
     .value_name = "DURATION",
     .help = "How long to keep them.",
     .fallback = "10s"},
    {.name = "rate",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Meanwhile open and close so many others a second.",
     .fallback = "0",
     .least = 0,
     .most = 100'000},
};

constexpr CommandSpec kProduce = with_one(
    "TOPIC",
    {.path = "perf produce",
     .summary = "Measure how fast a cluster takes records.",
     .description = "Works with any Kafka cluster. Without --bytes or --duration it takes ten\n"
                    "seconds. Latency counts from when a record was due, whether or not there was\n"
                    "room to send it.",
     .options = kProduceOptions,
     .examples = "weir perf produce load --partitions 16 --raw --bytes 1GiB\n"
                 "weir perf produce load --partitions 16 --rate 10MB --linger 5ms"});
constexpr CommandSpec kConsume =
    with_one("TOPIC", {.path = "perf consume",
                       .summary = "Measure how fast a cluster gives records.",
                       .description =
                           "Reads from the beginning; without --duration it ends where the topic\n"
                           "ended at the start. Batches are walked, not decoded.",
                       .options = kConsumeOptions,
                       .examples = "weir perf consume load --connections 8 --output json"});
constexpr CommandSpec kEndToEnd = with_one(
    "TOPIC",
    {.path = "perf e2e",
     .summary = "Measure how long records take from producer to consumer.",
     .description = "Produces at a rate and consumes at once, in one process with one clock. The\n"
                    "time of a record counts from when it was due to be sent.",
     .options = kEndToEndOptions,
     .examples = "weir perf e2e load --partitions 16 --rate 5MB --linger 0 --duration 30s"});
constexpr CommandSpec kConnect = {
    .path = "perf connect",
    .summary = "Measure connections: many idle ones, or many new ones.",
    .description = "Prints a line when all idle connections are open, then holds them.",
    .options = kConnectOptions,
    .examples =
        "weir perf connect --connections 10000 --hold 60s\n"
        "weir perf connect --rate 1000 --hold 10s"};

}  // namespace

std::vector<PerfCommand> perf_commands() {
  std::vector<PerfCommand> all = {{kProduce, &perf_produce},
                                  {kConsume, &perf_consume},
                                  {kEndToEnd, &perf_e2e},
                                  {kConnect, &perf_connect}};
  for (PerfCommand& each : all) each.spec.common = cluster_options();
  return all;
}

}  // namespace weir::cli
