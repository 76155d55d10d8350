// RecordReader: the records of one batch, decompressed if need be, as views.
//
// The reader is strict: the lengths of records, fields and headers must fit exactly, there must be
// as many records as the header counts, and nothing behind them; offsets must rise inside the range
// of the batch. Memory is bounded by the limit on decompressed bytes. Records of a plain batch
// borrow the batch's bytes, those of a compressed one borrow the reader's buffer: both must outlive
// the views.
#pragma once

#include <optional>
#include <string_view>

#include "record/batch_view.h"
#include "record/limits.h"
#include "record/varint.h"

namespace weir::record {

struct HeaderView {
  std::string_view key;
  std::optional<Bytes> value;
};

/// The headers of a record; already known to parse.
class HeadersView {
 public:
  HeadersView() = default;
  HeadersView(Bytes encoded, std::int32_t count) : cursor_(encoded), count_(count) {}

  std::int32_t count() const { return count_; }
  /// A copy walks by itself; this one is used up.
  std::optional<HeaderView> next();

 private:
  Cursor cursor_{Bytes()};
  std::int32_t count_ = 0;
};

struct RecordView {
  Offset offset;
  std::int32_t offset_delta = 0;
  /// The batch's max timestamp where the broker set the time.
  WallMillis timestamp;
  std::optional<Bytes> key;
  std::optional<Bytes> value;
  HeadersView headers;
  /// The whole record with its length, as it stands in the (decompressed) records section.
  Bytes encoded;
};

class RecordReader {
 public:
  /// Decompresses. Fails with unknown_codec, undecodable, records_too_large, bad_count.
  static Checked<RecordReader> open(const BatchView& batch,
                                    std::size_t records_bytes_max = limits::records_bytes_max);

  /// The next record; nothing at the end. Fails with malformed_record or bad_offset_delta, and then
  /// every call fails with malformed_record.
  Checked<std::optional<RecordView>> next();
  /// Of all records together, decompressed, whatever has been read of them.
  std::size_t records_bytes() const { return records_bytes_; }

 private:
  RecordReader(const BatchView& batch, Buffer decompressed, Bytes records)
      : batch_(batch),
        decompressed_(std::move(decompressed)),
        records_(records),
        cursor_(records),
        records_bytes_(records.size()),
        left_(batch.record_count()) {}
  bool parse(RecordView& record);

  BatchView batch_;
  Buffer decompressed_;
  Bytes records_;
  Cursor cursor_;
  std::size_t records_bytes_;
  std::int32_t left_;
  std::int32_t last_delta_ = -1;
  bool failed_ = false;
};

}  // namespace weir::record
