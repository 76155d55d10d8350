#include "commitlog/file_frame.h"

#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/narrow.h"
#include "codec/crc32c.h"
#include "commitlog/limits.h"

namespace weir::commitlog {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are stored as they are in memory");

constexpr std::string_view kMagic = "wFL1";

// Places in the header.
constexpr std::size_t kKindAt = 4;
constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kCrcAt = 12;
constexpr std::size_t kPositionAt = 16;
constexpr std::size_t kDurableEndAt = 24;
constexpr std::size_t kSaltAt = 32;

template <class T>
void store(MutableBytes into, std::size_t at, T value) {
  std::memcpy(into.subspan(at, sizeof(T)).data(), &value, sizeof(T));
}

template <class T>
T load(Bytes from, std::size_t at) {
  T value;
  std::memcpy(&value, from.subspan(at, sizeof(T)).data(), sizeof(T));
  return value;
}

std::uint32_t header_crc(Bytes header) {
  return codec::crc32c(header.subspan(kPositionAt), codec::crc32c(header.first(kCrcAt)));
}

}  // namespace

FrameHeaderBytes encode_frame_header(FrameHeader header, const BytesChain& payload) {
  FrameHeaderBytes bytes{};
  MutableBytes into(bytes);
  std::memcpy(into.data(), kMagic.data(), kMagic.size());
  store(into, kKindAt, static_cast<std::uint8_t>(header.kind));
  store(into, kLengthAt, narrow<std::uint32_t>(payload.size()));
  store(into, kPositionAt, header.position.value);
  store(into, kDurableEndAt, header.durable_end);
  store(into, kSaltAt, header.salt.value);
  store(into, kCrcAt, codec::crc32c(payload, header_crc(into)));
  return bytes;
}

ParsedFrame parse_frame_header(Bytes bytes) {
  ParsedFrame parsed;
  std::size_t seen = bytes.size() < kMagic.size() ? bytes.size() : kMagic.size();
  if (as_text(bytes.first(seen)) != kMagic.substr(0, seen)) return parsed;
  if (bytes.size() < kFrameHeaderBytes) {
    parsed.state = FrameState::cut_off;
    return parsed;
  }
  auto kind = load<std::uint8_t>(bytes, kKindAt);
  bool known = kind == static_cast<std::uint8_t>(FrameKind::entry) ||
               kind == static_cast<std::uint8_t>(FrameKind::seal);
  for (std::size_t at = kKindAt + 1; at < kLengthAt; ++at) known &= bytes[at] == std::byte{0};
  parsed.header.length = load<std::uint32_t>(bytes, kLengthAt);
  if (!known || parsed.header.length > kEntryBytesMax) return parsed;
  parsed.header.kind = static_cast<FrameKind>(kind);
  parsed.header.crc = load<std::uint32_t>(bytes, kCrcAt);
  parsed.header.position = Position(load<std::uint64_t>(bytes, kPositionAt));
  parsed.header.durable_end = load<std::uint64_t>(bytes, kDurableEndAt);
  parsed.header.salt = SegmentSalt(load<std::uint64_t>(bytes, kSaltAt));
  parsed.state = FrameState::whole;
  return parsed;
}

ParsedFrame parse_frame(Bytes bytes) {
  ParsedFrame parsed = parse_frame_header(bytes);
  if (parsed.state != FrameState::whole) return parsed;
  if (bytes.size() < parsed.header.frame_bytes()) {
    parsed.state = FrameState::cut_off;
    return parsed;
  }
  Bytes payload = bytes.subspan(kFrameHeaderBytes, parsed.header.length);
  if (codec::crc32c(payload, header_crc(bytes.first(kFrameHeaderBytes))) != parsed.header.crc) {
    parsed.state = FrameState::bad;
    return parsed;
  }
  parsed.payload = payload;
  return parsed;
}

bool later_frame_vouches(Bytes rest, const TailDamage& damage) {
  std::string_view text = as_text(rest);
  for (std::size_t at = text.find(kMagic, 1); at != std::string_view::npos;
       at = text.find(kMagic, at + 1)) {
    // The cheap questions first: each checksum runs over as many bytes as the header claims.
    ParsedFrame parsed = parse_frame_header(rest.subspan(at));
    if (parsed.state != FrameState::whole || parsed.header.durable_end <= damage.offset) continue;
    if (damage.salt_known && parsed.header.salt != damage.salt) continue;
    if (parsed.header.position <= damage.expected) continue;
    if (parse_frame(rest.subspan(at)).state == FrameState::whole) return true;
  }
  return false;
}

}  // namespace weir::commitlog
