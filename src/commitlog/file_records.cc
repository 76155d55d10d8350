#include "commitlog/file_records.h"

#include <cstring>
#include <string_view>

#include "codec/crc32c.h"

namespace weir::commitlog {
namespace {

constexpr std::string_view kMarkMagic = "wFM1";
constexpr std::string_view kFloorMagic = "wFF1";
constexpr std::size_t kCrcAt = 4;
constexpr std::size_t kNumbersAt = 8;
using Numbers = std::array<std::uint64_t, 3>;

RecordBytes encode(std::string_view magic, const Numbers& numbers) {
  RecordBytes bytes{};
  MutableBytes into(bytes);
  std::memcpy(into.data(), magic.data(), magic.size());
  std::memcpy(into.subspan(kNumbersAt).data(), numbers.data(), sizeof numbers);
  std::uint32_t crc = codec::crc32c(into.subspan(kNumbersAt), codec::crc32c(into.first(kCrcAt)));
  std::memcpy(into.subspan(kCrcAt, sizeof crc).data(), &crc, sizeof crc);
  return bytes;
}

std::optional<Numbers> decode(std::string_view magic, Bytes bytes) {
  if (bytes.size() != kRecordBytes || as_text(bytes.first(magic.size())) != magic)
    return std::nullopt;
  std::uint32_t crc = 0;
  std::memcpy(&crc, bytes.subspan(kCrcAt, sizeof crc).data(), sizeof crc);
  if (codec::crc32c(bytes.subspan(kNumbersAt), codec::crc32c(bytes.first(kCrcAt))) != crc)
    return std::nullopt;
  Numbers numbers;
  std::memcpy(numbers.data(), bytes.subspan(kNumbersAt).data(), sizeof numbers);
  return numbers;
}

}  // namespace

RecordBytes encode_mark(const Mark& mark) {
  return encode(kMarkMagic, {mark.segment.value, mark.salt.value, mark.durable_end});
}

std::optional<Mark> decode_mark(Bytes bytes) {
  std::optional<Numbers> numbers = decode(kMarkMagic, bytes);
  if (!numbers) return std::nullopt;
  return Mark{Position((*numbers)[0]), SegmentSalt((*numbers)[1]), (*numbers)[2]};
}

RecordBytes encode_floor(Position floor) { return encode(kFloorMagic, {floor.value, 0, 0}); }

std::optional<Position> decode_floor(Bytes bytes) {
  std::optional<Numbers> numbers = decode(kFloorMagic, bytes);
  if (!numbers) return std::nullopt;
  return Position((*numbers)[0]);
}

}  // namespace weir::commitlog
