#include "state/cluster/log_clock.h"

#include <algorithm>

#include "state/limits.h"

namespace weir::state {
namespace {

std::int64_t lower_median(const std::map<Incarnation, std::int64_t>& readings) {
  std::vector<std::int64_t> sorted;
  for (const auto& [who, ms] : readings) sorted.push_back(ms);
  std::sort(sorted.begin(), sorted.end());
  return sorted[(sorted.size() - 1) / 2];
}

/// Every second mark of the older half goes.
void thin(std::vector<ClockMark>& marks) {
  if (marks.size() <= kClockMarksMax) return;
  std::vector<ClockMark> kept;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (i >= marks.size() / 2 || i % 2 == 0) kept.push_back(marks[i]);
  marks = std::move(kept);
}

}  // namespace

void ClockValues::read(const std::vector<Incarnation>& live, Incarnation who, std::int64_t wall_ms,
                       Position at) {
  std::erase_if(readings, [&](const auto& reading) {
    return std::find(live.begin(), live.end(), reading.first) == live.end();
  });
  readings[who] = wall_ms;
  std::int64_t told = lower_median(readings);
  if (now_ms != 0 && told - now_ms > kClockStepMaxMs) {
    bool settled = claimed_ms != 0 && told - claimed_ms >= kClockSettleMs;
    if (claimed_ms == 0 || told < claimed_ms) claimed_ms = told;
    if (!settled) return;
  }
  claimed_ms = 0;
  now_ms = told;
  for (ClockMark& mark : marks) mark.ms = std::min(mark.ms, told);
  if (marks.empty() || marks.back().at < at) marks.push_back({at, told});
  thin(marks);
}

Hash128 LogClock::hash() const {
  if (!live()) return {};
  Hash128 sum;
  for (const auto& [who, ms] : values_.readings)
    sum += HashWords().add(who).add(ms).finish(UnitKind::clock);
  for (const ClockMark& mark : values_.marks)
    sum += HashWords().add(mark.at.value).add(mark.ms).finish(UnitKind::clock);
  HashWords words;
  words.add(values_.now_ms).add(values_.claimed_ms).add(sum);
  return words.finish(UnitKind::clock);
}

std::optional<std::int64_t> LogClock::folded_by_ms(Position at) const {
  const std::vector<ClockMark>& marks = values_.marks;
  auto found = std::lower_bound(marks.begin(), marks.end(), at,
                                [](const ClockMark& mark, Position p) { return mark.at < p; });
  if (found == marks.end()) return std::nullopt;
  return found->ms;
}

}  // namespace weir::state
