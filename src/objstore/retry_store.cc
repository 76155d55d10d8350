#include "objstore/retry_store.h"

#include <algorithm>

#include "base/narrow.h"

namespace weir::objstore {

bool RetryStore::may_retry(const Error& error, int attempt) {
  bool passing = error.is(ErrorCode::unavailable) || error.is(ErrorCode::timed_out) ||
                 error.is(ErrorCode::unknown_outcome);
  if (!passing || attempt >= kRetryAttemptsMax || tokens_ < kRetryTokensPerRetry) return false;
  tokens_ -= kRetryTokensPerRetry;
  return true;
}

Duration RetryStore::pause(int attempt) {
  Duration whole = std::min(kRetryPauseFirst * (1 << (attempt - 1)), kRetryPauseMax);
  std::uint64_t half = narrow<std::uint64_t>(whole.count()) / 2;
  return Duration(narrow<std::int64_t>(half + random_.below(half + 1)));
}

template <class T>
rt::Task<Result<T>> RetryStore::repeat(std::move_only_function<rt::Task<Result<T>>()> start) {
  for (int attempt = 1;; ++attempt) {
    Result<T> result = co_await start();
    if (result) tokens_ = std::min(tokens_ + 1, kRetryBudgetTokensMax);
    if (result || !may_retry(result.error(), attempt)) co_return result;
    co_await rt::sleep_for(loop_, pause(attempt));
  }
}

rt::Task<Result<std::string>> RetryStore::put(std::string name, BytesChain body) {
  return repeat<std::string>(
      [this, name = std::move(name), body = std::move(body)] { return inner_.put(name, body); });
}

rt::Task<Result<std::string>> RetryStore::put_if_absent(std::string name, BytesChain body) {
  return inner_.put_if_absent(std::move(name), std::move(body));
}

rt::Task<Result<std::string>> RetryStore::put_if_match(std::string name, BytesChain body,
                                                       std::string etag) {
  return inner_.put_if_match(std::move(name), std::move(body), std::move(etag));
}

rt::Task<Result<SharedBytes>> RetryStore::get(std::string name) {
  return repeat<SharedBytes>([this, name = std::move(name)] { return inner_.get(name); });
}

rt::Task<Result<SharedBytes>> RetryStore::get_range(std::string name, std::uint64_t offset,
                                                    std::uint64_t length) {
  return repeat<SharedBytes>([this, name = std::move(name), offset, length] {
    return inner_.get_range(name, offset, length);
  });
}

rt::Task<Result<ObjectInfo>> RetryStore::head(std::string name) {
  return repeat<ObjectInfo>([this, name = std::move(name)] { return inner_.head(name); });
}

rt::Task<Result<ObjectStore::Page>> RetryStore::list(std::string prefix, std::string continuation) {
  return repeat<Page>([this, prefix = std::move(prefix), continuation = std::move(continuation)] {
    return inner_.list(prefix, continuation);
  });
}

rt::Task<Result<ObjectStore::RemoveFailures>> RetryStore::remove(std::vector<std::string> names) {
  return repeat<RemoveFailures>([this, names = std::move(names)] { return inner_.remove(names); });
}

}  // namespace weir::objstore
