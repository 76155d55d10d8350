// Stamping: what a broker does to record batches between the store and a consumer, and the check
// before it.
//
// Producers send base offset 0 (or anything) and their own idea of a leader epoch. The fold decides
// both; they lie outside the batch's CRC and are written into the cached copy once (docs/design.md,
// 6).
#pragma once

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"

namespace weir::engine {

/// Writes consecutive base offsets and the leader epoch into the batches that fill `region`, from
/// `base`. The batches were validated before.
void stamp_region(MutableBytes region, Offset base, LeaderEpoch epoch);

/// Checks each batch of a region that came from a store: header, length, CRC32C, and that they hold
/// `records` offsets in all. Errors: corrupt, naming the byte offset in the region.
Result<void> verify_region(Bytes region, std::int64_t records);

}  // namespace weir::engine
