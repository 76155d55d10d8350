// Job: one kind of maintenance, done again and again by every broker for its share.
//
// A job looks at the folded state, does what is due, and proposes commands whose guards make a
// second broker that does the same harmless. It may be killed between any two of its steps: what it
// has uploaded and not committed is an orphan, what it has deleted and not told is deleted again.
#pragma once

#include <string_view>

#include "base/log.h"
#include "base/metrics.h"
#include "base/result.h"
#include "commitlog/commit_log.h"
#include "engine/cache.h"
#include "engine/follower.h"
#include "engine/maintenance/pacer.h"
#include "engine/maintenance/topic_rules.h"
#include "engine/off_loop.h"
#include "engine/options.h"
#include "engine/proposer.h"
#include "objstore/object_store.h"
#include "rt/turn.h"
#include "rt/workers.h"

namespace weir::engine {

/// What all jobs of a broker share; it outlives them.
struct JobContext {
  rt::Loop& loop;
  objstore::ObjectStore& store;
  commitlog::CommitLog& log;
  Follower& follower;
  Proposer& proposer;
  const TopicConfigs& configs;
  /// What was written or read lately need not be read again. May be null.
  const Cache* cache;
  /// For what takes long. May be null: then it happens on the loop.
  rt::Workers* workers;
  const Options& options;
  Pacer& pacer;
  /// Of passes that hold many sources at once; a compaction of one large partition is outside.
  rt::Turn* turn;
  Logger& logger;
  Metrics& metrics;
  /// Rules of topics, parsed.
  ByTopic<TopicRules> topic_rules = {};
  /// Set when the broker stops: a job ends at its next step.
  bool stopping = false;

  const state::State& state() const { return follower.state(); }
  const MaintenanceOptions& rules() const { return options.maintenance; }
  bool may_go_on() const { return !stopping && follower.halted().empty() && !follower.truncated(); }
};

class Job {
 public:
  virtual ~Job() = default;
  virtual std::string_view name() const = 0;
  virtual Duration period() const = 0;
  /// One round. True: something was done, and more is due at once.
  virtual rt::Task<Result<bool>> run_once() = 0;
};

/// Whether this broker is the one of the live ones that does `what` (rendezvous hash).
bool is_mine(const JobContext& context, Bytes what);
bool is_mine(const JobContext& context, std::string_view what);
bool is_mine(const JobContext& context, const state::PartitionRef& at);

/// What maintenance must know of a topic's settings. Valid until the next call.
const TopicRules& rules_of(JobContext& context, const state::TopicInfo& topic);

/// Bytes in memory for one that is stored of this topic, at most.
std::uint64_t memory_weight_of(const JobContext& context, const state::TopicInfo& topic);

template <class F>
auto off_loop(JobContext& context, F work) {
  return off_loop(context.loop, context.workers, std::move(work));
}

/// How long a job waits for the outcome of a command.
inline constexpr Duration kJobProposeWait = 30s;

}  // namespace weir::engine
