// Maintenance: all jobs of one broker, wired.
#pragma once

#include <functional>
#include <vector>

#include "engine/maintenance/clock_job.h"
#include "engine/maintenance/digest_watch.h"
#include "engine/maintenance/orphans_job.h"
#include "engine/maintenance/runner.h"

namespace weir::engine {

class Maintenance {
 public:
  struct Parts {
    rt::Loop& loop;
    objstore::ObjectStore& store;
    commitlog::CommitLog& log;
    Follower& follower;
    Proposer& proposer;
    const TopicConfigs& configs;
    /// May be null.
    const Cache* cache;
    /// May be null: then long work is done on the loop.
    rt::Workers* workers;
    Logger& logger;
    Metrics& metrics;
    /// Whether producers or tail readers wait for the store.
    std::function<bool()> busy;
  };
  Maintenance(Parts parts, const Options& options);

  /// Adds what watches the fold to the follower's listeners.
  void listen();
  rt::Task<void> run() { return runner_.run(); }
  void stop() { runner_.stop(); }

  Runner& runner() { return runner_; }
  const Runner& runner() const { return runner_; }
  JobContext& context() { return context_; }
  const DigestWatch& digests() const { return digests_; }

 private:
  Pacer pacer_;
  rt::Turn turn_;
  JobContext context_;
  DigestWatch digests_;
  Runner runner_;
  ClockJob& clock_;
  OrphansJob& orphans_;
};

}  // namespace weir::engine
