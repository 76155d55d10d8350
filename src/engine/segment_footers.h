// SegmentFooters: what this broker has verified of the segments that it read.
//
// A segment is opened once: header, footer and trailer are read and checked (segment_reader.h).
// What later reads of it need is kept here, 56 bytes a region, the least recently used segments
// leaving first. Used on the engine's loop.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "engine/cache.h"
#include "engine/segment.h"

namespace weir::engine {

/// One region as the footer describes it, without what only audits need.
struct KnownRegion {
  state::PartitionRef at;
  std::uint32_t first_byte = 0;
  std::uint32_t bytes = 0;
  std::uint32_t crc32c = 0;
  std::int64_t records = 0;
  std::int64_t max_timestamp_ms = -1;
  std::uint32_t raw_bytes = 0;
  RegionTransform transform = RegionTransform::none;
};

class SegmentFooters {
 public:
  explicit SegmentFooters(std::size_t regions_max) : regions_max_(regions_max) {}

  /// In the order of the segment; null if it is not known. Valid until the next insert.
  const std::vector<KnownRegion>* find(const state::ObjectRef& segment);
  void insert(const state::ObjectRef& segment, std::vector<KnownRegion> regions);
  std::size_t regions() const { return regions_; }

 private:
  struct Known {
    RegionKey key;
    std::vector<KnownRegion> regions;
  };
  using List = std::list<Known>;

  std::size_t regions_max_;
  std::size_t regions_ = 0;
  List recent_;  // most recent first
  std::unordered_map<RegionKey, List::iterator, RegionKeyHash> segments_;
};

}  // namespace weir::engine
