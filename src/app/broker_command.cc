#include "app/broker_command.h"

namespace weir::app {
namespace {

using cli::OptionKind;
using cli::OptionSpec;
using cli::Repeat;

constexpr OptionSpec kOptions[] = {
    {.name = "store",
     .kind = OptionKind::url,
     .value_name = "URL",
     .help = "Where the data lives: file:///DIRECTORY, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or "
             "memory://. ${VAR} inserts a variable.",
     .fallback_note = "file://…/weir-data below the user's data directory",
     .from_environment = true},
    {.name = "log",
     .kind = OptionKind::url,
     .value_name = "URL",
     .help = "Where the commit log lives, if not in the store.",
     .fallback_note = "the store",
     .from_environment = true},
    {.name = "listen",
     .value_name = "[NAME=][PROTOCOL://]HOST:PORT",
     .help = "Accept Kafka clients here; port 0 takes any, * all addresses.",
     .fallback = "localhost:9092",
     .repeat = Repeat::list,
     .from_environment = true},
    {.name = "advertise",
     .value_name = "[NAME=]HOST:PORT",
     .help = "What clients are told to connect to, for the listener NAME.",
     .fallback_note = "the bound address; this machine's name where that is *",
     .repeat = Repeat::list,
     .from_environment = true},
    {.name = "admin",
     .value_name = "HOST:PORT|off",
     .help = "Serve health, metrics and debug pages over HTTP here.",
     .fallback = "localhost:9093",
     .from_environment = true},
    {.name = "cluster-id",
     .value_name = "ID",
     .help = "Refuse to start on a store of another cluster; names a new one.",
     .fallback_note = "that of the store, or a random one for a new store",
     .from_environment = true},
    {.name = "node-id",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Kafka node id of this broker.",
     .fallback_note = "the lowest free one",
     .least = 1,
     .most = INT32_MAX,
     .from_environment = true},
    {.name = "zone",
     .value_name = "ZONE",
     .help = "Availability zone; clients of a zone are led to its brokers. Shown as the rack.",
     .fallback_note = "none",
     .from_environment = true},
    {.name = "identity",
     .kind = OptionKind::choice,
     .value_name = "own|shared",
     .help = "shared makes all brokers look like one node behind one address.",
     .fallback = "own",
     .choices = "own|shared",
     .from_environment = true},
    {.name = "lanes",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Threads that serve connections.",
     .fallback_note = "one per core",
     .least = 1,
     .most = 256,
     .from_environment = true},
    {.name = "memory",
     .kind = OptionKind::size,
     .value_name = "SIZE",
     .help = "Budget for requests, buffers and cache.",
     .fallback_note = "a quarter of the RAM, at most 4GiB",
     .from_environment = true},
    {.name = "flush-interval-min",
     .kind = OptionKind::duration,
     .value_name = "DURATION",
     .help = "Shortest time to collect records for one write to the store.",
     .fallback_note = "by the store: 0 for files, 150ms for S3",
     .from_environment = true},
    {.name = "flush-interval-max",
     .kind = OptionKind::duration,
     .value_name = "DURATION",
     .help = "Longest time to collect records for one write to the store.",
     .fallback_note = "by the store: 5ms for files, 500ms for S3",
     .from_environment = true},
    {.name = "segment-bytes",
     .kind = OptionKind::size,
     .value_name = "SIZE",
     .help = "A flush above this size is cut into several objects.",
     .fallback = "8MiB",
     .from_environment = true},
    {.name = "inline-bytes",
     .kind = OptionKind::size,
     .value_name = "SIZE",
     .help = "A flush up to this size is written into the log entry itself; 0 never.",
     .fallback_note = "by the log: 1MiB for files, 256KiB for S3",
     .from_environment = true},
    {.name = "request-budget",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Writes to the store that the cluster aims at in a second under little load. One that "
             "is given is kept even if commits wait seconds for it.",
     .fallback_note = "by the log: none for files, 5 for S3, 20 for S3 Express",
     .least = 1,
     .most = 1'000'000,
     .from_environment = true},
    {.name = "log-grace",
     .value_name = "DURATION|none",
     .help =
         "How long log entries stay after they are no longer needed; none trusts no clock at all.",
     .fallback = "1h",
     .from_environment = true},
    {.name = "drain-timeout",
     .kind = OptionKind::duration,
     .value_name = "DURATION",
     .help = "Time to finish requests after SIGTERM.",
     .fallback = "30s",
     .from_environment = true},
    {.name = "set",
     .value_name = "KAFKA.OPTION=VALUE",
     .help = "Set a Kafka broker option, such as message.max.bytes. In a configuration file "
             "these stand as they are; in the environment ';' separates them.",
     .repeat = Repeat::merge,
     .separator = ';',
     .from_environment = true},
    {.name = "log-level",
     .kind = OptionKind::choice,
     .value_name = "LEVEL",
     .help = "Least important lines to log: debug, info, warn or error.",
     .fallback = "info",
     .choices = "debug|info|warn|error",
     .from_environment = true},
    {.name = "config-file",
     .kind = OptionKind::file,
     .value_name = "FILE",
     .help = "Read options from lines of the form name=value.",
     .fallback_note = "none",
     .from_environment = true},
    {.name = "print-config",
     .kind = OptionKind::flag,
     .help = "Print the effective options and where each came from, and exit."},
};

constexpr cli::CommandSpec kBroker = {
    .path = "broker",
    .summary = "Run a broker (the default command).",
    .description =
        "A broker keeps nothing but what is in its store, so any number of them can run on one\n"
        "store, and each may be killed at any moment. When it accepts clients it prints a line\n"
        "that begins with `weir ready`. Logs go to stderr.\n"
        "Options come from the command line, else from WEIR_… variables (also those of a .env\n"
        "file in the working directory), else from --config-file, else they have their default.\n"
        "Durations and sizes have units: 250ms, 7d, forever, 64KiB, 1GB.",
    .options = kOptions,
    .examples =
        "weir                                        # a broker for this machine\n"
        "weir broker --listen :9092 --advertise broker-1.example.net:9092\n"
        "weir broker --store file:///var/lib/weir --set num.partitions=6\n"
        "WEIR_MEMORY=2GiB weir broker --print-config",
};

}  // namespace

const cli::CommandSpec& broker_command() { return kBroker; }

}  // namespace weir::app
