#include "engine/maintenance/retention.h"

#include "engine/maintenance/span_age.h"

namespace weir::engine {

std::optional<Offset> retained_start(const state::State& state, const state::PartitionRef& at,
                                     const TopicRules& rules) {
  if (!rules.remove_old) return std::nullopt;
  std::optional<state::PartitionInfo> info = state.partition(at);
  if (!info) return std::nullopt;
  std::int64_t now = state.clock_ms();
  std::uint64_t left = info->bytes;
  Offset start = info->start;
  state.visit_spans(at, info->start, [&](const state::SpanInfo& span) {
    std::optional<std::int64_t> young = written_ms(state, span);
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
