#include "record/validate.h"

#include "base/narrow.h"

#include <algorithm>

namespace weir::record {
namespace {

Checked<> check_count(const BatchView& batch) {
  // Written without a sum, which could overflow.
  std::int32_t count = batch.record_count();
  if (count <= 0 || batch.last_offset_delta() != count - 1)
    return std::unexpected(BatchError::bad_count);
  if (batch.codec() == codec::Codec::none &&
      narrow<std::size_t>(count) > batch.records().size() / record_bytes_min)
    return std::unexpected(BatchError::bad_count);
  return {};
}

Checked<> check_attributes(const BatchView& batch, const BatchRules& rules) {
  auto codec = batch.codec();
  if (!codec) return std::unexpected(BatchError::unknown_codec);
  if (*codec == codec::Codec::zstd && !rules.zstd_allowed)
    return std::unexpected(BatchError::codec_not_allowed);
  if (batch.control()) return std::unexpected(BatchError::control_batch);
  if (batch.has_delete_horizon()) return std::unexpected(BatchError::bad_attributes);
  return {};
}

// A batch without producer id carries no sequence that anybody looks at, so that any is accepted,
// as in Kafka.
Checked<> check_producer(const BatchView& batch) {
  if (batch.has_producer()) {
    if (batch.base_sequence() < 0 || batch.producer_epoch().value < 0)
      return std::unexpected(BatchError::bad_producer);
  } else if (batch.transactional()) {
    return std::unexpected(BatchError::bad_producer);
  }
  return {};
}

Checked<> check_timestamps(const BatchView& batch, const TimestampRules& rules) {
  if (batch.timestamp_type() == TimestampType::log_append_time)
    return std::unexpected(BatchError::bad_timestamp);
  if (!timestamp_allowed(batch.base_timestamp(), rules) ||
      !timestamp_allowed(batch.max_timestamp(), rules))
    return std::unexpected(BatchError::bad_timestamp);
  return {};
}

}  // namespace

bool timestamp_allowed(WallMillis timestamp, const TimestampRules& rules) {
  if (timestamp.value == no_timestamp) return true;
  if (timestamp.value < 0) return false;
  if (rules.type == TimestampType::log_append_time) return true;
  // Both are not negative, so that the difference cannot overflow.
  std::int64_t age = std::max<std::int64_t>(rules.now.value, 0) - timestamp.value;
  return age <= rules.before_max_ms && -age <= rules.after_max_ms;
}

Checked<BatchInfo> validate_batch(Bytes bytes, const BatchRules& rules) {
  auto batch = BatchView::front_of(bytes);
  if (!batch) return std::unexpected(batch.error());
  if (batch->size() != bytes.size()) return std::unexpected(BatchError::trailing_bytes);
  if (batch->size() > rules.batch_bytes_max) return std::unexpected(BatchError::batch_too_large);
  if (!batch->checksum_ok()) return std::unexpected(BatchError::bad_checksum);
  if (auto ok = check_count(*batch); !ok) return std::unexpected(ok.error());
  if (auto ok = check_attributes(*batch, rules); !ok) return std::unexpected(ok.error());
  if (auto ok = check_producer(*batch); !ok) return std::unexpected(ok.error());
  if (auto ok = check_timestamps(*batch, rules.timestamps); !ok) return std::unexpected(ok.error());
  BatchInfo info;
  info.bytes = narrow<std::uint32_t>(batch->size());
  info.records = batch->record_count();
  info.base_timestamp_ms = batch->base_timestamp().value;
  info.max_timestamp_ms = std::max(info.base_timestamp_ms, batch->max_timestamp().value);
  info.producer = batch->producer_id();
  info.epoch = batch->producer_epoch();
  info.base_sequence = batch->base_sequence();
  info.codec = *batch->codec();
  info.transactional = batch->transactional();
  return info;
}

}  // namespace weir::record
