#include "engine/maintenance/horizon_job.h"

#include "base/narrow.h"
#include "state/commands/advance_horizon.h"

namespace weir::engine {

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
  if (!awaiting && quiet_since_ && *then <= *quiet_since_) co_return false;
  state::command::AdvanceHorizon command{.horizon = narrow<std::int64_t>(then->value)};
  auto outcome = co_await context_.proposer.propose(make_proposal(command),
                                                    context_.loop.now() + kJobProposeWait);
  if (!outcome) co_return with_context(outcome.error(), "advancing the horizon");
  quiet_since_ = context_.state().position();
  co_return false;
}

}  // namespace weir::engine
