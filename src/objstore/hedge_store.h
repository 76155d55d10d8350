// HedgeStore: one slow request among many does not hold its caller up.
//
// Every attempt has a deadline (limits.h); what is not answered by then is timed_out. Before that,
// a put of a unique name, a put_if_absent, a get or a get_range that takes longer than 95 % of its
// kind usually do is sent a second time, with the same name and bytes, and the first good answer
// counts. A budget bounds hedges to a tenth of the requests, and none is sent while the store asks
// for less.
//
// What two answers to one create mean (docs/design.md, 4b): success if either is; already_exists
// only if our other attempt certainly changed nothing, for else it may be our own object that
// exists, and the answer is unknown_outcome.
//
// An attempt that lost goes on until it ends: it belongs to this store's scope, so `join` before
// the store ends, and it still reads the body that it was given. Bodies may be changed by then
// (batches are stamped once they are committed), which is safe with drivers that tell the store
// the checksum of a body before they send it; only such stores may be hedged. When kStragglersMax
// such attempts are left, there are no more hedges and deadlines wait for the driver's own.
//
// Used on one loop. Parts outlive it.
#pragma once

#include <memory>

#include "base/metrics.h"
#include "objstore/attempt_budget.h"
#include "objstore/decorator.h"
#include "objstore/latency_book.h"
#include "objstore/limits.h"
#include "objstore/request_gate.h"
#include "rt/loop.h"
#include "rt/scope.h"

namespace weir::objstore {

class HedgeStore final : public Decorator<HedgeStore> {
 public:
  struct Parts {
    rt::Loop& loop;
    LatencyBook& latencies;
    /// Says whether the store has asked for less.
    const RequestGate& gate;
    Metrics& metrics;
    std::string label;
    /// Without: deadlines only.
    bool hedge = true;
  };
  HedgeStore(ObjectStore& inner, Parts parts);

  /// Until all attempts that lost have ended.
  rt::Task<void> join() { return attempts_.join(); }
  std::size_t stragglers() const { return stragglers_; }

 private:
  friend class Decorator<HedgeStore>;
  template <class T>
  struct Race;
  template <class T>
  rt::Task<Result<T>> around(Request request);
  template <class T>
  void start(const std::shared_ptr<Race<T>>& race, Request request);
  template <class T>
  rt::Task<void> attempt(std::shared_ptr<Race<T>> race, Request request);
  bool may_hedge(Verb verb) const;

  Parts parts_;
  rt::Scope attempts_;
  AttemptBudget budget_{{.tokens_max = kHedgeBudgetTokensMax, .cost = kHedgeTokensPerHedge}};
  std::size_t stragglers_ = 0;
  Counter& hedges_;
  Counter& hedges_won_;
  Counter& expired_;
};
extern template class Decorator<HedgeStore>;

}  // namespace weir::objstore
