// Meta: the single values of the state, as one unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "state/state.h"
#include "state/unit.h"

namespace weir::state {

/// Changed as a whole, inside an edit.
struct MetaValues {
  std::optional<Position> position;
  Nonce nonce;
  std::string cluster_id;
  std::int64_t created_ms = 0;
  FeatureLevel level;
  std::int64_t next_producer_id = 0;
  /// Of the next object, inline or segment.
  std::uint64_t next_object = 0;
  /// Counts accepted producer runs; orders producers by their last use.
  std::uint64_t producer_uses = 0;
  LeaderEpoch placement_epoch;
  Position last_forget;
  Position horizon;
  std::vector<NotedSnapshot> noted_snapshots;
};

class Meta {
 public:
  const MetaValues* operator->() const { return &values_; }
  const MetaValues& values() const { return values_; }
  MetaValues& change(EditKey) { return values_; }

  bool live() const { return values_.position.has_value(); }
  Hash128 hash() const;

 private:
  MetaValues values_;
};

}  // namespace weir::state
