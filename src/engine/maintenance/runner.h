// Runner: runs the jobs of one broker, each in a loop of its own, and says how they fare.
//
// A round that found work is followed by the next at once, any other after the job's period. A
// failed round is logged and comes again; nothing here fails a client's request.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/api.h"
#include "engine/maintenance/job.h"
#include "rt/scope.h"

namespace weir::engine {

class Runner {
 public:
  /// `context` outlives the runner.
  explicit Runner(JobContext& context);

  /// Before `run`. The job lives as long as the runner.
  template <class AnyJob>
  AnyJob& add(std::unique_ptr<AnyJob> job) {
    AnyJob& added = *job;
    jobs_.push_back(std::make_unique<Slot>(std::move(job), context_));
    return added;
  }
  rt::Task<void> run();
  void stop();

  std::vector<MaintenanceStatus> status() const;
  /// Runs one round of a job now; for tests. False if there is none of that name.
  rt::Task<Result<bool>> run_now(std::string name);

 private:
  struct Slot {
    Slot(std::unique_ptr<Job> j, JobContext& context);
    std::unique_ptr<Job> job;
    MaintenanceStatus status;
    bool running = false;
    Counter& rounds;
    Counter& failures;
    Histogram& seconds;
  };
  rt::Task<void> repeat(Slot& slot);
  rt::Task<Result<bool>> round(Slot& slot);

  JobContext& context_;
  std::vector<std::unique_ptr<Slot>> jobs_;
  rt::Event wake_;
  rt::Scope scope_;
};

}  // namespace weir::engine
