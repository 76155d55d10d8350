// Varints in plain memory: seven bits a byte, lowest first, as everywhere in weir and Kafka.
//
// For the compact encodings of this layer (spans in memory, span columns, entry groups). Messages
// and commands use serial::Reader and Writer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace weir::state {

inline constexpr std::size_t kVarintBytesMax = 10;

inline std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
}
/// Differences that wrap instead of overflowing, so that any two values have one.
inline std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Writes at `at`, which has room for kVarintBytesMax bytes, and advances it.
inline void put_varint(MutableBytes out, std::size_t& at, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out[at++] = static_cast<std::byte>(value | 0x80);
  out[at++] = static_cast<std::byte>(value);
}
inline void append_varint(std::vector<std::byte>& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

/// Reads what a peer may have written: checked, and false for ever after the first problem.
class VarintReader {
 public:
  explicit VarintReader(Bytes bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  std::size_t at() const { return at_; }
  std::size_t remaining() const { return bytes_.size() - at_; }

  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ >= bytes_.size()) return fail();
      auto byte = std::to_integer<std::uint64_t>(bytes_[at_++]);
      if (shift == 63 && byte > 1) return fail();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return fail();
  }
  /// As next(), refusing values above `max`.
  std::uint64_t next_at_most(std::uint64_t max) {
    std::uint64_t value = next();
    return value <= max ? value : fail();
  }
  Bytes take(std::size_t size) {
    if (size > remaining()) {
      fail();
      return {};
    }
    at_ += size;
    return bytes_.subspan(at_ - size, size);
  }

 private:
  std::uint64_t fail() {
    ok_ = false;
    at_ = bytes_.size();
    return 0;
  }

  Bytes bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace weir::state
