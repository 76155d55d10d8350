#include "state/cluster/log_clock.h"

#include <algorithm>

#include "state/limits.h"

namespace weir::state {
namespace {

std::int64_t lower_median(const std::map<Incarnation, std::int64_t>& readings) {
  std::vector<std::int64_t> sorted;
  sorted.reserve(readings.size());
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

void ClockValues::read(const std::vector<Incarnation>& live, std::int64_t created_ms,
                       const Reading& fresh) {
  std::erase_if(readings, [&](const auto& reading) {
    return std::find(live.begin(), live.end(), reading.first) == live.end();
  });
  readings[fresh.who] = fresh.wall_ms;
  std::int64_t told = lower_median(readings);
  std::int64_t from = now_ms != 0 ? now_ms : std::max<std::int64_t>(created_ms, 0);
  if (told - from > kClockStepMaxMs) {
    // A claim goes on as a clock does, or it is another one.
    bool same =
        claimed_ms != 0 && told >= claimed_last_ms && told - claimed_last_ms <= kClockStepMaxMs;
    if (!same) claimed_ms = told;
    claimed_last_ms = told;
    if (told - claimed_ms < kClockSettleMs) return;
  }
  claimed_ms = claimed_last_ms = 0;
  now_ms = told;
  // Marks of a clock that was far ahead are put right; those that are a little off stay, or data
  // would grow older whenever another clock counts.
  for (ClockMark& mark : marks)
    if (mark.ms - told > kClockStepMaxMs) mark.ms = told;
  if (marks.empty() || marks.back().at < fresh.at) marks.push_back({fresh.at, told});
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
  words.add(values_.now_ms).add(values_.claimed_ms).add(values_.claimed_last_ms).add(sum);
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
