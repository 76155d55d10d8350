// FlushWindow: up to which position flushes are merged together. Pure.
//
// Each flush writes one object with small spans of many partitions. Were a partition merged on its
// own as soon as it has enough of them, each merge would read nearly all of these objects for a few
// partitions, and slow topics would have every object read many times. So a merge takes all small
// spans that flushes placed before one position, also the only one of a partition, and reads each
// object once. It is worth it when a good part of their bytes lies in runs that are long enough, or
// when they fill a pass.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "engine/maintenance/merge_plan.h"

namespace weir::engine {

class FlushWindow {
 public:
  /// What was placed before `from` does not count.
  explicit FlushWindow(Position from) : from_(from) {}

  /// Looks at no more than `spans_max` spans of a partition from `offset` on. Returns where to go
  /// on, before any other partition. `memory_weight`: bytes in memory for one that is stored.
  std::optional<Offset> look_at(const state::State& state, const state::PartitionRef& at,
                                const MergeRules& rules, Offset offset, std::size_t spans_max,
                                std::uint64_t memory_weight);

  /// What one pass can hold.
  struct Room {
    std::uint64_t bytes;
    std::size_t spans;
  };
  struct Window {
    /// Behind the last object that belongs to it.
    Position end;
    /// What is left fills another one.
    bool more = false;
  };
  /// From the oldest object on, as many as have room, but at least one.
  std::optional<Window> window(const Room& room) const;

 private:
  struct Load {
    std::uint64_t bytes = 0;
    std::size_t spans = 0;
  };
  void close_run(const MergeRules& rules);

  Position from_;
  std::map<Position, Load> objects_;
  Load all_;
  std::uint64_t due_bytes_ = 0;
  /// Spans that follow each other in the partition at hand.
  Load run_;
  std::uint64_t run_stored_bytes_ = 0;
};

}  // namespace weir::engine
