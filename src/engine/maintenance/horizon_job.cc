#include "engine/maintenance/horizon_job.h"

#include "base/narrow.h"
#include "state/commands/advance_horizon.h"

namespace weir::engine {

namespace {
constexpr int kQuietAdvancesMax = 2;
}  // namespace

rt::Task<Result<bool>> HorizonJob::run_once() {
  std::optional<Position> here = context_.state().position();
  std::optional<Position> then = std::exchange(last_, here);
  if (!is_mine(context_, "horizon") || !then || *then <= context_.state().horizon())
    co_return false;
  bool awaiting = false;
  context_.state().visit_awaiting_deletion([&](const state::ObjectRef& object) {
    awaiting = object.born >= context_.state().horizon();
    return !awaiting;
  });
  // Twice in the quiet, so that the horizon passes everything that was uploaded before.
  bool quiet = advanced_at_ && *here == *advanced_at_;
  quiet_advances_ = quiet ? quiet_advances_ + 1 : 0;
  if (!awaiting && quiet_advances_ > kQuietAdvancesMax) co_return false;
  state::command::AdvanceHorizon command{.horizon = narrow<std::int64_t>(then->value)};
  auto outcome = co_await context_.proposer.propose(make_proposal(command),
                                                    context_.loop.now() + kJobProposeWait);
  if (!outcome) co_return with_context(outcome.error(), "advancing the horizon");
  advanced_at_ = context_.state().position();
  co_return false;
}

}  // namespace weir::engine
