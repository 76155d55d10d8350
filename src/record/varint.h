// Zigzag varints, and a cursor that reads them and byte strings without ever leaving its bytes.
//
// Kafka's records use the signed ("zigzag") encoding: 0, -1, 1, -2 become 0, 1, 2, 3; seven bits to
// a byte, lowest first. Longer encodings than needed are accepted, as Java does; values that do not
// fit are not.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace weir::record {

/// Every read returns false, and leaves the cursor unusable, if the bytes end or do not parse.
class Cursor {
 public:
  explicit Cursor(Bytes bytes) : rest_(bytes) {}

  std::size_t remaining() const { return rest_.size(); }
  [[nodiscard]] bool read_byte(std::int8_t& value);
  [[nodiscard]] bool read_varint(std::int32_t& value);
  [[nodiscard]] bool read_varlong(std::int64_t& value);
  [[nodiscard]] bool take(std::size_t size, Bytes& bytes);

 private:
  Bytes rest_;
};

inline std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

std::size_t varint_size(std::int64_t value);
/// One function for both widths: the encodings agree where the values do.
void append_varint(std::vector<std::byte>& out, std::int64_t value);

}  // namespace weir::record
