// Batches as a compaction leaves them.
//
// A batch keeps its base offset, its last offset, its producer and its sequences, whatever is taken
// out of it, so that sequences and offsets of what remains stay valid (Kafka does the same). Where
// the base timestamp stays, the records that remain are copied as they are encoded.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "record/batch_view.h"
#include "record/reader.h"

namespace weir::compaction {

/// `batch` with these of its records only, in their order; at least one. Errors: too_large.
Result<Buffer> keep_records(const record::BatchView& batch,
                            const std::vector<record::RecordView>& kept);
/// The same, and the time when its tombstones or its marker may go (KIP-534).
Result<Buffer> keep_records_until(const record::BatchView& batch,
                                  const std::vector<record::RecordView>& kept, WallMillis horizon);
/// `batch` without records: what is left of a producer's last batch.
Buffer empty_batch(const record::BatchView& batch);
/// A batch of nothing at `last`, so that readers get past offsets of which nothing is left. Its
/// timestamp says how old the range is.
struct Closing {
  Offset last;
  LeaderEpoch epoch;
  WallMillis timestamp{record::no_timestamp};
};
Buffer closing_batch(const Closing& closing);

}  // namespace weir::compaction
