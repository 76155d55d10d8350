// LogClock: what time it is for the cluster, by the log alone.
//
// Retention must not depend on one broker's clock: a broker that believes in next year would empty
// every topic. So brokers tell their wall clocks by a command, and the time of the cluster is the
// lower median of the latest readings of the registered ones: with two brokers the earlier, so that
// a fast clock deletes nothing; with three or more one wrong clock counts for nothing. A step of
// more than kClockStepMax is ignored until it has been claimed for kClockSettle, which gives a lone
// broker's operator time to notice. Going back is always allowed: data then stays longer.
//
// Marks tell when a position was folded, for data whose timestamps lie in the future: they age by
// their commit time. Old marks are thinned, so their number is bounded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "state/unit.h"

namespace weir::state {

struct ClockMark {
  Position at;
  std::int64_t ms = 0;
};

struct ClockValues {
  /// 0 before the first reading that counts.
  std::int64_t now_ms = 0;
  /// What a step that is too large claimed first and last; 0 if there is none.
  std::int64_t claimed_ms = 0;
  std::int64_t claimed_last_ms = 0;
  std::map<Incarnation, std::int64_t> readings;
  /// In the order of their positions.
  std::vector<ClockMark> marks;

  struct Reading {
    Incarnation who;
    std::int64_t wall_ms = 0;
    Position at;
  };
  /// `live`: the registered brokers, the reader among them. The first step is one from
  /// `created_ms`, when the cluster was made.
  void read(const std::vector<Incarnation>& live, std::int64_t created_ms, const Reading& reading);
};

class LogClock {
 public:
  const ClockValues* operator->() const { return &values_; }
  const ClockValues& values() const { return values_; }
  ClockValues& change(EditKey) { return values_; }

  bool live() const { return !values_.readings.empty(); }
  Hash128 hash() const;
  /// At this time or earlier the entry at `at` was folded; nothing if no later mark says.
  std::optional<std::int64_t> folded_by_ms(Position at) const;

 private:
  ClockValues values_;
};

}  // namespace weir::state
