#include "record/reader.h"

#include "base/narrow.h"

namespace weir::record {
namespace {

// A length and so many bytes; -1 is null.
bool read_nullable(Cursor& cursor, std::optional<Bytes>& value) {
  std::int32_t size = 0;
  if (!cursor.read_varint(size) || size < -1) return false;
  if (size == -1) {
    value = std::nullopt;
    return true;
  }
  Bytes bytes;
  if (!cursor.take(narrow<std::size_t>(size), bytes)) return false;
  value = bytes;
  return true;
}

bool read_header(Cursor& cursor, HeaderView& header) {
  std::optional<Bytes> key;
  if (!read_nullable(cursor, key) || !key) return false;
  header.key = as_text(*key);
  return read_nullable(cursor, header.value);
}

// Everything up to the end of the record; walked once here so that HeadersView cannot fail.
bool read_headers(Cursor& cursor, HeadersView& headers) {
  std::int32_t count = 0;
  if (!cursor.read_varint(count) || count < 0) return false;
  // A header takes two bytes at least: refuses a hostile count before looping over it.
  if (narrow<std::size_t>(count) > cursor.remaining() / 2) return false;
  Cursor walk = cursor;
  for (std::int32_t i = 0; i < count; ++i) {
    HeaderView header;
    if (!read_header(walk, header)) return false;
  }
  if (walk.remaining() != 0) return false;
  Bytes encoded;
  if (!cursor.take(cursor.remaining(), encoded)) return false;
  headers = HeadersView(encoded, count);
  return true;
}

}  // namespace

std::optional<HeaderView> HeadersView::next() {
  if (count_ == 0) return std::nullopt;
  --count_;
  HeaderView header;
  ENSURE(read_header(cursor_, header));
  return header;
}

Checked<RecordReader> RecordReader::open(const BatchView& batch, std::size_t records_bytes_max) {
  auto codec = batch.codec();
  if (!codec) return std::unexpected(BatchError::unknown_codec);
  if (batch.record_count() < 0) return std::unexpected(BatchError::bad_count);
  if (*codec == codec::Codec::none) {
    if (batch.records().size() > records_bytes_max)
      return std::unexpected(BatchError::records_too_large);
    return RecordReader(batch, Buffer(), batch.records());
  }
  // Compaction may leave a batch without records, and then there is nothing to decompress.
  if (batch.record_count() == 0 && batch.records().empty())
    return RecordReader(batch, Buffer(), Bytes());
  auto decompressed = codec::decompress(*codec, batch.records(), records_bytes_max);
  if (!decompressed)
    return std::unexpected(decompressed.error().is(ErrorCode::too_large)
                               ? BatchError::records_too_large
                               : BatchError::undecodable);
  Bytes records = decompressed->data();
  return RecordReader(batch, std::move(*decompressed), records);
}

bool RecordReader::parse(RecordView& record) {
  std::int32_t size = 0;
  Bytes body;
  std::size_t first = records_.size() - cursor_.remaining();
  if (!cursor_.read_varint(size) || size < 0) return false;
  if (!cursor_.take(narrow<std::size_t>(size), body)) return false;
  record.encoded = records_.subspan(first, records_.size() - cursor_.remaining() - first);
  Cursor cursor(body);
  std::int8_t attributes = 0;  // none are defined
  std::int64_t timestamp_delta = 0;
  if (!cursor.read_byte(attributes)) return false;
  if (!cursor.read_varlong(timestamp_delta)) return false;
  if (!cursor.read_varint(record.offset_delta)) return false;
  if (!read_nullable(cursor, record.key)) return false;
  if (!read_nullable(cursor, record.value)) return false;
  if (!read_headers(cursor, record.headers)) return false;
  if (__builtin_add_overflow(batch_.base_offset().value, std::int64_t{record.offset_delta},
                             &record.offset.value))
    return false;
  if (batch_.timestamp_type() == TimestampType::log_append_time) {
    record.timestamp = batch_.max_timestamp();
    return true;
  }
  // Wraps around, as in Java and in BatchBuilder: whatever a client wrote can be written again.
  record.timestamp = WallMillis(
      static_cast<std::int64_t>(static_cast<std::uint64_t>(batch_.base_timestamp().value) +
                                static_cast<std::uint64_t>(timestamp_delta)));
  return true;
}

Checked<std::optional<RecordView>> RecordReader::next() {
  if (left_ == 0 && cursor_.remaining() == 0 && !failed_) return std::nullopt;
  RecordView record;
  if (failed_ || left_ == 0 || !parse(record)) {
    failed_ = true;
    return std::unexpected(BatchError::malformed_record);
  }
  if (record.offset_delta <= last_delta_ || record.offset_delta > batch_.last_offset_delta()) {
    failed_ = true;
    return std::unexpected(BatchError::bad_offset_delta);
  }
  last_delta_ = record.offset_delta;
  --left_;
  return record;
}

}  // namespace weir::record
