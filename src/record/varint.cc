#include "record/varint.h"

#include <limits>

namespace weir::record {
namespace {

constexpr std::size_t kVarlongBytesMax = 10;

std::int64_t unzigzag(std::uint64_t bits) {
  return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
}

}  // namespace

bool Cursor::read_byte(std::int8_t& value) {
  if (rest_.empty()) return false;
  value = std::to_integer<std::int8_t>(rest_.front());
  rest_ = rest_.subspan(1);
  return true;
}

bool Cursor::read_varlong(std::int64_t& value) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kVarlongBytesMax && i < rest_.size(); ++i) {
    auto byte = std::to_integer<std::uint64_t>(rest_[i]);
    // The tenth byte holds the one bit that is left of 64.
    if (i == kVarlongBytesMax - 1 && byte > 1) return false;
    bits |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      value = unzigzag(bits);
      rest_ = rest_.subspan(i + 1);
      return true;
    }
  }
  return false;
}

bool Cursor::read_varint(std::int32_t& value) {
  std::int64_t wide = 0;
  if (!read_varlong(wide)) return false;
  if (wide < std::numeric_limits<std::int32_t>::min() ||
      wide > std::numeric_limits<std::int32_t>::max())
    return false;
  value = static_cast<std::int32_t>(wide);
  return true;
}

bool Cursor::take(std::size_t size, Bytes& bytes) {
  if (size > rest_.size()) return false;
  bytes = rest_.first(size);
  rest_ = rest_.subspan(size);
  return true;
}

std::size_t varint_size(std::int64_t value) {
  std::size_t size = 1;
  for (std::uint64_t bits = zigzag(value); bits >= 0x80; bits >>= 7) ++size;
  return size;
}

void append_varint(std::vector<std::byte>& out, std::int64_t value) {
  std::uint64_t bits = zigzag(value);
  for (; bits >= 0x80; bits >>= 7) out.push_back(static_cast<std::byte>(bits | 0x80));
  out.push_back(static_cast<std::byte>(bits));
}

}  // namespace weir::record
