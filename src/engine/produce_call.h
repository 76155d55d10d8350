// ProduceCall: one produce request on its way through the engine, and the batches it consists of.
#pragma once

#include <memory>
#include <vector>

#include "engine/api.h"
#include "rt/event.h"

namespace weir::engine {

/// Shared between the coroutine that waits for the answer and the batches on their way, because a
/// batch goes on after its request's deadline has passed (it may still land, as in Kafka).
struct ProduceCall {
  ProduceCall(rt::Loop& loop, std::size_t items, MonoTime d)
      : outcomes(items), open(items), deadline(d), done(loop) {}
  std::vector<ProduceOutcome> outcomes;
  std::size_t open;
  MonoTime deadline;
  rt::Event done;
};

/// One batch on its way.
struct QueuedBatch {
  ProduceItem item;
  std::shared_ptr<ProduceCall> call;
  std::size_t index = 0;

  void finish(ProduceOutcome outcome) const {
    if (call->open == 0) return;
    outcome.settled = true;
    call->outcomes[index] = std::move(outcome);
    if (--call->open == 0) call->done.notify_all();
  }
  void fail(Error error) const {
    ProduceOutcome outcome;
    outcome.failure = std::move(error);
    finish(std::move(outcome));
  }
  void refuse(Refusal refusal, Offset log_start = Offset(-1)) const {
    ProduceOutcome outcome;
    outcome.refusal = refusal;
    outcome.log_start = log_start;
    finish(std::move(outcome));
  }
};

}  // namespace weir::engine
