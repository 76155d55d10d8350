// RetryStore: repeats what may be repeated, for a bounded time, and not too often.
//
// Unconditional verbs (put of a unique name, get, get_range, head, list, remove) are repeated on
// every passing fault. A conditional write is repeated only where the error says that nothing was
// applied (unavailable); unknown outcomes go up to its owner, who resolves them by reading (docs/
// design.md, 4b): a blind repetition would turn our own success into "exists".
//
// No attempt begins after the deadline of its verb (limits.h), which counts from the call. Pauses
// have full jitter: any time up to a bound that doubles from kRetryPauseFirst to kRetryPauseMax. A
// budget keeps retries at a tenth of the requests. Used on one loop; store, loop and random outlive
// it.
#pragma once

#include "objstore/attempt_budget.h"
#include "objstore/decorator.h"
#include "objstore/limits.h"
#include "rt/loop.h"
#include "rt/random.h"

namespace weir::objstore {

class RetryStore final : public Decorator<RetryStore> {
 public:
  RetryStore(ObjectStore& inner, rt::Loop& loop, rt::Random& random)
      : Decorator(inner), loop_(loop), random_(random) {}

 private:
  friend class Decorator<RetryStore>;
  template <class T>
  rt::Task<Result<T>> around(Request request);
  Duration pause(int attempt);

  rt::Loop& loop_;
  rt::Random& random_;
  AttemptBudget budget_{{.tokens_max = kRetryBudgetTokensMax, .cost = kRetryTokensPerRetry}};
};
extern template class Decorator<RetryStore>;

}  // namespace weir::objstore
