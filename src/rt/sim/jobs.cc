#include "rt/sim/jobs.h"

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "rt/sim/fiber.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"

namespace weir::rt::sim {

struct JobRunner::Job {
  Job(SimNode& owner, std::move_only_function<void()> work) : node(owner), fiber(std::move(work)) {}

  SimNode& node;
  Fiber fiber;
  bool cancelled = false;
};

JobRunner::JobRunner(SimWorld& world) : world_(world) {}
JobRunner::~JobRunner() { ENSURE(jobs_.empty()); }

void JobRunner::start(SimNode& node, std::move_only_function<void()> work) {
  run_slice(*jobs_.emplace_back(std::make_unique<Job>(node, std::move(work))));
}

void JobRunner::run_slice(Job& job) {
  Job* outer = std::exchange(current_, &job);
  job.fiber.resume();
  current_ = outer;
  if (!job.fiber.finished()) return;
  std::erase_if(jobs_, [&job](const auto& other) { return other.get() == &job; });
}

bool JobRunner::give_way(Duration d) {
  Job* job = current_;
  if (job == nullptr) return true;
  if (job->cancelled) return false;
  world_.after(d, &job->node, [this, job] { run_slice(*job); });
  job->fiber.suspend();
  return !job->cancelled;
}

void JobRunner::cancel_jobs_of(const SimNode& node) {
  std::vector<Job*> waiting;
  for (auto& job : jobs_) {
    if (&job->node != &node) continue;
    job->cancelled = true;
    // A job that kills its own process goes on by itself, when this call has returned.
    if (job.get() != current_) waiting.push_back(job.get());
  }
  for (Job* job : waiting) run_slice(*job);
}

}  // namespace weir::rt::sim
