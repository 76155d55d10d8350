// Control batches: the markers that end a transaction (KIP-98).
//
// A marker takes one offset. weir keeps it as state and writes it as a control batch when somebody
// reads; consumers take commit or abort from it. Key: int16 version, int16 type; value: int16
// version, int32 coordinator epoch.
#pragma once

#include <cstdint>
#include <optional>

#include "record/batch_view.h"

namespace weir::record {

enum class MarkerType : std::int16_t { abort = 0, commit = 1 };

struct Marker {
  MarkerType type = MarkerType::abort;
  Offset offset;
  LeaderEpoch leader_epoch;
  WallMillis timestamp;
  ProducerId producer_id;
  ProducerEpoch producer_epoch;
  std::int32_t coordinator_epoch = 0;

  friend bool operator==(const Marker&, const Marker&) = default;
};

Buffer build_marker(const Marker& marker);

/// Nothing if `batch` is not a control batch, or controls something else.
Checked<std::optional<Marker>> read_marker(const BatchView& batch);

}  // namespace weir::record
