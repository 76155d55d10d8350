#include "engine/maintenance/flush_window.h"

#include <utility>

namespace weir::engine {

namespace {
/// One in so many bytes lies in a run that is long enough.
constexpr std::uint64_t kDueOneIn = 4;
}  // namespace

std::optional<Offset> FlushWindow::look_at(const state::State& state, const state::PartitionRef& at,
                                           const MergeRules& rules, Offset offset,
                                           std::size_t spans_max, std::uint64_t memory_weight) {
  std::optional<Offset> next;
  std::size_t looked = 0;
  state.visit_spans(at, offset, [&](const state::SpanInfo& span) {
    if (looked++ == spans_max) {
      next = span.base;
      return false;
    }
    Position place = place_of(span);
    if (!is_small_flush(span, rules) || place < from_) {
      close_run(rules);
      return true;
    }
    if (place >= rules.settled) return false;
    const std::uint64_t bytes = span.bytes * memory_weight;
    for (Load* load : {&objects_[place], &all_, &run_}) {
      load->bytes += bytes;
      ++load->spans;
    }
    run_stored_bytes_ += span.bytes;
    return true;
  });
  if (!next) close_run(rules);
  return next;
}

void FlushWindow::close_run(const MergeRules& rules) {
  const Load run = std::exchange(run_, {});
  const std::uint64_t stored_bytes = std::exchange(run_stored_bytes_, 0);
  if (is_long_enough(run.spans, stored_bytes, rules)) due_bytes_ += run.bytes;
}

std::optional<FlushWindow::Window> FlushWindow::window(const Room& room) const {
  auto fills = [&](const Load& load) {
    return load.bytes >= room.bytes || load.spans >= room.spans;
  };
  if (objects_.empty()) return std::nullopt;
  const bool due = due_bytes_ > 0 && due_bytes_ >= all_.bytes / kDueOneIn;
  if (!due && !fills(all_)) return std::nullopt;
  Load taken;
  for (const auto& [place, load] : objects_) {
    const bool fits =
        taken.bytes + load.bytes <= room.bytes && taken.spans + load.spans <= room.spans;
    if (taken.spans > 0 && !fits)
      return Window{place, fills({all_.bytes - taken.bytes, all_.spans - taken.spans})};
    taken.bytes += load.bytes;
    taken.spans += load.spans;
  }
  return Window{objects_.rbegin()->first.next()};
}

}  // namespace weir::engine
