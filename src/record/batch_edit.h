// Changes to batches: the stamps that need no checksum, and the rewrites that do.
//
// A batch travels as the client sent it. Base offset and leader epoch lie outside the checksum and
// are stamped once, in the one mutable copy of the stage that owns it. Where a topic wants its own
// timestamps or codec, the batch is rewritten before it enters the flush buffer.
#pragma once

#include "record/batch_view.h"
#include "record/limits.h"

namespace weir::record {

struct Stamp {
  Offset base_offset;
  LeaderEpoch leader_epoch;
};

/// Leaves the checksum valid. `batch` holds at least a header (a BatchView was made of it).
void stamp_batch(MutableBytes batch, const Stamp& stamp);

/// Stamps all batches of a region with dense offsets from `first.base_offset` on; returns the
/// offset behind the last. If the region is malformed, what stands before that place is stamped.
/// Only for regions as they were received: compacted ones have holes, and final offsets already.
Checked<Offset> stamp_region(MutableBytes region, const Stamp& first);

/// Makes `now` the time of all records (`message.timestamp.type=LogAppendTime`): sets the attribute
/// and the max timestamp, and the checksum. `batch` is exactly one batch.
void set_log_append_time(MutableBytes batch, WallMillis now);

struct Recompression {
  codec::Codec codec = codec::Codec::none;
  int level = codec::level_default;
  std::size_t records_bytes_max = limits::records_bytes_max;
};
/// The same batch with its records in another codec (`compression.type`). Errors: corrupt,
/// too_large, invalid_argument for the level.
Result<Buffer> recompress_batch(const BatchView& batch, const Recompression& target);

}  // namespace weir::record
