// BucketSession: what a command that works on a bucket directly, without a broker, is handed.
//
// Such commands read; they write nothing, neither to the store nor to the log, so they may run
// beside brokers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/settings.h"
#include "commitlog/commit_log.h"
#include "objstore/object_store.h"
#include "rt/loop.h"
#include "rt/task.h"

namespace weir::cli {

/// All of it outlives the command's task.
struct BucketSession {
  const Settings& settings;
  const std::vector<std::string>& names;
  Console& console;
  rt::Loop& loop;
  objstore::ObjectStore& store;
  /// Null where the URLs name none that exists.
  commitlog::CommitLog* log = nullptr;

  bool json() const { return settings.text("output") == "json"; }
  /// Prints "weir PATH: …" to standard error and gives the status for it.
  ExitStatus fail(const Error& error) const;
  /// The error for a command that needs the log and has none.
  ExitStatus fail_without_log() const;
};

struct BucketCommand {
  CommandSpec spec;
  rt::Task<ExitStatus> (*run)(BucketSession& session) = nullptr;
};

/// All of them, in the order of --help.
std::vector<BucketCommand> bucket_commands();

rt::Task<ExitStatus> inspect_snapshot(BucketSession& session);
rt::Task<ExitStatus> inspect_log(BucketSession& session);
rt::Task<ExitStatus> inspect_segment(BucketSession& session);
rt::Task<ExitStatus> inspect_object(BucketSession& session);
rt::Task<ExitStatus> verify_bucket(BucketSession& session);
rt::Task<ExitStatus> explain_garbage(BucketSession& session);

}  // namespace weir::cli
