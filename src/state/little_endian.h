// Little-endian fields of our own headers (entries, snapshots), in memory of known size.
//
// Both abort outside of their memory: whoever reads a file checks the length of the header first.
#pragma once

#include <bit>
#include <concepts>
#include <cstring>

#include "base/bytes.h"

namespace weir::state {

class LittleEndianWriter {
 public:
  explicit LittleEndianWriter(MutableBytes out) : out_(out) {}

  template <std::unsigned_integral T>
  void put(T value) {
    if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
    put(std::as_bytes(std::span(&value, 1)));
  }
  void put(Bytes bytes) {
    ENSURE(bytes.size() <= out_.size() - size_);
    if (!bytes.empty()) std::memcpy(out_.subspan(size_).data(), bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  std::size_t size() const { return size_; }

 private:
  MutableBytes out_;
  std::size_t size_ = 0;
};

class LittleEndianReader {
 public:
  explicit LittleEndianReader(Bytes in) : in_(in) {}

  template <std::unsigned_integral T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return std::endian::native == std::endian::big ? std::byteswap(value) : value;
  }
  Bytes take(std::size_t size) {
    ENSURE(size <= in_.size() - at_);
    at_ += size;
    return in_.subspan(at_ - size, size);
  }
  std::size_t at() const { return at_; }

 private:
  Bytes in_;
  std::size_t at_ = 0;
};

}  // namespace weir::state
