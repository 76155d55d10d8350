#include "state/snapshot/format.h"

#include "base/narrow.h"
#include "codec/crc32c.h"
#include "state/limits.h"
#include "state/little_endian.h"

namespace weir::state {
namespace {

constexpr std::string_view kMagic = "WEIRSNP1";
constexpr std::uint16_t kFormat = 1;
constexpr std::uint16_t kCodecNone = 0;
/// Before the cluster id.
constexpr std::size_t kFixedBytes = 72;
constexpr std::size_t kSectionBytes = 24;
constexpr std::size_t kCrcBytes = 4;

std::unexpected<Error> corrupt(std::string_view what) {
  return fail(ErrorCode::corrupt, "snapshot: " + std::string(what));
}

/// The section table, whose sections must lie in `bytes`.
Result<void> read_sections(LittleEndianReader& in, std::size_t header_bytes, Bytes bytes,
                           std::vector<SnapshotSection>& sections) {
  std::uint64_t offset = header_bytes;
  for (SnapshotSection& section : sections) {
    section.kind = in.get<std::uint16_t>();
    if (in.get<std::uint16_t>() != kCodecNone)
      return fail(ErrorCode::unsupported, "snapshot with a codec of a later program");
    section.count = in.get<std::uint64_t>();
    section.bytes = in.get<std::uint64_t>();
    section.crc = in.get<std::uint32_t>();
    section.offset = offset;
    if (section.bytes > bytes.size() - offset) return corrupt("shorter than its sections");
    if (section.count > section.bytes) return corrupt("a section claims more units than bytes");
    offset += section.bytes;
  }
  if (offset != bytes.size()) return corrupt("longer than its sections");
  return {};
}

}  // namespace

SharedBytes encode_snapshot_header(const SnapshotHeader& header) {
  const SnapshotInfo& info = header.info;
  std::size_t size =
      kFixedBytes + info.cluster_id.size() + header.sections.size() * kSectionBytes + kCrcBytes;
  Buffer buffer = Buffer::make(size);
  LittleEndianWriter out(buffer.data());
  out.put(as_bytes(kMagic));
  out.put(kFormat);
  out.put(narrow<std::uint16_t>(size));
  out.put(info.level.value);
  out.put(std::uint16_t{0});  // flags
  out.put(std::uint32_t{0});  // shard
  out.put(std::uint32_t{0});  // key id
  out.put(info.position.value);
  out.put(info.nonce.view());
  out.put(info.digest.low);
  out.put(info.digest.high);
  out.put(narrow<std::uint32_t>(header.sections.size()));
  out.put(narrow<std::uint16_t>(info.cluster_id.size()));
  out.put(std::uint16_t{0});  // reserved
  out.put(as_bytes(info.cluster_id));
  for (const SnapshotSection& section : header.sections) {
    out.put(section.kind);
    out.put(kCodecNone);
    out.put(section.count);
    out.put(section.bytes);
    out.put(section.crc);
  }
  out.put(codec::crc32c(Bytes(buffer.data()).first(out.size())));
  return buffer;
}

Result<SnapshotHeader> decode_snapshot_header(Bytes bytes) {
  if (bytes.size() < kFixedBytes + kCrcBytes) return corrupt("shorter than its header");
  LittleEndianReader in(bytes);
  if (as_text(in.take(8)) != kMagic) return corrupt("wrong magic");
  auto format = in.get<std::uint16_t>();
  auto header_bytes = in.get<std::uint16_t>();
  if (header_bytes < kFixedBytes + kCrcBytes || header_bytes > bytes.size())
    return corrupt("shorter than its header");
  auto crc = LittleEndianReader(bytes.subspan(header_bytes - kCrcBytes)).get<std::uint32_t>();
  if (codec::crc32c(bytes.first(header_bytes - kCrcBytes)) != crc)
    return corrupt("the header's checksum does not match");
  if (format != kFormat)
    return fail(ErrorCode::unsupported, "snapshot of format " + std::to_string(format));
  SnapshotHeader header;
  header.info.level = FeatureLevel(in.get<std::uint16_t>());
  auto flags = in.get<std::uint16_t>();
  auto shard = in.get<std::uint32_t>();
  auto key = in.get<std::uint32_t>();
  if (flags != 0 || shard != 0 || key != 0)
    return fail(ErrorCode::unsupported, "snapshot with flags, shard or key of a later program");
  header.info.position = Position(in.get<std::uint64_t>());
  header.info.nonce = Nonce::from_bytes(in.take(16));
  header.info.digest.low = in.get<std::uint64_t>();
  header.info.digest.high = in.get<std::uint64_t>();
  auto section_count = in.get<std::uint32_t>();
  auto cluster_id_bytes = in.get<std::uint16_t>();
  in.get<std::uint16_t>();
  if (section_count > kSnapshotSectionsMax ||
      kFixedBytes + cluster_id_bytes + section_count * kSectionBytes + kCrcBytes > header_bytes) {
    return corrupt("its section table does not fit its header");
  }
  header.info.cluster_id = as_text(in.take(cluster_id_bytes));
  header.sections.resize(section_count);
  WEIR_TRY(read_sections(in, header_bytes, bytes, header.sections));
  return header;
}

Result<SnapshotInfo> read_snapshot_info(const SharedBytes& bytes) {
  Result<SnapshotHeader> header = decode_snapshot_header(bytes.view());
  if (!header) return std::unexpected(header.error());
  return header->info;
}

}  // namespace weir::state
