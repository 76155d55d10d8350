#include "record/builder.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/narrow.h"
#include "codec/crc32c.h"
#include "record/varint.h"

namespace weir::record {
namespace {

void append_bytes(std::vector<std::byte>& out, Bytes bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

std::int64_t signed_size(std::size_t size) { return narrow<std::int64_t>(size); }

// -1 stands for null, which then has no bytes.
std::size_t nullable_size(const std::optional<Bytes>& value) {
  if (!value) return varint_size(-1);
  return varint_size(signed_size(value->size())) + value->size();
}

void append_nullable(std::vector<std::byte>& out, const std::optional<Bytes>& value) {
  append_varint(out, value ? signed_size(value->size()) : -1);
  if (value) append_bytes(out, *value);
}

// The body of a record, without its own length.
std::size_t body_size(const NewRecord& record, std::int64_t timestamp_delta,
                      std::int64_t offset_delta) {
  std::size_t size = 1 + varint_size(timestamp_delta) + varint_size(offset_delta) +
                     nullable_size(record.key) + nullable_size(record.value) +
                     varint_size(signed_size(record.headers.size()));
  for (const NewHeader& header : record.headers)
    size += nullable_size(as_bytes(header.key)) + nullable_size(header.value);
  return size;
}

}  // namespace

void BatchBuilder::append(const NewRecord& record) {
  append_at(Offset(options_.base_offset.value + last_delta_ + 1), record);
}

void BatchBuilder::append_at(Offset offset, const NewRecord& record) {
  std::int64_t delta = offset.value - options_.base_offset.value;
  ENSURE(delta > last_delta_);
  if (!first_timestamp_) first_timestamp_ = record.timestamp;
  // Wraps around where a client's timestamps are absurd; the reader does the same.
  auto timestamp_delta =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(record.timestamp.value) -
                                static_cast<std::uint64_t>(base_timestamp()));
  std::size_t size = body_size(record, timestamp_delta, delta);
  if (too_large_ || delta > std::numeric_limits<std::int32_t>::max() ||
      bytes_uncompressed() + size + varint_size(signed_size(size)) > options_.batch_bytes_max) {
    too_large_ = true;
    return;
  }
  append_varint(encoded_, signed_size(size));
  encode(record, timestamp_delta, delta);
  last_delta_ = delta;
  ++count_;
  max_timestamp_ = std::max(max_timestamp_, record.timestamp);
}

// What the records' deltas count from. A delete horizon takes the place of the base timestamp.
std::int64_t BatchBuilder::base_timestamp() const {
  if (options_.delete_horizon) return options_.delete_horizon->value;
  return first_timestamp_ ? first_timestamp_->value : no_timestamp;
}

void BatchBuilder::encode(const NewRecord& record, std::int64_t timestamp_delta,
                          std::int64_t offset_delta) {
  encoded_.push_back(std::byte{0});  // attributes: none are defined
  append_varint(encoded_, timestamp_delta);
  append_varint(encoded_, offset_delta);
  append_nullable(encoded_, record.key);
  append_nullable(encoded_, record.value);
  append_varint(encoded_, signed_size(record.headers.size()));
  for (const NewHeader& header : record.headers) {
    append_nullable(encoded_, as_bytes(header.key));
    append_nullable(encoded_, header.value);
  }
}

std::uint16_t BatchBuilder::attributes() const {
  auto bits = static_cast<unsigned>(options_.codec);
  if (options_.timestamp_type == TimestampType::log_append_time) bits |= attribute::log_append_time;
  if (options_.transactional) bits |= attribute::transactional;
  if (options_.control) bits |= attribute::control;
  if (options_.delete_horizon) bits |= attribute::delete_horizon;
  return narrow<std::uint16_t>(bits);
}

void BatchBuilder::write_header(MutableBytes batch) const {
  bool log_append_time = options_.timestamp_type == TimestampType::log_append_time;
  store_be<std::int64_t>(batch, at::base_offset, options_.base_offset.value);
  store_be<std::int32_t>(batch, at::batch_length,
                         narrow<std::int32_t>(batch.size() - batch_prefix_bytes));
  store_be<std::int32_t>(batch, at::leader_epoch, options_.leader_epoch.value);
  store_be<std::int8_t>(batch, at::magic, magic_v2);
  store_be<std::uint16_t>(batch, at::attributes, attributes());
  store_be<std::int32_t>(
      batch, at::last_offset_delta,
      narrow<std::int32_t>(std::max<std::int64_t>(last_delta_, options_.last_offset_delta_min)));
  store_be<std::int64_t>(batch, at::base_timestamp, base_timestamp());
  store_be<std::int64_t>(batch, at::max_timestamp,
                         log_append_time ? options_.log_append_time.value : max_timestamp_.value);
  store_be<std::int64_t>(batch, at::producer_id, options_.producer_id.value);
  store_be<std::int16_t>(batch, at::producer_epoch, options_.producer_epoch.value);
  store_be<std::int32_t>(batch, at::base_sequence, options_.base_sequence);
  store_be<std::int32_t>(batch, at::record_count, count_);
  store_be<std::uint32_t>(batch, at::crc, codec::crc32c(Bytes(batch).subspan(at::attributes)));
}

Result<Buffer> BatchBuilder::finish() && {
  if (too_large_) return std::unexpected(to_error(BatchError::batch_too_large));
  Buffer compressed;
  Bytes records = encoded_;
  if (options_.codec != codec::Codec::none && count_ > 0) {
    auto outcome = codec::compress(options_.codec, encoded_, options_.level);
    if (!outcome) return outcome;
    compressed = std::move(*outcome);
    records = compressed.data();
  }
  if (batch_header_bytes + records.size() > options_.batch_bytes_max)
    return std::unexpected(to_error(BatchError::batch_too_large));
  Buffer batch = Buffer::make(batch_header_bytes + records.size());
  if (!records.empty())
    std::memcpy(batch.data().subspan(at::records).data(), records.data(), records.size());
  write_header(batch.data());
  return batch;
}

}  // namespace weir::record
