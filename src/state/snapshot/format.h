// The frame of a snapshot: header and section table (docs/formats/snapshot.md).
#pragma once

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
};
inline constexpr std::uint16_t kSectionKindLast = 13;
/// Sections up to this kind are written even where they are empty.
inline constexpr std::uint16_t kSectionKindAlways = 9;

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
