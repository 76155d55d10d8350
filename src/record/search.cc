#include "record/search.h"

#include <algorithm>

#include "record/reader.h"

namespace weir::record {
namespace {

// What the header promises at most. A client's max timestamp may be less than its base timestamp.
WallMillis promised_timestamp(const BatchView& batch) {
  if (batch.timestamp_type() == TimestampType::log_append_time || batch.has_delete_horizon())
    return batch.max_timestamp();
  return std::max(batch.base_timestamp(), batch.max_timestamp());
}

bool worth_reading(const BatchView& batch, Offset offset_min) {
  return batch.record_count() > 0 && batch.last_offset() >= offset_min;
}

using Match = Checked<std::optional<TimestampMatch>>;

// The first record that reaches the target.
Match first_in_batch(const BatchView& batch, const TimestampQuery& query) {
  auto reader = RecordReader::open(batch, query.records_bytes_max);
  if (!reader) return std::unexpected(reader.error());
  while (true) {
    auto record = reader->next();
    if (!record) return std::unexpected(record.error());
    if (!*record) return std::nullopt;
    if ((*record)->offset >= query.offset_min && (*record)->timestamp >= query.target)
      return TimestampMatch{(*record)->offset, (*record)->timestamp, batch.leader_epoch()};
  }
}

// The first record with the greatest timestamp.
Match greatest_in_batch(const BatchView& batch, const TimestampQuery& query) {
  auto reader = RecordReader::open(batch, query.records_bytes_max);
  if (!reader) return std::unexpected(reader.error());
  std::optional<TimestampMatch> best;
  while (true) {
    auto record = reader->next();
    if (!record) return std::unexpected(record.error());
    if (!*record) return best;
    const RecordView& view = **record;
    if (view.timestamp.value == no_timestamp || view.offset < query.offset_min) continue;
    if (!best || view.timestamp > best->timestamp)
      best = TimestampMatch{view.offset, view.timestamp, batch.leader_epoch()};
  }
}

}  // namespace

Match find_timestamp(Bytes region, const TimestampQuery& query) {
  BatchIterator batches(region);
  while (true) {
    auto batch = batches.next();
    if (!batch) return std::unexpected(batch.error());
    if (!*batch) return std::nullopt;
    if (!worth_reading(**batch, query.offset_min) || promised_timestamp(**batch) < query.target)
      continue;
    auto match = first_in_batch(**batch, query);
    if (!match || *match) return match;
  }
}

Match find_max_timestamp(Bytes region, const TimestampQuery& query) {
  std::optional<TimestampMatch> best;
  BatchIterator batches(region);
  while (true) {
    auto batch = batches.next();
    if (!batch) return std::unexpected(batch.error());
    if (!*batch) return best;
    if (!worth_reading(**batch, query.offset_min)) continue;
    if (best && promised_timestamp(**batch) <= best->timestamp) continue;
    auto match = greatest_in_batch(**batch, query);
    if (!match) return match;
    if (*match && (!best || (*match)->timestamp > best->timestamp)) best = *match;
  }
}

}  // namespace weir::record
