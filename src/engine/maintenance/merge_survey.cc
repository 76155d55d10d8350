#include "engine/maintenance/merge_survey.h"

#include <algorithm>
#include <utility>

namespace weir::engine {

namespace {
/// One in so many bytes lies in a run that is long enough.
constexpr std::uint64_t kDueOneIn = 4;
/// A run of so many times what is enough waits for nobody.
constexpr std::size_t kVeryLong = 4;

std::size_t half_enough(const MergeRules& rules) {
  return std::max<std::size_t>(rules.spans_min / 2, 2);
}
}  // namespace

void MergeSurvey::add(Load& load, const state::SpanInfo& span, const MergeRules& rules) {
  load.memory += memory_of(1, span.bytes, rules);
  load.bytes += span.bytes;
  ++load.spans;
}

std::optional<Offset> MergeSurvey::look_at(const state::State& state, const state::PartitionRef& at,
                                           const MergeRules& rules, Offset offset,
                                           std::size_t spans_max) {
  std::optional<Offset> next;
  std::size_t looked = 0;
  state.visit_spans(at, offset, [&](const state::SpanInfo& span) {
    if (looked++ == spans_max) {
      next = span.base;
      return false;
    }
    const bool young = place_of(span) >= rules.settled;
    if (young && !span.object.is_final) return false;
    if (young || span.bytes >= rules.leave_bytes || is_unreadable(span, rules)) {
      close_run(rules);
      return true;
    }
    if (span.object.is_final != run_is_final_) close_run(rules);
    run_is_final_ = span.object.is_final;
    add(run_, span, rules);
    if (span.object.is_final) return true;
    add(flushes_.all, span, rules);
    add(objects_[place_of(span)], span, rules);
    return true;
  });
  if (!next) close_run(rules);
  return next;
}

void MergeSurvey::close_run(const MergeRules& rules) {
  const Load run = std::exchange(run_, {});
  Tally& tally = run_is_final_ ? merged_ : flushes_;
  const bool long_enough = is_long_enough(run.spans, run.bytes, rules.spans_min, rules);
  if (run_is_final_ && is_long_enough(run.spans, run.bytes, half_enough(rules), rules)) {
    tally.all.bytes += run.bytes;
    tally.all.spans += run.spans;
  }
  if (!long_enough) return;
  tally.due_bytes += run.bytes;
  tally.has_very_long |= run.spans >= rules.spans_min * kVeryLong;
}

bool MergeSurvey::Tally::is_due() const {
  return due_bytes > 0 && (has_very_long || due_bytes >= all.bytes / kDueOneIn);
}

std::optional<MergeSurvey::Window> MergeSurvey::window(std::uint64_t pass_bytes) const {
  if (objects_.empty()) return std::nullopt;
  const std::uint64_t all = flushes_.all.memory;
  if (!flushes_.is_due() && all < pass_bytes) return std::nullopt;
  std::uint64_t taken = 0;
  for (const auto& [place, load] : objects_) {
    if (taken > 0 && taken + load.memory > pass_bytes)
      return Window{place, all - taken >= pass_bytes};
    taken += load.memory;
  }
  return Window{objects_.rbegin()->first.next()};
}

std::optional<std::size_t> MergeSurvey::merged_spans_min(const MergeRules& rules) const {
  if (!merged_.is_due()) return std::nullopt;
  return half_enough(rules);
}

std::uint64_t MergeSurvey::backlog_bytes(std::uint64_t pass_bytes) const {
  return (window(pass_bytes) ? flushes_.all.bytes : 0) + (merged_.is_due() ? merged_.all.bytes : 0);
}

}  // namespace weir::engine
