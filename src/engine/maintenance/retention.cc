#include "engine/maintenance/retention.h"

namespace weir::engine {

namespace {

/// How far clocks of producers and brokers may differ before a timestamp counts as one of the
/// future. Without it a commit that was timed by a slow clock would age its data.
constexpr std::int64_t kClockToleranceMs = 60'000;

/// When the span was young for the last time; nothing if that cannot be told yet.
std::optional<std::int64_t> youth_ms(const state::State& state, const state::SpanInfo& span) {
  Position at = span.object.is_inline ? span.object.position : span.object.born;
  std::optional<std::int64_t> committed = state.folded_by_ms(at);
  if (span.max_timestamp_ms < 0) return committed;
  if (!committed) return span.max_timestamp_ms;
  bool in_future = span.max_timestamp_ms - *committed > kClockToleranceMs;
  return in_future ? *committed : span.max_timestamp_ms;
}

}  // namespace

std::optional<Offset> retained_start(const state::State& state, const state::PartitionRef& at,
                                     const TopicRules& rules) {
  if (!rules.remove_old) return std::nullopt;
  std::optional<state::PartitionInfo> info = state.partition(at);
  if (!info) return std::nullopt;
  std::int64_t now = state.clock_ms();
  std::uint64_t left = info->bytes;
  Offset start = info->start;
  state.visit_spans(at, info->start, [&](const state::SpanInfo& span) {
    std::optional<std::int64_t> young = youth_ms(state, span);
    bool old =
        rules.retention_ms >= 0 && young && now > *young && now - *young > rules.retention_ms;
    bool too_much = rules.retention_bytes >= 0 && left >= span.bytes &&
                    left - span.bytes >= static_cast<std::uint64_t>(rules.retention_bytes);
    if (!old && !too_much) return false;
    left -= span.bytes;
    start = Offset(span.base.value + span.records);
    return true;
  });
  if (start <= info->start) return std::nullopt;
  return start;
}

}  // namespace weir::engine
