// CompactionPlan: what one run over one partition will look at. Pure.
#pragma once

#include <optional>
#include <vector>

#include "base/hash.h"
#include "compaction/due.h"
#include "compaction/pass.h"
#include "state/state.h"

namespace weir::engine {

struct CompactionPlan {
  state::PartitionRef at;
  compaction::PassOptions pass;
  /// From the one that holds the log's start up to the end of the dirty range.
  std::vector<state::SpanInfo> spans;
  /// Hash of each span: what guards a replacement is their sum.
  std::vector<Hash128> digests;
  std::vector<compaction::ProducerEnd> producers;
  std::uint64_t bytes = 0;
  std::uint64_t dirty_bytes = 0;
  /// Bytes in memory for one that is stored, at most.
  std::uint64_t memory_weight = 1;
};

/// The time of the cluster may be this much behind, for an idle cluster tells it rarely.
inline constexpr std::int64_t kClusterClockLagMaxMs = 3'600'000;

struct PlanOptions {
  /// This broker's own clock.
  WallMillis wall;
  /// Spans of flushes younger than this, or than half of the max lag, end the dirty range: a merge
  /// is about to put them together, and until then each lies in an object of its own, with those of
  /// all other partitions. Kafka leaves its active segment alone likewise.
  std::int64_t unmerged_lag_ms = 0;
};

/// Nothing if a run is not due, or nobody can say what time it is. The cluster's time decides what
/// is over; where something begins to count, this broker's own clock is believed as far as the
/// cluster's may be behind, so that a tombstone never goes too early.
std::optional<CompactionPlan> plan_compaction(const state::State& state,
                                              const state::PartitionRef& at,
                                              const compaction::Settings& settings,
                                              const PlanOptions& options);

}  // namespace weir::engine
