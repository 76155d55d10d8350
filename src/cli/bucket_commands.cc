// The tables of the commands that work on a bucket directly.
#include "cli/bucket_session.h"

namespace weir::cli {
namespace {

constexpr OptionSpec kBucketOptions[] = {
    {.name = "store",
     .kind = OptionKind::url,
     .value_name = "URL",
     .help = "The bucket. ${VAR} inserts a variable.",
     .fallback_note = "file://…/weir-data below the user's data directory",
     .from_environment = true},
    {.name = "log",
     .kind = OptionKind::url,
     .value_name = "URL",
     .help = "Where the commit log lives, if not in the store.",
     .fallback_note = "the store",
     .from_environment = true},
    {.name = "output",
     .kind = OptionKind::choice,
     .value_name = "text|json",
     .help = "For people, or one JSON value per line for programs.",
     .fallback = "text",
     .choices = "text|json",
     .from_environment = true},
};
constexpr OptionSpec kVerifyOptions[] = {
    {.name = "quick",
     .kind = OptionKind::flag,
     .help = "Look only whether the data objects are there; do not read them."},
};
constexpr OptionSpec kGcOptions[] = {
    {.name = "dry-run",
     .kind = OptionKind::flag,
     .help = "Explain, delete nothing. Required: brokers delete by themselves."},
};

constexpr CommandSpec kInspectSnapshot = {.path = "inspect snapshot",
                                          .summary = "Show a snapshot of the cluster state.",
                                          .description = "Without a name the newest one.",
                                          .positionals = "[NAME]",
                                          .positionals_max = 1,
                                          .common = kBucketOptions,
                                          .examples =
                                              "weir inspect snapshot --store file:///srv/weir\n"
                                              "weir inspect snapshot --output json | jq .topics"};
constexpr CommandSpec kInspectLog = {
    .path = "inspect log",
    .summary = "Show entries of the commit log and what they command.",
    .description =
        "Without a position the last ten entries. Topics have their names where a snapshot or an\n"
        "entry that is shown tells them, else their ids.",
    .positionals = "[FIRST[-LAST]]",
    .positionals_max = 1,
    .common = kBucketOptions,
    .examples =
        "weir inspect log --store file:///srv/weir\n"
        "weir inspect log 100-120 --output json"};
constexpr CommandSpec kInspectSegment = {
    .path = "inspect segment",
    .summary = "Show the regions of data objects and check their bytes.",
    .positionals = "NAME…",
    .positionals_min = 1,
    .positionals_max = 1000,
    .common = kBucketOptions,
    .examples =
        "weir inspect segment "
        "data/3f/00000000000000000012-00112233445566778899aabbccddeeff-1"};
constexpr CommandSpec kInspectObject = {
    .path = "inspect object",
    .summary = "Show any object of the store, whatever it is.",
    .description = "A store of files keeps many log entries in one file: see `weir inspect log`.",
    .positionals = "NAME…",
    .positionals_min = 1,
    .positionals_max = 1000,
    .common = kBucketOptions,
    .examples = "weir inspect object log/0/00000000000000000000 --store s3://bucket/prefix"};
constexpr CommandSpec kVerify = {
    .path = "verify",
    .summary = "Audit the whole bucket against its log.",
    .description =
        "Checks the chain of the log, the snapshots, that every object is there, the checksums\n"
        "of every region and batch, offsets, and that nothing is left over. Each finding is a\n"
        "sentence; the exit status is 1 if there is any. It reads all data once, and only reads.",
    .options = kVerifyOptions,
    .common = kBucketOptions,
    .examples =
        "weir verify --store file:///srv/weir\n"
        "weir verify --quick --output json"};
constexpr CommandSpec kGc = {
    .path = "gc",
    .summary = "Explain for each object why it is kept or may be deleted.",
    .options = kGcOptions,
    .common = kBucketOptions,
    .examples =
        "weir gc --dry-run --store file:///srv/weir\n"
        "weir gc --dry-run --output json | jq -r 'select(.fate == \"deletable\") | .object'"};

}  // namespace

std::vector<BucketCommand> bucket_commands() {
  return {
      {kInspectSnapshot, &inspect_snapshot},
      {kInspectLog, &inspect_log},
      {kInspectSegment, &inspect_segment},
      {kInspectObject, &inspect_object},
      {kVerify, &verify_bucket},
      {kGc, &explain_garbage},
  };
}

ExitStatus BucketSession::fail(const Error& error) const {
  if (error.is(ErrorCode::cancelled) || error.is(ErrorCode::closed)) return ExitStatus::failed;
  std::string line = "weir " + std::string(settings.command().path) + ": " + error.message;
  if (error.is(ErrorCode::not_found))
    line += "; `weir gc --dry-run` lists what " + store.describe() + " holds";
  console.err(line + "\n");
  return error.is(ErrorCode::invalid_argument) ? ExitStatus::usage : ExitStatus::failed;
}

ExitStatus BucketSession::fail_without_log() const {
  console.err("weir " + std::string(settings.command().path) + ": " + store.describe() +
              " holds no commit log; if the cluster keeps it elsewhere, name it with --log URL\n");
  return ExitStatus::failed;
}

}  // namespace weir::cli
