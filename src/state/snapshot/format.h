// The frame of a snapshot: header and section table (docs/formats/snapshot.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "state/snapshot/snapshot.h"

namespace weir::state {

/// Contracts, never renumbered. Sections of other kinds are kept as they are.
enum class SectionKind : std::uint16_t {
  meta = 1,
  brokers = 2,
  broker_configs = 3,
  topics = 4,
  segments = 5,
  inline_chunks = 6,
  partitions = 7,
  producers = 8,
  sequences = 9,
  resource_configs = 10,
  groups = 11,
  group_members = 12,
  group_offsets = 13,
  final_segments = 50,
  clock = 51,
  digest_votes = 52,
  compacted = 53,
};
/// In the order in which they are written.
inline constexpr std::array kSectionKinds = {
    SectionKind::meta,           SectionKind::brokers,
    SectionKind::broker_configs, SectionKind::topics,
    SectionKind::segments,       SectionKind::inline_chunks,
    SectionKind::partitions,     SectionKind::producers,
    SectionKind::sequences,      SectionKind::resource_configs,
    SectionKind::groups,         SectionKind::group_members,
    SectionKind::group_offsets,  SectionKind::final_segments,
    SectionKind::clock,          SectionKind::digest_votes,
    SectionKind::compacted,
};
/// The first kinds are written even if they are empty.
inline bool always_written(SectionKind kind) { return kind <= SectionKind::sequences; }
inline bool is_known_section(std::uint16_t kind) {
  return std::find(kSectionKinds.begin(), kSectionKinds.end(), static_cast<SectionKind>(kind)) !=
         kSectionKinds.end();
}

struct SnapshotSection {
  std::uint16_t kind = 0;
  /// Units inside.
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
  /// In the snapshot; not stored, for sections follow each other.
  std::uint64_t offset = 0;
};

struct SnapshotHeader {
  SnapshotInfo info;
  std::vector<SnapshotSection> sections;
};

SharedBytes encode_snapshot_header(const SnapshotHeader& header);
/// Checks the header's checksum and that the sections lie inside of `bytes`, not their contents.
Result<SnapshotHeader> decode_snapshot_header(Bytes bytes);

}  // namespace weir::state
