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
    if (!run_.takes(span, rules)) close_run(rules);
    run_.add(span, rules);
    if (span.object.is_final) return true;
    const std::uint64_t memory = memory_of(1, span.bytes, rules.memory_weight);
    objects_[place_of(span)] += memory;
    memory_ += memory;
    flushes_.bytes += span.bytes;
    flushes_.is_urgent |= is_half_dead(span, rules);
    return true;
  });
  if (!next) close_run(rules);
  return next;
}

void MergeSurvey::close_run(const MergeRules& rules) {
  const RunShape run = std::exchange(run_, {});
  Tally& tally = run.is_final() ? merged_ : flushes_;
  if (run.is_final() && run.is_worth_it(half_enough(rules), rules)) tally.bytes += run.bytes();
  if (!run.is_worth_it(rules.spans_min, rules)) return;
  tally.due_bytes += run.bytes();
  tally.is_urgent |= run.spans() >= rules.spans_min * kVeryLong;
}

bool MergeSurvey::Tally::is_due() const {
  return is_urgent || (due_bytes > 0 && due_bytes >= bytes / kDueOneIn);
}

std::optional<MergeSurvey::Window> MergeSurvey::window(std::uint64_t pass_bytes) const {
  if (objects_.empty()) return std::nullopt;
  if (!flushes_.is_due() && memory_ < pass_bytes) return std::nullopt;
  std::uint64_t taken = 0;
  for (const auto& [place, memory] : objects_) {
    if (taken > 0 && taken + memory > pass_bytes)
      return Window{place, memory_ - taken >= pass_bytes};
    taken += memory;
  }
  return Window{objects_.rbegin()->first.next()};
}

std::optional<std::size_t> MergeSurvey::merged_spans_min(const MergeRules& rules) const {
  if (!merged_.is_due()) return std::nullopt;
  return half_enough(rules);
}

std::uint64_t MergeSurvey::backlog_bytes(std::uint64_t pass_bytes) const {
  return (window(pass_bytes) ? flushes_.bytes : 0) + (merged_.is_due() ? merged_.bytes : 0);
}

}  // namespace weir::engine
