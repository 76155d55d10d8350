#include "state/testing/fix_checksums.h"

#include <cstring>
#include <string_view>

#include "codec/crc32c.h"

namespace weir::state::testing {
namespace {

template <class T>
T get(MutableBytes bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.subspan(at, sizeof(T)).data(), sizeof(T));
  return value;
}
template <class T>
void put(MutableBytes bytes, std::size_t at, T value) {
  std::memcpy(bytes.subspan(at, sizeof(T)).data(), &value, sizeof(T));
}

/// Where the sections' table and the fields of one section are.
struct Layout {
  std::size_t table = 0;
  std::size_t section_bytes = 0;
  std::size_t size_at = 0;
  std::size_t size_bytes = 0;
  std::size_t crc_at = 0;
};

void fix(MutableBytes bytes, std::string_view magic, std::uint32_t sections, Layout layout) {
  std::size_t header_bytes = layout.table + sections * layout.section_bytes + 4;
  if (header_bytes > bytes.size() || header_bytes > 0xffff) return;
  std::memcpy(bytes.data(), magic.data(), magic.size());
  put<std::uint16_t>(bytes, 8, 1);
  put(bytes, 10, static_cast<std::uint16_t>(header_bytes));
  std::uint64_t offset = header_bytes;
  for (std::uint32_t i = 0; i < sections; ++i) {
    std::size_t at = layout.table + i * layout.section_bytes;
    std::uint64_t size = layout.size_bytes == 8 ? get<std::uint64_t>(bytes, at + layout.size_at)
                                                : get<std::uint32_t>(bytes, at + layout.size_at);
    if (size > bytes.size() - offset) break;
    put(bytes, at + layout.crc_at, codec::crc32c(Bytes(bytes).subspan(offset, size)));
    offset += size;
  }
  put(bytes, header_bytes - 4, codec::crc32c(Bytes(bytes).first(header_bytes - 4)));
}

}  // namespace

void fix_entry(MutableBytes entry) {
  if (entry.size() < 108) return;
  put<std::uint64_t>(entry, 14, 0);  // flags, shard and half of the key id
  put<std::uint16_t>(entry, 22, 0);
  auto sections = get<std::uint32_t>(entry, 104) % 4;
  put(entry, 104, sections);
  fix(entry, "WEIRLOG1", sections,
      {.table = 108, .section_bytes = 16, .size_at = 4, .size_bytes = 4, .crc_at = 12});
}

void fix_snapshot(MutableBytes snapshot) {
  if (snapshot.size() < 72) return;
  auto sections = get<std::uint32_t>(snapshot, 64) % 16;
  put(snapshot, 64, sections);
  auto cluster_id_bytes = static_cast<std::uint16_t>(get<std::uint16_t>(snapshot, 68) % 64);
  put(snapshot, 68, cluster_id_bytes);
  fix(snapshot, "WEIRSNP1", sections,
      {.table = 72u + cluster_id_bytes,
       .section_bytes = 24,
       .size_at = 12,
       .size_bytes = 8,
       .crc_at = 20});
}

}  // namespace weir::state::testing
