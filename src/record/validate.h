// What a produce checks of a batch without decoding its records.
//
// One pass for the checksum, then arithmetic on the header; nothing is allocated. A client can lie
// about its records behind a good checksum; such a batch harms only readers of the client's own
// partition, as RecordReader refuses it. Topics that demand more use `validate_records.h`.
#pragma once

#include <cstdint>
#include <limits>

#include "record/batch_info.h"
#include "record/batch_view.h"

namespace weir::record {

/// Options `message.timestamp.type`, `message.timestamp.before.max.ms` and `….after.max.ms` of a
/// topic, with Kafka's defaults.
struct TimestampRules {
  TimestampType type = TimestampType::create_time;
  WallMillis now;
  std::int64_t before_max_ms = std::numeric_limits<std::int64_t>::max();
  std::int64_t after_max_ms = 3'600'000;
};

/// Whether a record of a client may carry this timestamp. "None" always may; the window does not
/// apply where the broker sets the time.
bool timestamp_allowed(WallMillis timestamp, const TimestampRules& rules);

struct BatchRules {
  /// `max.message.bytes`: the whole batch, as sent.
  std::size_t batch_bytes_max = std::numeric_limits<std::size_t>::max();
  /// Produce before version 7 does not have it.
  bool zstd_allowed = true;
  TimestampRules timestamps;
};

/// `bytes` must be exactly one batch from a client. The checks are in the order of cost: structure,
/// size, checksum, fields.
Checked<BatchInfo> validate_batch(Bytes bytes, const BatchRules& rules);

}  // namespace weir::record
