// The slow check of a produce: decodes every record, for topics that demand it (compaction needs
// keys, `compression.type` rewrites the batch, schema rules).
//
// A batch whose records do not parse is refused as a whole. What single records do wrong is listed,
// so that the client learns which ones (Produce 8+, KIP-467). Bounded: memory by the limit on
// decompressed bytes, the list by limits.h.
#pragma once

#include <cstdint>
#include <vector>

#include "record/limits.h"
#include "record/validate.h"

namespace weir::record {

struct RecordRules {
  /// The topic is compacted: a record without key would never be found again.
  bool keys_required = false;
  TimestampRules timestamps;
  std::size_t records_bytes_max = limits::records_bytes_max;
};

struct RecordError {
  std::int32_t index = 0;  // of the record within the batch
  BatchError what = BatchError::malformed_record;

  friend bool operator==(const RecordError&, const RecordError&) = default;
};

struct RecordsReport {
  /// The first `limits::record_errors_max`.
  std::vector<RecordError> errors;
  std::int32_t errors_total = 0;
  /// The greatest of the records' own; the header may say something else.
  WallMillis max_timestamp{no_timestamp};
  /// Decompressed bytes of the records section.
  std::size_t records_bytes = 0;

  bool ok() const { return errors_total == 0; }
  /// What the partition as a whole is answered where not ok: a bad timestamp goes before the rest,
  /// as in Kafka. Looks at the listed errors.
  BatchError summary() const;
};

/// `batch` has passed `validate_batch`. Fails as RecordReader does, or with bad_offset_delta.
Checked<RecordsReport> validate_records(const BatchView& batch, const RecordRules& rules);

}  // namespace weir::record
