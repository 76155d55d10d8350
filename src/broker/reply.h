// Reply: how a handler ends a request.
#pragma once

#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/memory_pool.h"

namespace weir::broker {

/// Bytes taken from a pool, given back when this dies.
class PoolHold {
 public:
  PoolHold() = default;
  /// `bytes` of `pool` are reserved already.
  PoolHold(MemoryPool& pool, std::size_t bytes) : pool_(&pool), bytes_(bytes) {}
  PoolHold(PoolHold&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PoolHold& operator=(PoolHold other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  bool empty() const { return pool_ == nullptr; }
  /// `bytes` more, reserved already of the one pool that this is of.
  void add(MemoryPool& pool, std::size_t bytes) {
    pool_ = &pool;
    bytes_ += bytes;
  }
  ~PoolHold() {
    if (pool_ != nullptr) pool_->release(bytes_);
  }

 private:
  MemoryPool* pool_ = nullptr;
  std::size_t bytes_ = 0;
};

struct Reply {
  enum class Kind : unsigned char {
    frame,   // `frame` is written in its turn
    silent,  // acks=0: nothing is written
    close,   // after what is before it: the connection is closed, with `why` as its log line
  };
  Kind kind = Kind::silent;
  /// Length word, response header and body.
  BytesChain frame;
  std::string why;
  /// What the frame costs of the pool *out*, until it is written.
  PoolHold hold;

  static Reply of(BytesChain bytes) { return {.kind = Kind::frame, .frame = std::move(bytes)}; }
  static Reply silent() { return {}; }
  static Reply close(std::string reason) { return {.kind = Kind::close, .why = std::move(reason)}; }
};

}  // namespace weir::broker
