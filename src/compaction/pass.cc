#include "compaction/pass.h"

#include <algorithm>
#include <string>

#include "compaction/edit.h"

namespace weir::compaction {

namespace {

std::unexpected<Error> at_batch(const Error& error, const record::BatchView& batch) {
  return with_context(error, "record batch at offset " + std::to_string(batch.base_offset().value));
}

std::unexpected<Error> at_batch(record::BatchError error, const record::BatchView& batch) {
  return at_batch(record::to_error(error), batch);
}

/// As it was produced, not damaged since.
bool was_written_so(record::BatchError error, const record::BatchView& batch) {
  using record::BatchError;
  const bool unreadable = error == BatchError::malformed_record ||
                          error == BatchError::bad_offset_delta || error == BatchError::undecodable;
  return unreadable && batch.checksum_ok();
}

/// now + retention, or the end of time.
WallMillis horizon_of(WallMillis now, std::int64_t retention_ms) {
  std::int64_t sum = 0;
  return WallMillis(__builtin_add_overflow(now.value, retention_ms, &sum) ? INT64_MAX : sum);
}

}  // namespace

Pass::Pass(const PassOptions& options, KeyMap& map, std::vector<AbortedTransaction> aborted,
           const std::vector<ProducerEnd>& producers)
    : options_(options), map_(map), indexed_(aborted), filtered_(aborted) {
  ENSURE(options.dirty_begin <= options.dirty_end);
  for (const ProducerEnd& producer : producers) producers_.emplace(producer.producer, producer);
  map_.reset(options.dirty_begin,
             static_cast<std::uint64_t>(options.dirty_end.value - options.dirty_begin.value));
}

Result<bool> Pass::index(const record::BatchView& batch) {
  if (full_at_ || batch.base_offset() >= options_.dirty_end) return false;
  if (batch.last_offset() < options_.dirty_begin) return true;
  if (batch.control() || indexed_.on_data(batch)) return true;
  auto reader = record::RecordReader::open(batch, options_.records_bytes_max);
  if (!reader && was_written_so(reader.error(), batch)) return true;
  if (!reader) return at_batch(reader.error(), batch);
  for (;;) {
    auto record = reader->next();
    // The keys read so far count: the batch stays, and has their newer values.
    if (!record && was_written_so(record.error(), batch)) return true;
    if (!record) return at_batch(record.error(), batch);
    if (!*record) return true;
    Offset offset = (*record)->offset;
    if (offset < options_.dirty_begin || offset >= options_.dirty_end || !(*record)->key) continue;
    if (map_.put(hash_(*(*record)->key), offset)) continue;
    full_at_ = offset;
    return false;
  }
}

Pass::Verdict Pass::judge(const record::BatchView& batch) {
  Verdict verdict;
  verdict.past_horizon = batch.has_delete_horizon() && batch.base_timestamp() <= options_.now;
  if (batch.control()) {
    verdict.idle_marker = filtered_.on_control(batch);
    verdict.discard = verdict.idle_marker && verdict.past_horizon;
  } else {
    verdict.discard = filtered_.on_data(batch);
  }
  return verdict;
}

bool Pass::keeps(const record::RecordView& record, const record::BatchView& batch,
                 const Verdict& verdict) {
  if (verdict.discard || record.offset < options_.start) return false;
  if (batch.control() || record.offset >= end()) return true;
  if (!record.key) {
    ++stats_.unkeyed_dropped;
    return false;
  }
  std::optional<Offset> last = map_.find(hash_(*record.key));
  if (last && *last > record.offset) return false;
  if (record.value || !verdict.past_horizon) return true;
  ++stats_.tombstones_dropped;
  return false;
}

Result<Pass::Filtered> Pass::filter(const record::BatchView& batch) {
  stats_.bytes_read += batch.size();
  Verdict verdict = judge(batch);
  kept_.clear();
  auto reader = record::RecordReader::open(batch, options_.records_bytes_max);
  if (!reader && was_written_so(reader.error(), batch)) return conclude_unreadable(batch, verdict);
  if (!reader) return at_batch(reader.error(), batch);
  bool tombstones = false;
  for (;;) {
    auto record = reader->next();
    if (!record && was_written_so(record.error(), batch))
      return conclude_unreadable(batch, verdict);
    if (!record) return at_batch(record.error(), batch);
    if (!*record) break;
    ++stats_.records_read;
    if (!keeps(**record, batch, verdict)) continue;
    kept_.push_back(**record);
    if (!(*record)->value) tombstones = true;
  }
  stats_.records_kept += kept_.size();
  bool needs_horizon =
      !batch.has_delete_horizon() && (verdict.idle_marker || (tombstones && !batch.control()));
  auto filtered = conclude(batch, kept_, needs_horizon);
  if (!filtered) return at_batch(filtered.error(), batch);
  if (filtered->kind == Filtered::Kind::original) stats_.bytes_kept += batch.size();
  if (filtered->kind == Filtered::Kind::rewritten) stats_.bytes_kept += filtered->batch.size();
  return filtered;
}

Result<Pass::Filtered> Pass::conclude_unreadable(const record::BatchView& batch,
                                                 const Verdict& verdict) {
  if (verdict.discard) return conclude(batch, {}, false);
  ++stats_.unreadable_kept;
  stats_.bytes_kept += batch.size();
  return Filtered{};
}

Result<Pass::Filtered> Pass::conclude(const record::BatchView& batch,
                                      const std::vector<record::RecordView>& kept,
                                      bool needs_horizon) {
  Filtered out;
  if (kept.empty()) {
    if (!is_last_of_producer(batch)) {
      out.kind = Filtered::Kind::dropped;
    } else if (batch.record_count() > 0) {
      out.kind = Filtered::Kind::rewritten;
      out.batch = empty_batch(batch);
    }
    return out;
  }
  bool all = kept.size() == static_cast<std::size_t>(batch.record_count());
  if (all && !needs_horizon) return out;
  auto batch_bytes =
      needs_horizon ? keep_records_until(batch, kept,
                                         horizon_of(std::max(options_.now, options_.now_latest),
                                                    options_.delete_retention_ms))
                    : keep_records(batch, kept);
  if (!batch_bytes) return std::unexpected(batch_bytes.error());
  out.kind = Filtered::Kind::rewritten;
  out.batch = std::move(*batch_bytes);
  return out;
}

bool Pass::is_last_of_producer(const record::BatchView& batch) const {
  if (!batch.has_producer()) return false;
  auto producer = producers_.find(batch.producer_id());
  if (producer == producers_.end()) return false;
  if (producer->second.last) return batch.last_offset() == *producer->second.last;
  return batch.control() && batch.producer_epoch() == producer->second.epoch;
}

}  // namespace weir::compaction
