// Due: which offsets of a partition a compaction would look at, and whether it is time for one.
//
// As Kafka chooses (KIP-354), but by spans instead of log segments: dirty is what lies between the
// end of the last compaction and the first record that is too young, not yet stable, or not yet
// there. The dirty range never reaches past the last stable offset.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "base/time.h"
#include "compaction/limits.h"

namespace weir::compaction {

struct Settings {
  std::int64_t min_lag_ms = 0;
  std::int64_t max_lag_ms = INT64_MAX;
  double dirty_ratio_min = 0.5;
  std::int64_t delete_retention_ms = 86'400'000;
  /// For the ratio; not for the max lag.
  std::uint64_t dirty_bytes_min = limits::dirty_bytes_min;
};

struct SpanFacts {
  Offset base;
  Offset end;
  std::uint64_t bytes = 0;
  /// When its records count as written: the greatest timestamp, not later than the commit.
  std::int64_t timestamp_ms = -1;
};

/// Collects the spans of one partition, in offset order, and judges.
class Due {
 public:
  struct Log {
    Offset start;
    /// Everything below is clean.
    Offset compacted_to;
    Offset last_stable;
  };
  Due(const Log& log, const Settings& settings, WallMillis now);

  /// False: the rest does not matter.
  bool add(const SpanFacts& span);

  enum class Reason : std::uint8_t { not_due, ratio, lag };
  Reason reason() const;
  Offset dirty_begin() const { return dirty_begin_; }
  Offset dirty_end() const { return dirty_end_; }
  std::uint64_t dirty_bytes() const { return dirty_bytes_; }
  std::uint64_t clean_bytes() const { return clean_bytes_; }

 private:
  Settings settings_;
  WallMillis now_;
  Offset last_stable_;
  Offset dirty_begin_;
  Offset dirty_end_;
  std::uint64_t dirty_bytes_ = 0;
  std::uint64_t clean_bytes_ = 0;
  std::optional<std::int64_t> oldest_dirty_ms_;
};

}  // namespace weir::compaction
