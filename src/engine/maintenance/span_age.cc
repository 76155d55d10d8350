#include "engine/maintenance/span_age.h"

namespace weir::engine {

namespace {
constexpr std::int64_t kClockToleranceMs = 60'000;
}  // namespace

std::optional<std::int64_t> committed_ms(const state::State& state, const state::SpanInfo& span) {
  return state.folded_by_ms(span.object.is_inline ? span.object.position : span.object.born);
}

std::optional<std::int64_t> written_ms(const state::State& state, const state::SpanInfo& span) {
  std::optional<std::int64_t> committed = committed_ms(state, span);
  if (span.max_timestamp_ms < 0) return committed;
  if (!committed) return span.max_timestamp_ms;
  bool in_future = span.max_timestamp_ms - *committed > kClockToleranceMs;
  return in_future ? *committed : span.max_timestamp_ms;
}

}  // namespace weir::engine
