#include "engine/maintenance/merge_plan.h"

#include <algorithm>

#include "engine/limits.h"

namespace weir::engine {

Position place_of(const state::SpanInfo& span) {
  return span.object.is_inline ? span.object.position : span.object.born;
}

bool is_small_flush(const state::SpanInfo& span, const MergeRules& rules) {
  return !span.object.is_final && span.bytes < rules.leave_bytes;
}

bool is_unreadable(const state::SpanInfo& span, const MergeRules& rules) {
  return rules.is_unreadable && rules.is_unreadable(span.object);
}

bool is_half_dead(const state::SpanInfo& span, const MergeRules& rules) {
  return rules.is_half_dead && rules.is_half_dead(span.object);
}

bool RunShape::takes(const state::SpanInfo& span, const MergeRules& rules) const {
  if (spans_ == 0) return true;
  if (span.object.is_final != is_final_) return false;
  if (bytes_ + span.bytes > rules.run_bytes_max) return false;
  std::int64_t youngest = std::max(youngest_ms_, span.max_timestamp_ms);
  std::int64_t oldest = std::min(oldest_ms_, span.max_timestamp_ms);
  return rules.extent_ms_max < 0 || oldest < 0 || youngest - oldest <= rules.extent_ms_max;
}

void RunShape::add(const state::SpanInfo& span, const MergeRules& rules) {
  const bool first = spans_ == 0;
  is_final_ = span.object.is_final;
  youngest_ms_ = first ? span.max_timestamp_ms : std::max(youngest_ms_, span.max_timestamp_ms);
  oldest_ms_ = first ? span.max_timestamp_ms : std::min(oldest_ms_, span.max_timestamp_ms);
  // Regions are cut by what was produced, of which only a bound is known here.
  const std::uint64_t raw_bytes_max = span.bytes * rules.memory_weight;
  if (first || last_region_bytes_ + raw_bytes_max > rules.region_bytes) {
    ++regions_;
    last_region_bytes_ = 0;
  }
  last_region_bytes_ += raw_bytes_max;
  bytes_ += span.bytes;
  ++spans_;
}

bool RunShape::is_worth_it(std::size_t spans_min, const MergeRules& rules) const {
  const bool long_enough = spans_ >= spans_min || (spans_ > 1 && bytes_ >= rules.leave_bytes);
  return long_enough && regions_ * 2 <= spans_;
}

std::uint64_t memory_of(std::size_t spans, std::uint64_t bytes, std::uint64_t memory_weight) {
  return bytes * memory_weight + spans * kMergeSpanBytes;
}

std::optional<Hash128> digest_of(const state::State& state, const state::PartitionRef& at,
                                 std::span<const state::SpanInfo> spans) {
  std::size_t same = 0;
  state.visit_spans(at, spans.front().base, [&](const state::SpanInfo& span) {
    return span == spans[same] && ++same < spans.size();
  });
  if (same < spans.size()) return std::nullopt;
  return state.spans_digest(at, spans.front().base,
                            Offset(spans.back().base.value + spans.back().records));
}

namespace {

class Planner {
 public:
  Planner(const state::State& state, const state::PartitionRef& at, const MergeRules& rules)
      : state_(state), at_(at), rules_(rules) {}

  /// False: nothing beyond this span can be settled.
  bool look_at(const state::SpanInfo& span) {
    if (is_unreadable(span, rules_)) {
      close();
      return true;
    }
    bool urgent = must_move(span);
    if (!urgent) {
      bool young = place_of(span) >= rules_.settled;
      // What was merged a moment ago is young too, and older flushes may follow it.
      if (young && !span.object.is_final) return false;
      if (young || span.bytes >= rules_.leave_bytes || !span.object.is_final) {
        close();
        return true;
      }
    }
    if (!shape_.takes(span, rules_)) close();
    if (run_.spans.empty()) run_.base = span.base;
    shape_.add(span, rules_);
    urgent_ = urgent_ || urgent;
    run_.spans.push_back(span);
    run_.end = Offset(span.base.value + span.records);
    return true;
  }

  void close() {
    bool enough = rules_.merged_spans_min && shape_.is_worth_it(*rules_.merged_spans_min, rules_);
    if (!run_.spans.empty() && (urgent_ || enough)) {
      run_.at = at_;
      run_.bytes = shape_.bytes();
      run_.region_bytes = rules_.region_bytes;
      run_.is_compacted = rules_.is_compacted;
      // Nothing changes while the plan is made, so the bounds are those of spans.
      run_.digest = state_.spans_digest(at_, run_.base, run_.end).value_or(Hash128());
      runs_.push_back(std::move(run_));
    }
    run_ = MergeRun();
    shape_ = RunShape();
    urgent_ = false;
  }

  std::vector<MergeRun> take() { return std::move(runs_); }

 private:
  bool must_move(const state::SpanInfo& span) const {
    const bool small_flush = is_small_flush(span, rules_);
    if (small_flush && place_of(span) < rules_.window_end) return true;
    if (span.object.is_inline) return span.object.position < rules_.inline_must_move;
    // Each broker empties such a segment of its small flushes in a window of its own.
    return !small_flush && is_half_dead(span, rules_);
  }

  const state::State& state_;
  state::PartitionRef at_;
  const MergeRules& rules_;
  std::vector<MergeRun> runs_;
  MergeRun run_;
  RunShape shape_;
  bool urgent_ = false;
};

}  // namespace

MergePlan plan_merge(const state::State& state, const state::PartitionRef& at,
                     const MergeRules& rules, Offset from, std::size_t spans_max) {
  Planner planner(state, at, rules);
  MergePlan plan;
  std::size_t looked = 0;
  state.visit_spans(at, from, [&](const state::SpanInfo& span) {
    if (looked++ == spans_max) {
      plan.next = span.base;
      return false;
    }
    return planner.look_at(span);
  });
  planner.close();
  plan.runs = planner.take();
  return plan;
}

}  // namespace weir::engine
