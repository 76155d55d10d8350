// Reader: turns spans of the state into record batches with final offsets.
//
// Sources in order: the cache, then the object (a ranged read of a segment, or the entry of an
// inline span). Loads of the same region or entry are shared by all who wait for it, bounded in
// number, and verified before they are used: that the object is the one that the span means
// (segment_reader.h), each batch's CRC32C, and that the batches fill the span exactly. A region
// that fails is named in the log, and only its partition answers `corrupt`. An object that is gone
// was replaced or deleted by a peer: the reader folds what is new and looks again, and never calls
// that corruption.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "commitlog/commit_log.h"
#include "engine/api.h"
#include "engine/cache.h"
#include "engine/follower.h"
#include "engine/segment_reader.h"
#include "objstore/object_store.h"

namespace weir::engine {

class Reader {
 public:
  struct Parts {
    rt::Loop& loop;
    /// For what was written lately, and for the rest.
    objstore::ObjectStore& store;
    objstore::ObjectStore& cold_store;
    rt::Workers* workers;
    commitlog::CommitLog& log;
    Follower& follower;
    Cache& cache;
    Logger& logger;
    Metrics& metrics;
  };
  explicit Reader(Parts parts);

  struct Range {
    PartitionRef at;
    Offset from;
    /// Nothing at or past this offset.
    Offset before;
    std::size_t bytes_max = 0;
    /// The first batch comes whole even above `bytes_max`.
    bool first_batch_always = false;
  };
  /// Whole batches from the one that holds `from`. Empty at the end of the partition.
  rt::Task<Result<BytesChain>> read(Range range);
  /// Loads what `ranges` need and the cache lacks, side by side, so that the reads that follow find
  /// it there. Failures are left to those reads.
  rt::Task<void> warm(std::vector<Range> ranges);
  /// More loads are wanted than may be under way at once.
  bool loads_waiting() const { return slot_free_.has_waiters(); }
  /// The stamped region of one span.
  rt::Task<Result<BytesChain>> region(PartitionRef at, state::SpanInfo span);

 private:
  struct Load {
    explicit Load(rt::Loop& loop) : done(loop) {}
    rt::Event done;
    std::optional<Result<SharedBytes>> result;
  };
  using Loads = std::unordered_map<RegionKey, std::shared_ptr<Load>, RegionKeyHash>;

  std::vector<state::SpanInfo> spans_of(const Range& range) const;
  rt::Task<void> warm_one(PartitionRef at, state::SpanInfo span);
  rt::Task<Result<BytesChain>> read_once(const Range& range);
  rt::Task<Result<SharedBytes>> load(PartitionRef at, const state::SpanInfo& span);
  rt::Task<Result<SharedBytes>> load_segment_region(PartitionRef at, state::SpanInfo span);
  std::unexpected<Error> report_corrupt(PartitionRef at, const state::SpanInfo& span,
                                        const Error& error);
  rt::Task<Result<SharedBytes>> load_inline_section(state::ObjectRef object);
  rt::Task<void> take_slot();
  void give_slot();

  Parts parts_;
  Loads loads_;
  std::size_t in_flight_ = 0;
  rt::Event slot_free_;
  Counter& loads_total_;
  Counter& load_bytes_;
  Counter& corrupt_regions_;
  SegmentReader segments_;
};

/// Appends to `out` the whole batches of `region` that reach `from` or beyond and begin before
/// `before`, as long as `out` stays within `bytes_max` (the first batch always, if asked). False
/// once nothing more may follow.
bool append_batches(const BytesChain& region, const Reader::Range& range, BytesChain& out);

}  // namespace weir::engine
