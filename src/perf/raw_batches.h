// RawBatches: record batches that are encoded before the measurement begins.
//
// A few distinct ones are sent in turn; their bytes are shared, never copied. A producer with
// sequences needs another header for each batch: its checksum is combined from that of the header
// and the one of the records, which is computed once, so the records are not read again.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "codec/codec.h"
#include "perf/payload.h"

namespace weir::perf {

struct RawBatchOptions {
  PayloadOptions payload;
  /// A batch holds as many records as fit before compression, at least one.
  std::size_t batch_bytes = 256u << 10;
  codec::Codec codec = codec::Codec::none;
  WallMillis timestamp;
  std::uint64_t seed = 1;
};

struct Sequence {
  ProducerId producer;
  ProducerEpoch epoch;
  std::int32_t first = 0;
};

class RawBatches {
 public:
  /// Errors: those of encoding.
  static Result<RawBatches> make(const RawBatchOptions& options);

  std::size_t size() const { return batches_.size(); }
  /// Number `i`, as it was encoded.
  BytesChain plain(std::size_t i) const { return batches_[i].whole; }
  /// The same with a sequence.
  BytesChain stamped(std::size_t i, const Sequence& sequence) const;
  std::int32_t records(std::size_t i) const { return batches_[i].records; }
  std::size_t bytes(std::size_t i) const { return batches_[i].whole.size(); }
  /// Keys and values.
  std::size_t payload_bytes(std::size_t i) const { return batches_[i].payload_bytes; }

 private:
  struct Batch {
    SharedBytes whole;
    SharedBytes behind_header;
    std::uint32_t crc_behind_header = 0;
    std::int32_t records = 0;
    std::size_t payload_bytes = 0;
  };
  static Result<Batch> encode(const RawBatchOptions& options, Payload& payload);

  std::vector<Batch> batches_;
};

/// Sequences are 31 bits wide and start again at 0.
inline std::int32_t advance_sequence(std::int32_t sequence, std::int32_t records) {
  return static_cast<std::int32_t>(
      (static_cast<std::uint32_t>(sequence) + static_cast<std::uint32_t>(records)) & 0x7fffffffu);
}

}  // namespace weir::perf
