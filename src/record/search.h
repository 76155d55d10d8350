// Search by time inside a region, for ListOffsets, at the level of records.
//
// Header timestamps choose the batch, the records of that batch decide. The region's batches must
// be stamped: offsets are taken from their headers. A header that promises a timestamp which none
// of its records has is passed over.
#pragma once

#include <optional>

#include "record/batch_view.h"
#include "record/limits.h"

namespace weir::record {

struct TimestampMatch {
  Offset offset;
  WallMillis timestamp;
  LeaderEpoch leader_epoch;

  friend bool operator==(const TimestampMatch&, const TimestampMatch&) = default;
};

struct TimestampQuery {
  WallMillis target;
  /// Records below it do not exist (log start).
  Offset offset_min{0};
  std::size_t records_bytes_max = limits::records_bytes_max;
};

/// The first record with a timestamp of at least `target`. Fails if a batch that had to be read is
/// malformed.
Checked<std::optional<TimestampMatch>> find_timestamp(Bytes region, const TimestampQuery& query);

/// The first record of those with the greatest timestamp (ListOffsets -3, KIP-734). `target` is not
/// used. Nothing if no record has a timestamp.
Checked<std::optional<TimestampMatch>> find_max_timestamp(Bytes region,
                                                          const TimestampQuery& query);

}  // namespace weir::record
