// Segment: the format of a data object. docs/formats/segment.md is the page, segment_golden_test
// the proof.
//
//   [header 64 bytes][region …][footer][trailer 24 bytes]
//
// A region is whole record batches of one partition, as received. The footer names every region
// with its checksum, so a bucket can be audited without the log; the log is what gives L0 regions
// their offsets. Regions of a merge say theirs themselves (final_region.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"
#include "engine/final_region.h"
#include "state/state.h"

namespace weir::engine {

inline constexpr std::size_t kSegmentHeaderBytes = 64;
inline constexpr std::size_t kSegmentTrailerBytes = 24;

struct SegmentHeader {
  Hash128 cluster_tag;
  std::uint32_t shard = 0;
  Incarnation writer;
  FeatureLevel level;

  friend bool operator==(const SegmentHeader&, const SegmentHeader&) = default;
};

enum class RegionTransform : std::uint8_t { none = 0, zstd = 1, sealed = 2 };

/// One region as the footer describes it.
struct SegmentRegion {
  state::PartitionRef at;
  std::string topic_name;
  std::uint64_t first_byte = 0;
  std::uint32_t stored_bytes = 0;
  std::uint32_t raw_bytes = 0;
  RegionTransform transform = RegionTransform::none;
  std::uint32_t crc32c = 0;
  std::int64_t records = 0;
  std::int32_t batches = 0;
  std::int64_t min_timestamp_ms = -1;
  std::int64_t max_timestamp_ms = -1;
  std::optional<state::ProducerRun> run;
  /// Of a region that a merge or a compaction wrote; `records` then counts the offsets covered.
  std::optional<FinalRegion> final_region;

  friend bool operator==(const SegmentRegion&, const SegmentRegion&) = default;
};

/// `data`: the regions back to back, by reference. `regions` in that order, with their checksums;
/// their `first_byte` is computed here.
BytesChain encode_segment(const SegmentHeader& header, std::vector<SegmentRegion> regions,
                          const BytesChain& data);

struct SegmentView {
  SegmentHeader header;
  std::vector<SegmentRegion> regions;
};

/// Reads header, footer and trailer of a whole segment and checks that the regions fill what lies
/// between; checks no region's bytes. Errors: corrupt, unsupported.
Result<SegmentView> decode_segment(Bytes segment);
/// The same from its ends alone: the header's bytes, and the footer with the trailer.
Result<SegmentView> decode_segment_ends(Bytes header, Bytes footer_and_trailer,
                                        std::uint64_t segment_bytes);
/// The regions alone, from the footer with the trailer; the view has no header.
Result<SegmentView> decode_segment_footer(Bytes footer_and_trailer, std::uint64_t segment_bytes);
/// Length of the footer, from the trailer's bytes. Errors: corrupt.
Result<std::uint64_t> segment_footer_bytes(Bytes trailer, std::uint64_t segment_bytes);
/// Errors: corrupt, naming the region.
Result<void> check_region(Bytes segment, const SegmentRegion& region);

/// `data/{2 hex digits}/{born:020}-{incarnation}-{counter}`
std::string segment_name(Position born, Incarnation writer, std::uint64_t counter);
std::string segment_name(const state::ObjectRef& object);

}  // namespace weir::engine
