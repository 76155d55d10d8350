// RetryStore: repeats what may be repeated, and not too often.
//
// Repeated are the unconditional verbs (put of a unique name, get, get_range, head, list, remove)
// on unavailable, timed_out and unknown_outcome. Conditional writes pass through: repeating one
// turns a success into "exists", so their owner resolves them by reading.
//
// Pauses double from kRetryPauseFirst to kRetryPauseMax, each drawn between half and all of it.
// A budget bounds the load on a store in trouble: a retry costs kRetryTokensPerRetry tokens, a
// success earns one, so retries stay at a tenth of the requests after a burst. Used on one loop;
// store, loop and random outlive it.
#pragma once

#include <functional>

#include "objstore/limits.h"
#include "objstore/object_store.h"
#include "rt/loop.h"
#include "rt/random.h"

namespace weir::objstore {

class RetryStore final : public ObjectStore {
 public:
  RetryStore(ObjectStore& inner, rt::Loop& loop, rt::Random& random)
      : inner_(inner), loop_(loop), random_(random) {}

  rt::Task<Result<std::string>> put(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                             std::string etag) override;
  rt::Task<Result<SharedBytes>> get(std::string name) override;
  rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                          std::uint64_t length) override;
  rt::Task<Result<ObjectInfo>> head(std::string name) override;
  rt::Task<Result<Page>> list(std::string prefix, std::string continuation) override;
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) override;
  std::string describe() const override { return inner_.describe(); }

 private:
  /// `start` makes the request anew for each attempt.
  template <class T>
  rt::Task<Result<T>> repeat(std::move_only_function<rt::Task<Result<T>>()> start);
  bool may_retry(const Error& error, int attempt);
  Duration pause(int attempt);

  ObjectStore& inner_;
  rt::Loop& loop_;
  rt::Random& random_;
  int tokens_ = kRetryBudgetTokensMax;
};

}  // namespace weir::objstore
