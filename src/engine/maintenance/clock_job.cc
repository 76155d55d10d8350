#include "engine/maintenance/clock_job.h"

#include <algorithm>

#include "state/commands/advance_clock.h"
#include "state/commands/append_spans.h"

namespace weir::engine {

namespace {
/// A difference from the cluster's clock that somebody should look at.
constexpr std::int64_t kSkewToReportMs = 600'000;
/// How often to look whether this broker's clock, which it has not told yet, can be told.
constexpr Duration kFirstClockInterval = 1s;
}  // namespace

Duration ClockJob::period() const {
  Duration interval = std::min(context_.rules().clock_interval, context_.rules().retention_check);
  return told_ ? interval : std::min(interval, kFirstClockInterval);
}

void ClockJob::on_folded(const state::EntryView& entry, const state::Folded&) {
  for (const state::CommandGroup& group : entry.groups)
    for (const state::EncodedCommand& command : group.commands)
      records_arrived_ |= command.type == state::command::AppendSpans::kType;
}

rt::Task<Result<bool>> ClockJob::run_once() {
  MonoTime now = context_.loop.now();
  bool due = !told_ || records_arrived_ || now - *told_ >= context_.rules().clock_interval_idle;
  if (!due || context_.state().counts().topics == 0) co_return false;
  records_arrived_ = false;
  told_ = now;
  std::int64_t wall = context_.loop.wall_now().value;
  state::command::AdvanceClock command{.wall_ms = wall};
  auto outcome = co_await context_.proposer.propose(make_proposal(command), now + kJobProposeWait);
  if (!outcome) co_return with_context(outcome.error(), "telling the clock");
  // A cluster that was never told the time has none to differ from.
  if (context_.state().clock_ms() == 0) co_return false;
  std::int64_t skew = wall - context_.state().clock_ms();
  bool off = skew > kSkewToReportMs || skew < -kSkewToReportMs;
  if (off && !warned_)
    context_.logger.warn("clock_differs_from_cluster",
                         {{"own_ms", wall},
                          {"cluster_ms", context_.state().clock_ms()},
                          {"remedy", "synchronise the clocks of the brokers"}});
  warned_ = off;
  co_return false;
}

}  // namespace weir::engine
