#include "engine/compaction/compaction_plan.h"

#include <algorithm>

#include "engine/maintenance/span_age.h"

namespace weir::engine {

namespace {

/// Whether a merge should come first.
bool is_fresh(const state::State& state, const state::SpanInfo& span, std::int64_t lag_ms) {
  if (span.object.is_final || lag_ms <= 0) return false;
  std::optional<std::int64_t> committed = committed_ms(state, span);
  return !committed || state.clock_ms() - *committed < lag_ms;
}

Offset end_of(const state::SpanInfo& span) { return Offset(span.base.value + span.records); }

}  // namespace

std::optional<CompactionPlan> plan_compaction(const state::State& state,
                                              const state::PartitionRef& at,
                                              const compaction::Settings& settings,
                                              const PlanOptions& options) {
  std::optional<state::PartitionInfo> info = state.partition(at);
  WallMillis now(state.clock_ms());
  if (!info || now.value == 0 || info->start == info->end) return std::nullopt;
  compaction::Due due({info->start, info->compacted_to, info->last_stable}, settings, now);
  std::int64_t fresh_ms = std::min(options.unmerged_lag_ms, settings.max_lag_ms / 2);
  state.visit_spans(at, info->start, [&](const state::SpanInfo& span) {
    if (is_fresh(state, span, fresh_ms)) return false;
    std::int64_t written = written_ms(state, span).value_or(-1);
    return due.add({span.base, end_of(span), span.bytes, written});
  });
  if (due.reason() == compaction::Due::Reason::not_due) return std::nullopt;

  CompactionPlan plan;
  plan.at = at;
  plan.dirty_bytes = due.dirty_bytes();
  plan.pass.start = info->start;
  plan.pass.dirty_begin = due.dirty_begin();
  plan.pass.dirty_end = due.dirty_end();
  plan.pass.now = now;
  plan.pass.now_latest =
      WallMillis(std::clamp(options.wall.value, now.value, now.value + kClusterClockLagMaxMs));
  plan.pass.delete_retention_ms = settings.delete_retention_ms;
  state.visit_spans(at, info->start, [&](const state::SpanInfo& span) {
    if (span.base >= due.dirty_end()) return false;
    plan.spans.push_back(span);
    plan.bytes += span.bytes;
    return true;
  });
  for (const state::SpanInfo& span : plan.spans)
    plan.digests.push_back(state.spans_digest(at, span.base, end_of(span)).value_or(Hash128()));
  state.visit_producers(at, [&](ProducerId producer, ProducerEpoch epoch, Offset end) {
    plan.producers.push_back({producer, epoch, Offset(end.value - 1)});
  });
  return plan;
}

}  // namespace weir::engine
