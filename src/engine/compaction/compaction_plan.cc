#include "engine/compaction/compaction_plan.h"

#include <algorithm>

namespace weir::engine {

namespace {

/// A record from the future is as old as its commit.
std::int64_t written_ms(const state::State& state, const state::SpanInfo& span) {
  Position at = span.object.is_inline ? span.object.position : span.object.born;
  std::optional<std::int64_t> committed = state.folded_by_ms(at);
  if (!committed || span.max_timestamp_ms < 0) return span.max_timestamp_ms;
  return std::min(span.max_timestamp_ms, *committed);
}

Offset end_of(const state::SpanInfo& span) { return Offset(span.base.value + span.records); }

}  // namespace

std::optional<CompactionPlan> plan_compaction(const state::State& state,
                                              const state::PartitionRef& at,
                                              const compaction::Settings& settings,
                                              WallMillis wall) {
  std::optional<state::PartitionInfo> info = state.partition(at);
  WallMillis now(state.clock_ms());
  if (!info || now.value == 0 || info->start == info->end) return std::nullopt;
  compaction::Due due({info->start, info->compacted_to, info->last_stable}, settings, now);
  state.visit_spans(at, info->start, [&](const state::SpanInfo& span) {
    return due.add({span.base, end_of(span), span.bytes, written_ms(state, span)});
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
      WallMillis(std::clamp(wall.value, now.value, now.value + kClusterClockLagMaxMs));
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
