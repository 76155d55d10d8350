// MemoryPool: a budget of bytes, so that no sum of clients can make the broker grow without bound.
//
// A pool counts; it does not hold memory. Bytes are reserved before memory is allocated and
// released when it is freed (`Buffer` does that itself). Thread-safe. Waiting for room is the
// business of `rt::PoolGate`, which the pool tells of each release.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

namespace weir {

class MemoryPool {
 public:
  MemoryPool(std::string name, std::size_t bytes_max)
      : name_(std::move(name)), bytes_max_(bytes_max) {}
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// Takes `bytes` if they fit. A request that alone exceeds the pool fits an empty pool, so that
  /// one maximal request can always be served.
  bool try_reserve(std::size_t bytes);
  /// For memory that is already there and changes pools; the caller makes room afterwards.
  void reserve_above_limit(std::size_t bytes) { used_.fetch_add(bytes, std::memory_order_acq_rel); }
  void release(std::size_t bytes);

  const std::string& name() const { return name_; }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::size_t bytes_max() const { return bytes_max_; }

  /// Told after each release; may be called on any thread. Set before the pool is shared.
  struct Listener {
    virtual ~Listener() = default;
    virtual void on_release() = 0;
  };
  void set_listener(Listener* listener) { listener_ = listener; }

 private:
  std::string name_;
  std::size_t bytes_max_;
  std::atomic<std::size_t> used_{0};
  Listener* listener_ = nullptr;
};

}  // namespace weir
