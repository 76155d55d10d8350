#include "compaction/edit.h"

#include <algorithm>
#include <cstring>

#include "base/narrow.h"
#include "codec/crc32c.h"
#include "record/builder.h"

namespace weir::compaction {

namespace {

namespace at = record::at;

void set_checksum(MutableBytes batch) {
  store_be<std::uint32_t>(batch, at::crc, codec::crc32c(Bytes(batch).subspan(at::attributes)));
}

/// Header of `batch` before these records.
Buffer with_records(const record::BatchView& batch, Bytes records, std::int32_t count) {
  Buffer out = Buffer::make(record::batch_header_bytes + records.size());
  MutableBytes bytes = out.data();
  std::memcpy(bytes.data(), batch.bytes().data(), record::batch_header_bytes);
  if (!records.empty())
    std::memcpy(bytes.subspan(at::records).data(), records.data(), records.size());
  store_be<std::int32_t>(bytes, at::batch_length,
                         narrow<std::int32_t>(bytes.size() - record::batch_prefix_bytes));
  store_be<std::int32_t>(bytes, at::record_count, count);
  return out;
}

std::vector<record::NewHeader> headers_of(const record::RecordView& record) {
  std::vector<record::NewHeader> headers;
  record::HeadersView view = record.headers;
  while (auto header = view.next()) headers.push_back({header->key, header->value});
  return headers;
}

}  // namespace

Result<Buffer> keep_records(const record::BatchView& batch,
                            const std::vector<record::RecordView>& kept) {
  ENSURE(!kept.empty());
  auto codec = batch.codec();
  if (!codec) return std::unexpected(to_error(record::BatchError::unknown_codec));
  std::size_t size = 0;
  WallMillis max_timestamp{record::no_timestamp};
  for (const record::RecordView& record : kept) {
    size += record.encoded.size();
    max_timestamp = std::max(max_timestamp, record.timestamp);
  }
  Buffer records = Buffer::make(size);
  std::size_t written = 0;
  for (const record::RecordView& record : kept) {
    std::memcpy(records.data().subspan(written).data(), record.encoded.data(),
                record.encoded.size());
    written += record.encoded.size();
  }
  if (*codec != codec::Codec::none) {
    auto compressed = codec::compress(*codec, records.data());
    if (!compressed) return compressed;
    records = std::move(*compressed);
  }
  Buffer out = with_records(batch, records.data(), narrow<std::int32_t>(kept.size()));
  store_be<std::int64_t>(out.data(), at::max_timestamp, max_timestamp.value);
  set_checksum(out.data());
  return out;
}

Result<Buffer> keep_records_until(const record::BatchView& batch,
                                  const std::vector<record::RecordView>& kept, WallMillis horizon) {
  auto codec = batch.codec();
  if (!codec) return std::unexpected(to_error(record::BatchError::unknown_codec));
  record::BatchBuilder builder({.base_offset = batch.base_offset(),
                                .leader_epoch = batch.leader_epoch(),
                                .codec = *codec,
                                .timestamp_type = batch.timestamp_type(),
                                .log_append_time = batch.max_timestamp(),
                                .producer_id = batch.producer_id(),
                                .producer_epoch = batch.producer_epoch(),
                                .base_sequence = batch.base_sequence(),
                                .transactional = batch.transactional(),
                                .control = batch.control(),
                                .delete_horizon = horizon,
                                .last_offset_delta_min = batch.last_offset_delta()});
  for (const record::RecordView& record : kept) {
    std::vector<record::NewHeader> headers = headers_of(record);
    builder.append_at(record.offset, {.timestamp = record.timestamp,
                                      .key = record.key,
                                      .value = record.value,
                                      .headers = headers});
  }
  return std::move(builder).finish();
}

Buffer empty_batch(const record::BatchView& batch) {
  Buffer out = with_records(batch, Bytes(), 0);
  unsigned attributes = batch.attributes();
  attributes &= ~unsigned{record::attribute::codec_mask | record::attribute::delete_horizon};
  store_be<std::uint16_t>(out.data(), at::attributes, narrow<std::uint16_t>(attributes));
  store_be<std::int64_t>(out.data(), at::base_timestamp, record::no_timestamp);
  set_checksum(out.data());
  return out;
}

Buffer closing_batch(const Closing& closing) {
  record::BatchBuilder builder(
      {.base_offset = closing.last, .leader_epoch = closing.epoch, .last_offset_delta_min = 0});
  Result<Buffer> batch = std::move(builder).finish();
  ENSURE(batch.has_value());
  store_be<std::int64_t>(batch->data(), at::max_timestamp, closing.timestamp.value);
  set_checksum(batch->data());
  return *batch;
}

}  // namespace weir::compaction
