#include "perf/consumer_load.h"

#include <deque>

namespace weir::perf {

ConsumerLoad::ConsumerLoad(Links& links, const ConsumeOptions& options)
    : links_(links), options_(options), loop_(links.cluster().loop()), begun_(loop_.now()) {}

rt::Task<Result<Outcome>> ConsumerLoad::run() {
  std::deque<FetchShare> shares;
  for (Share& share : links_.shares()) {
    shares.emplace_back(share, options_.topic);
    WEIR_CO_TRY(co_await shares.back().place(kEarliest, loop_.now() + options_.timeout));
  }
  begun_ = loop_.now();
  rt::Scope scope(loop_);
  for (FetchShare& share : shares) scope.spawn(read(share));
  co_await scope.join();
  if (failure_) co_return std::unexpected(*failure_);
  outcome_.took = loop_.now() - begun_;
  co_return std::move(outcome_);
}

bool ConsumerLoad::goes_on(const FetchShare& share) const {
  if (failure_ || links_.cluster().is_shut()) return false;
  if (options_.amount.bytes && outcome_.batch_bytes >= *options_.amount.bytes) return false;
  if (options_.amount.time) return loop_.now() - begun_ < *options_.amount.time;
  return !share.at_end();
}

rt::Task<void> ConsumerLoad::read(FetchShare& share) {
  while (goes_on(share)) {
    const MonoTime sent = loop_.now();
    Result<Outcome> taken = co_await share.round({}, sent + options_.timeout);
    if (!taken) {
      if (!failure_) failure_ = taken.error();
      break;
    }
    outcome_.add(*taken);
    outcome_.latency.record(loop_.now() - sent);
  }
}

}  // namespace weir::perf
