#include "rt/sim/jobs.h"

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "rt/sim/fiber.h"
#include "rt/sim/limits.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"

namespace weir::rt::sim {

/// A finished job stays for the next one, for the sake of its stack.
struct JobRunner::Job {
  Job(SimNode& owner, std::move_only_function<void()> work)
      : node(&owner), fiber(std::move(work)) {}

  void reuse(SimNode& owner, std::move_only_function<void()> work) {
    node = &owner;
    fiber.restart(std::move(work));
    cancelled = false;
  }
  bool idle() const { return node == nullptr; }

  SimNode* node;
  Fiber fiber;
  bool cancelled = false;
};

JobRunner::JobRunner(SimWorld& world) : world_(world) {}
JobRunner::~JobRunner() {
  ENSURE(std::ranges::all_of(jobs_, [](const auto& job) { return job->idle(); }));
}

void JobRunner::start(SimNode& node, std::move_only_function<void()> work) {
  const auto idle = std::ranges::find_if(jobs_, [](const auto& job) { return job->idle(); });
  if (idle == jobs_.end()) {
    jobs_.push_back(std::make_unique<Job>(node, std::move(work)));
    return run_slice(*jobs_.back());
  }
  (*idle)->reuse(node, std::move(work));
  run_slice(**idle);
}

void JobRunner::run_slice(Job& job) {
  Job* outer = std::exchange(current_, &job);
  job.fiber.resume();
  current_ = outer;
  if (!job.fiber.finished()) return;
  job.node = nullptr;
  if (jobs_.size() <= kJobsKept) return;
  std::erase_if(jobs_, [&job](const auto& other) { return other.get() == &job; });
}

bool JobRunner::give_way(Duration d) {
  Job* job = current_;
  if (job == nullptr) return true;
  if (job->cancelled) return false;
  world_.after(d, job->node, [this, job] { run_slice(*job); });
  job->fiber.suspend();
  return !job->cancelled;
}

void JobRunner::cancel_jobs_of(const SimNode& node) {
  std::vector<Job*> waiting;
  for (auto& job : jobs_) {
    if (job->node != &node) continue;
    job->cancelled = true;
    // A job that kills its own process goes on by itself, when this call has returned.
    if (job.get() != current_) waiting.push_back(job.get());
  }
  for (Job* job : waiting) run_slice(*job);
}

}  // namespace weir::rt::sim
