// MergeSurvey: what a round of merging should take. Pure.
//
// Each flush writes one object with small spans of many partitions. Were a partition merged on its
// own as soon as it has enough of them, each merge would read nearly all of these objects for a few
// partitions, and slow topics would have every object read many times. So a merge takes a window:
// all small spans that flushes placed before one position, also the only one of a partition, and
// reads each object once. It is worth it when a good part of their bytes lies in runs that are long
// enough, when they fill a pass, when a run is very long, or when they hold segments that are more
// than half dead.
//
// With merged spans it is the same, but for the lone ones, which would be rewritten again and
// again: they stay until a good part of what could be merged lies in runs that are long enough, and
// then all runs of at least half that length are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "engine/maintenance/merge_plan.h"

namespace weir::engine {

class MergeSurvey {
 public:
  /// Looks at no more than `spans_max` spans of a partition from `offset` on. Returns where to go
  /// on, before any other partition.
  std::optional<Offset> look_at(const state::State& state, const state::PartitionRef& at,
                                const MergeRules& rules, Offset offset, std::size_t spans_max);

  struct Window {
    /// Behind the last object that belongs to it.
    Position end;
    /// What is left fills another one.
    bool more = false;
  };
  /// From the oldest object on as many as a pass may hold in memory, but at least one. Nothing if
  /// it is not worth it.
  std::optional<Window> window(std::uint64_t pass_bytes) const;
  /// How many merged spans side by side are worth a merge now. Nothing: none are.
  std::optional<std::size_t> merged_spans_min(const MergeRules& rules) const;
  /// Record bytes that this round and later ones should merge.
  std::uint64_t backlog_bytes(std::uint64_t pass_bytes) const;

 private:
  struct Tally {
    /// What could be merged, and what of it lies in runs that are long enough.
    std::uint64_t bytes = 0;
    std::uint64_t due_bytes = 0;
    /// What waits for nobody.
    bool is_urgent = false;
    bool is_due() const;
  };
  void close_run(const MergeRules& rules);

  /// Of flushes, in memory.
  std::map<Position, std::uint64_t> objects_;
  std::uint64_t memory_ = 0;
  Tally flushes_;
  Tally merged_;
  /// In the partition at hand.
  RunShape run_;
};

}  // namespace weir::engine
