#include "base/memory_pool.h"

#include "base/ensure.h"

namespace weir {

bool MemoryPool::try_reserve(std::size_t bytes) {
  std::size_t used = used_.load(std::memory_order_relaxed);
  for (;;) {
    bool fits = bytes <= bytes_max_ - (used < bytes_max_ ? used : bytes_max_);
    if (!fits && used != 0) return false;
    if (used_.compare_exchange_weak(used, used + bytes, std::memory_order_acq_rel)) return true;
  }
}

void MemoryPool::release(std::size_t bytes) {
  std::size_t before = used_.fetch_sub(bytes, std::memory_order_acq_rel);
  ENSURE(before >= bytes);
  if (listener_) listener_->on_release();
}

}  // namespace weir
