// SegmentReader: reads regions of segments, and knows that they are the ones that were asked for.
//
// The problem: a ranged read of a region alone trusts whatever lies at that place. Another segment
// of the same layout, put in its place by a mistaken restore, would be served under the wrong
// partition, and damage around the regions would go unnoticed. So a segment is opened before it is
// read: header, footer and trailer are verified, and must say what the state says of the span
// (cluster, writer, topic, partition, place, records, greatest timestamp). Later reads of the same
// segment compare the region's bytes with the footer's checksum, for one request each.
// docs/formats/segment.md has the rule.
//
// Requests: what the opening needs is read together with the region where they lie within
// kSegmentGapBytesMax of each other, so a small segment, or one with one region, costs one request,
// any other at most three side by side (four if the footer is longer than kSegmentTailBytes), once.
// Openings of one segment are shared. Used on the engine's loop; `parts` outlive it.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/metrics.h"
#include "engine/follower.h"
#include "engine/segment_footers.h"
#include "objstore/object_store.h"
#include "rt/event.h"
#include "rt/workers.h"

namespace weir::engine {

class SegmentReader {
 public:
  struct Parts {
    rt::Loop& loop;
    /// For segments that were written lately, and for the rest.
    objstore::ObjectStore& store;
    objstore::ObjectStore& cold_store;
    Follower& follower;
    /// For decompression. May be null: then it happens on the loop.
    rt::Workers* workers;
    Counter& requests;
    Counter& bytes;
  };
  explicit SegmentReader(Parts parts);

  /// The region of a span, in memory of its own. Errors: corrupt (not what the span
  /// says), not_found, those of the store.
  /// Compressed regions come as they were produced.
  rt::Task<Result<SharedBytes>> load(state::PartitionRef at, state::SpanInfo span);

 private:
  struct Piece;
  struct Opening {
    explicit Opening(rt::Loop& loop) : done(loop) {}
    rt::Event done;
    bool over = false;
  };

  rt::Task<Result<SharedBytes>> restore(SharedBytes stored, KnownRegion region);
  rt::Task<Result<SharedBytes>> load_known(state::PartitionRef at, state::SpanInfo span);
  rt::Task<Result<SharedBytes>> open_and_load(state::PartitionRef at, state::SpanInfo span);
  rt::Task<void> read_piece(state::ObjectRef segment, Piece* piece);
  objstore::ObjectStore& store_of(const state::ObjectRef& segment) const;
  Result<void> check_header(const state::ObjectRef& segment, const SegmentHeader& header) const;

  Parts parts_;
  SegmentFooters footers_;
  std::unordered_map<RegionKey, std::shared_ptr<Opening>, RegionKeyHash> openings_;
};

}  // namespace weir::engine
