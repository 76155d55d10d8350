#include "compaction/due.h"

#include <algorithm>

namespace weir::compaction {

namespace {

/// a - b, or the smallest number instead of one that does not fit.
std::int64_t minus(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_sub_overflow(a, b, &result) ? INT64_MIN : result;
}

}  // namespace

Due::Due(const Log& log, const Settings& settings, WallMillis now)
    : settings_(settings),
      now_(now),
      last_stable_(log.last_stable),
      dirty_begin_(std::max(log.start, log.compacted_to)),
      dirty_end_(dirty_begin_) {}

bool Due::add(const SpanFacts& span) {
  if (span.end <= dirty_begin_) {
    clean_bytes_ += span.bytes;
    return true;
  }
  // A span is taken whole or not at all, but for the one in which an earlier run stopped.
  if (span.end > last_stable_) return false;
  if (settings_.min_lag_ms > 0 && span.timestamp_ms > minus(now_.value, settings_.min_lag_ms))
    return false;
  if (span.end.value - dirty_begin_.value > limits::mapped_offsets_max) return false;
  dirty_end_ = span.end;
  dirty_bytes_ += span.bytes;
  if (!oldest_dirty_ms_) oldest_dirty_ms_ = span.timestamp_ms;
  return true;
}

Due::Reason Due::reason() const {
  if (dirty_bytes_ == 0) return Reason::not_due;
  std::int64_t lag = std::max(settings_.max_lag_ms, settings_.min_lag_ms);
  // Without a timestamp nobody can say how old it is.
  if (oldest_dirty_ms_ && *oldest_dirty_ms_ >= 0 && *oldest_dirty_ms_ < minus(now_.value, lag))
    return Reason::lag;
  auto dirty = static_cast<double>(dirty_bytes_);
  auto all = static_cast<double>(dirty_bytes_ + clean_bytes_);
  bool worth = dirty_bytes_ >= settings_.dirty_bytes_min && dirty > settings_.dirty_ratio_min * all;
  return worth ? Reason::ratio : Reason::not_due;
}

}  // namespace weir::compaction
