// Bytes: views of memory, and shared immutable buffers that travel from the socket to the store
// uncopied.
//
// A record batch is read from a socket once. After that, the flush buffer, the segment upload, the
// cache and the fetch response all name the same memory through `SharedBytes`. The memory is freed,
// and its reservation given back to its pool, when the last of them is gone. Reference counts are
// atomic, because buffers cross threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ensure.h"

namespace weir {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

inline Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class MemoryPool;

/// A reference-counted block of memory. Mutable through the one who made it, until it is shared.
class Buffer {
 public:
  Buffer() = default;
  /// `size` bytes, not initialised. If `pool` is given, `size` bytes of it must already be
  /// reserved; they are released when the block is freed. `pool` must outlive the block.
  static Buffer make(std::size_t size, MemoryPool* pool = nullptr);
  static Buffer copy_of(Bytes bytes);

  Buffer(const Buffer& other) noexcept : block_(other.block_) { retain(); }
  Buffer(Buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Buffer() { release(); }

  std::size_t size() const { return block_ ? block_->size : 0; }
  bool empty() const { return size() == 0; }
  /// Counts this block against `pool` from now on instead of the pool that it came from, even above
  /// the pool's limit (who moves memory then makes room). One thread moves a given block.
  void move_to(MemoryPool& pool) const;
  /// Writing is allowed to the owner of a stage of the path only (reading a socket in, stamping
  /// offsets once).
  MutableBytes data() const {
    return block_ ? MutableBytes(payload(block_), block_->size) : MutableBytes();
  }

 private:
  struct Block {
    std::atomic<std::uint32_t> references{1};
    std::size_t size = 0;
    std::atomic<MemoryPool*> pool{nullptr};
  };
  explicit Buffer(Block* block) : block_(block) {}
  static std::byte* payload(Block* block) { return reinterpret_cast<std::byte*>(block + 1); }
  void retain() const {
    if (block_) block_->references.fetch_add(1, std::memory_order_relaxed);
  }
  void release();

  Block* block_ = nullptr;
};

/// A slice of a Buffer that keeps it alive.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(Buffer buffer)  // NOLINT(google-explicit-constructor): the whole of it
      : buffer_(std::move(buffer)), view_(buffer_.data()) {}
  static SharedBytes copy_of(Bytes bytes) { return Buffer::copy_of(bytes); }

  Bytes view() const { return view_; }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  void move_to(MemoryPool& pool) const { buffer_.move_to(pool); }
  /// For the one stage that stamps offsets into a batch header; see docs/life-of-a-record.md.
  MutableBytes mutable_view() const { return view_; }

  /// `length` bytes from `offset`; must lie inside.
  SharedBytes slice(std::size_t offset, std::size_t length) const {
    ENSURE(offset <= view_.size());
    ENSURE(length <= view_.size() - offset);
    SharedBytes out;
    out.buffer_ = buffer_;
    out.view_ = view_.subspan(offset, length);
    return out;
  }

  /// By content.
  friend bool operator==(const SharedBytes& a, const SharedBytes& b) {
    return as_text(a.view()) == as_text(b.view());
  }

 private:
  Buffer buffer_;
  MutableBytes view_;
};

/// Several slices that together are one byte string: what is written with one scatter/gather call.
class BytesChain {
 public:
  BytesChain() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a chain of one.
  BytesChain(SharedBytes bytes) { append(std::move(bytes)); }

  void append(SharedBytes bytes) {
    if (bytes.empty()) return;
    size_ += bytes.size();
    parts_.push_back(std::move(bytes));
  }
  void append(const BytesChain& other) {
    for (const SharedBytes& part : other.parts_) append(part);
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::vector<SharedBytes>& parts() const { return parts_; }
  std::vector<Bytes> views() const;
  /// One contiguous piece; copies unless there is a single part. For small things and tests.
  SharedBytes flatten() const;

  /// By content, however it is cut into parts. May copy: for tests and small things.
  friend bool operator==(const BytesChain& a, const BytesChain& b) {
    return a.size_ == b.size_ && a.flatten() == b.flatten();
  }

 private:
  std::vector<SharedBytes> parts_;
  std::size_t size_ = 0;
};

/// Lower-case hexadecimal, for names and logs.
std::string to_hex(Bytes bytes);

}  // namespace weir
