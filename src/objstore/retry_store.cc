#include "objstore/retry_store.h"

#include <algorithm>

#include "base/narrow.h"
#include "objstore/decorator_impl.h"

namespace weir::objstore {
namespace {

bool is_passing(Verb verb, const Error& error) {
  if (error.is(ErrorCode::unavailable)) return true;
  if (is_conditional(verb)) return false;
  return error.is(ErrorCode::timed_out) || error.is(ErrorCode::unknown_outcome) ||
         error.is(ErrorCode::closed);
}

}  // namespace

Duration RetryStore::pause(int attempt) {
  Duration whole = std::min(kRetryPauseFirst * (1 << (attempt - 1)), kRetryPauseMax);
  return Duration(narrow<std::int64_t>(random_.below(narrow<std::uint64_t>(whole.count()) + 1)));
}

template <class T>
rt::Task<Result<T>> RetryStore::around(Request request) {
  const RetryLaw& law = is_conditional(request.verb) ? kRetryConditional : kRetryOthers;
  MonoTime deadline = loop_.now() + law.deadline;
  for (int attempt = 1;; ++attempt) {
    Result<T> result = co_await send<T>(inner(), request);
    if (result) budget_.earn();
    if (result || !is_passing(request.verb, result.error()) || attempt >= law.attempts_max)
      co_return result;
    MonoTime next = loop_.now() + pause(attempt);
    if (next >= deadline || !budget_.spend()) co_return result;
    co_await rt::sleep_until(loop_, next);
  }
}

template class Decorator<RetryStore>;

}  // namespace weir::objstore
