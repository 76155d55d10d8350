// BatchInfo: what a produce needs to know of a validated record batch, without its records.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "codec/codec.h"

namespace weir::record {

struct BatchInfo {
  /// Whole batch, header included.
  std::uint32_t bytes = 0;
  std::int32_t records = 0;
  std::int64_t base_timestamp_ms = -1;
  /// Never less than the base timestamp, whatever the client wrote.
  std::int64_t max_timestamp_ms = -1;
  /// -1 where the producer is not idempotent.
  ProducerId producer{-1};
  ProducerEpoch epoch{-1};
  std::int32_t base_sequence = -1;
  codec::Codec codec = codec::Codec::none;
  bool transactional = false;

  bool idempotent() const { return producer.value >= 0; }
};

}  // namespace weir::record
