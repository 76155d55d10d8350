// BatchView: the header of one record batch, read in place.
//
// A view is made only where a whole batch of format 2 lies inside the given bytes: its accessors
// never fail and never leave the batch. That the checksum and the fields make sense is another
// question (`checksum_ok`, `validate.h`). A view borrows the bytes; whoever holds them
// (SharedBytes) must outlive it.
#pragma once

#include <optional>

#include "base/endian.h"
#include "base/ids.h"
#include "base/time.h"
#include "codec/codec.h"
#include "record/batch_error.h"
#include "record/format.h"

namespace weir::record {

class BatchView {
 public:
  /// The batch at the front of `bytes`, which may go on behind it. Fails with empty, cut_off,
  /// bad_magic, bad_length.
  static Checked<BatchView> front_of(Bytes bytes);

  /// Exactly the batch.
  Bytes bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  /// What follows the header; compressed if there is a codec.
  Bytes records() const { return bytes_.subspan(at::records); }

  Offset base_offset() const { return Offset(load_be<std::int64_t>(bytes_, at::base_offset)); }
  /// Of the last record, or of the last that was there before compaction.
  Offset last_offset() const;
  LeaderEpoch leader_epoch() const {
    return LeaderEpoch(load_be<std::int32_t>(bytes_, at::leader_epoch));
  }
  std::uint32_t crc() const { return load_be<std::uint32_t>(bytes_, at::crc); }
  std::int32_t last_offset_delta() const {
    return load_be<std::int32_t>(bytes_, at::last_offset_delta);
  }
  /// -1 if there is none.
  WallMillis base_timestamp() const {
    return WallMillis(load_be<std::int64_t>(bytes_, at::base_timestamp));
  }
  WallMillis max_timestamp() const {
    return WallMillis(load_be<std::int64_t>(bytes_, at::max_timestamp));
  }
  ProducerId producer_id() const {
    return ProducerId(load_be<std::int64_t>(bytes_, at::producer_id));
  }
  bool has_producer() const { return producer_id().value >= 0; }
  ProducerEpoch producer_epoch() const {
    return ProducerEpoch(load_be<std::int16_t>(bytes_, at::producer_epoch));
  }
  std::int32_t base_sequence() const { return load_be<std::int32_t>(bytes_, at::base_sequence); }
  std::int32_t record_count() const { return load_be<std::int32_t>(bytes_, at::record_count); }

  std::uint16_t attributes() const { return load_be<std::uint16_t>(bytes_, at::attributes); }
  /// Nothing for the unassigned values.
  std::optional<codec::Codec> codec() const {
    return codec::codec_of_attribute(attributes() & attribute::codec_mask);
  }
  TimestampType timestamp_type() const {
    return attributes() & attribute::log_append_time ? TimestampType::log_append_time
                                                     : TimestampType::create_time;
  }
  bool transactional() const { return attributes() & attribute::transactional; }
  bool control() const { return attributes() & attribute::control; }
  bool has_delete_horizon() const { return attributes() & attribute::delete_horizon; }

  /// One pass over the batch.
  bool checksum_ok() const;
  /// The CRC32C of bytes whose checksum is `previous` with this batch behind them, all of it, for a
  /// batch whose own checksum was verified: the records of a long batch are not read again.
  std::uint32_t checksum_after(std::uint32_t previous) const;

 private:
  explicit BatchView(Bytes bytes) : bytes_(bytes) {}
  Bytes bytes_;
};

/// Walks the batches of a region: whole batches, back to back. Checksums are not verified.
class BatchIterator {
 public:
  explicit BatchIterator(Bytes region) : region_(region) {}

  /// The next batch; nothing at the end. After an error every call gives the same error.
  Checked<std::optional<BatchView>> next();
  /// Where in the region the next batch begins.
  std::size_t position() const { return position_; }

 private:
  Bytes region_;
  std::size_t position_ = 0;
};

}  // namespace weir::record
