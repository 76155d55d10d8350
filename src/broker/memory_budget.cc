#include "broker/memory_budget.h"

namespace weir::broker {

rt::Task<bool> SharedPool::reserve(rt::Loop& lane, std::size_t bytes, MonoTime deadline) {
  // Who comes while others wait goes behind them, so a large request is not starved by small ones.
  if (try_reserve(bytes)) co_return true;
  waiting_.fetch_add(1, std::memory_order_relaxed);
  co_await rt::resume_on(loop_);
  const bool reserved = co_await gate_.reserve(bytes, deadline);
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  co_await rt::resume_on(lane);
  co_return reserved;
}

}  // namespace weir::broker
