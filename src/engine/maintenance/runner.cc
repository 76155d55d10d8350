#include "engine/maintenance/runner.h"

namespace weir::engine {

namespace {
std::string label(const Job& job) { return "job=\"" + std::string(job.name()) + "\""; }
}  // namespace

Runner::Slot::Slot(std::unique_ptr<Job> j, JobContext& context)
    : job(std::move(j)),
      status{std::string(job->name()), 0, 0, {}},
      rounds(context.metrics.counter("weir_maintenance_rounds_total", "Rounds of maintenance",
                                     label(*job))),
      failures(context.metrics.counter("weir_maintenance_failures_total",
                                       "Rounds of maintenance that failed", label(*job))),
      seconds(context.metrics.histogram("weir_maintenance_round_seconds",
                                        "Time of a round of maintenance", 1e-6, label(*job))) {}

Runner::Runner(JobContext& context)
    : context_(context), wake_(context.loop), scope_(context.loop) {}

rt::Task<void> Runner::run() {
  for (std::unique_ptr<Slot>& slot : jobs_) scope_.spawn(repeat(*slot));
  co_await scope_.join();
}

void Runner::stop() {
  context_.stopping = true;
  wake_.notify_all();
}

rt::Task<void> Runner::repeat(Slot& slot) {
  MonoTime next = context_.loop.now() + slot.job->period();
  while (!context_.stopping) {
    // Only `stop` notifies, so this is the pause between two rounds.
    co_await wake_.wait_until(next);
    next = context_.loop.now() + slot.job->period();
    if (!context_.may_go_on()) continue;
    if (!context_.state().is_registered(context_.proposer.incarnation())) continue;
    auto more = co_await round(slot);
    next = context_.loop.now() + (more && *more ? Duration(0) : slot.job->period());
  }
}

rt::Task<Result<bool>> Runner::round(Slot& slot) {
  if (slot.running) co_return false;
  slot.running = true;
  MonoTime begun = context_.loop.now();
  auto more = co_await slot.job->run_once();
  slot.running = false;
  slot.rounds.add();
  ++slot.status.rounds;
  slot.seconds.observe(static_cast<std::uint64_t>((context_.loop.now() - begun) / 1us));
  if (!more) {
    slot.failures.add();
    ++slot.status.failures;
    slot.status.last_error = describe(more.error());
    context_.logger.warn("maintenance_failed",
                         {{"job", slot.job->name()}, {"error", slot.status.last_error}});
  }
  co_return more;
}

std::vector<MaintenanceStatus> Runner::status() const {
  std::vector<MaintenanceStatus> all;
  all.reserve(jobs_.size());
  for (const std::unique_ptr<Slot>& slot : jobs_) all.push_back(slot->status);
  return all;
}

rt::Task<Result<bool>> Runner::run_now(std::string name) {
  for (std::unique_ptr<Slot>& slot : jobs_)
    if (slot->job->name() == name) co_return co_await round(*slot);
  co_return fail(ErrorCode::not_found, "no job is called " + name);
}

}  // namespace weir::engine
