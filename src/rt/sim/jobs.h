// JobRunner: work of worker pools, cut into slices that the world interleaves.
//
// A job is ordinary blocking code. To let processes race with each other, and to let a process die
// in the middle of a job, each simulated file call is a point where the job gives way: the world
// goes on, and later the job. For that a job runs on a fiber.
//
// A job whose process dies is not abandoned: its calls fail with `cancelled` from then on, and it
// runs to its end at once.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/time.h"

namespace weir::rt::sim {

class SimNode;
class SimWorld;

class JobRunner {
 public:
  explicit JobRunner(SimWorld& world);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Runs `work` up to the first point where it gives way.
  void start(SimNode& node, std::move_only_function<void()> work);
  /// Called by simulated blocking calls: lets time `d` pass. Outside a job no time passes. False if
  /// the job's process has died.
  bool give_way(Duration d);
  bool in_job() const { return current_ != nullptr; }
  void cancel_jobs_of(const SimNode& node);

 private:
  struct Job;
  void run_slice(Job& job);

  SimWorld& world_;
  Job* current_ = nullptr;
  std::vector<std::unique_ptr<Job>> jobs_;
};

}  // namespace weir::rt::sim
