// BatchBuilder: makes record batches, for the client, for compaction and for tests.
//
// Records are encoded as they are appended; `finish` compresses them and writes the header. The
// builder copies what it is given. Failures (a batch over the limit) are reported by `finish`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "record/batch_view.h"
#include "record/limits.h"

namespace weir::record {

struct BatchOptions {
  Offset base_offset{0};
  LeaderEpoch leader_epoch{-1};
  codec::Codec codec = codec::Codec::none;
  int level = codec::level_default;
  TimestampType timestamp_type = TimestampType::create_time;
  /// The time of all records, with TimestampType::log_append_time.
  WallMillis log_append_time{no_timestamp};
  ProducerId producer_id{-1};
  ProducerEpoch producer_epoch{-1};
  std::int32_t base_sequence = no_sequence;
  bool transactional = false;
  bool control = false;
  /// KIP-534: when the tombstones of a compacted batch may go.
  std::optional<WallMillis> delete_horizon;
  /// Compaction keeps the range of a batch though its last records, or all, are gone.
  std::int32_t last_offset_delta_min = -1;
  /// Of the batch, before compression too; no more than the limit of the layer.
  std::size_t batch_bytes_max = limits::batch_bytes_max;
};

struct NewHeader {
  std::string_view key;
  std::optional<Bytes> value;
};

struct NewRecord {
  WallMillis timestamp{no_timestamp};
  std::optional<Bytes> key;
  std::optional<Bytes> value;
  std::span<const NewHeader> headers;
};

class BatchBuilder {
 public:
  explicit BatchBuilder(const BatchOptions& options) : options_(options) {
    ENSURE(options.batch_bytes_max <= limits::batch_bytes_max);
  }

  /// At the offset behind the last one.
  void append(const NewRecord& record);
  /// At this offset, which must be above the last one (compaction leaves holes).
  void append_at(Offset offset, const NewRecord& record);

  std::int32_t records() const { return count_; }
  /// Size of the batch if it is not compressed.
  std::size_t bytes_uncompressed() const { return batch_header_bytes + encoded_.size(); }

  /// Errors: too_large, invalid_argument for the level. The builder is used up.
  Result<Buffer> finish() &&;

 private:
  std::int64_t base_timestamp() const;
  void encode(const NewRecord& record, std::int64_t timestamp_delta, std::int64_t offset_delta);
  std::uint16_t attributes() const;
  void write_header(MutableBytes batch) const;

  BatchOptions options_;
  std::vector<std::byte> encoded_;
  std::int32_t count_ = 0;
  std::int64_t last_delta_ = -1;
  std::optional<WallMillis> first_timestamp_;
  WallMillis max_timestamp_{no_timestamp};
  bool too_large_ = false;
};

}  // namespace weir::record
