// FinalRegion: what a merged region says about itself, so that it can be read, searched and rebuilt
// without the log: its offsets, its leader epochs, and a sparse index of offsets and times.
//
// The batches of such a region hold final base offsets and leader epochs, rise, and lie within the
// span that covers them; between them offsets may be missing (key compaction). The last batch ends
// where the span ends, so a reader always gets past it. docs/formats/segment.md is the page.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "serial/reader.h"
#include "serial/writer.h"

namespace weir::engine {

struct FinalRegion {
  struct EpochStart {
    LeaderEpoch epoch;
    Offset from;
    friend bool operator==(const EpochStart&, const EpochStart&) = default;
  };
  /// A batch begins at `first_byte` of the region; nothing before it is younger than the index
  /// point's time.
  struct IndexPoint {
    Offset offset;
    std::uint32_t first_byte = 0;
    /// Greatest timestamp of the batches before this one.
    std::int64_t max_timestamp_ms = -1;
    friend bool operator==(const IndexPoint&, const IndexPoint&) = default;
  };

  /// First offset that the region covers.
  Offset base;
  std::vector<EpochStart> epochs;
  std::vector<IndexPoint> index;

  friend bool operator==(const FinalRegion&, const FinalRegion&) = default;
};

/// Bytes between two index points, about.
inline constexpr std::size_t kIndexEveryBytes = 64u << 10;

/// Of a region whose batches are final.
FinalRegion describe_final_region(Bytes region, Offset base);

/// Checks each batch of a final region that came from a store: header, length, CRC32C, and that
/// offsets rise from `base` and end exactly before `end`. Errors: corrupt, naming the byte.
Result<void> verify_final_region(Bytes region, Offset base, Offset end);

void write_final_region(serial::Writer& out, const FinalRegion& region);
/// False if it does not parse.
bool read_final_region(serial::Reader& in, FinalRegion& region);

}  // namespace weir::engine
