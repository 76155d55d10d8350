#include "tests/sim/compacted_view.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace weir::sim {

void CompactedView::may_drop(std::int64_t delete_retention_ms) {
  delete_retention_ms_ =
      std::min(delete_retention_ms, delete_retention_ms_.value_or(delete_retention_ms));
}

void CompactedView::missing(Offset from, Offset to, std::uint64_t sent, std::int64_t now_ms) {
  for (std::int64_t at = from.value; at < to.value; ++at) gaps_.try_emplace(at, Gap{sent, now_ms});
}

void CompactedView::cut(Offset at, std::uint64_t sent, std::int64_t now_ms) {
  missing(at, at.next(), sent, now_ms);
  cut_.insert(at.value);
}

void CompactedView::begin_final() { present_.clear(); }

void CompactedView::present(Offset at) {
  auto index = static_cast<std::size_t>(at.value);
  if (present_.size() <= index) present_.resize(index + 1);
  present_[index] = true;
}

bool CompactedView::is_present(Offset at) const {
  auto index = static_cast<std::size_t>(at.value);
  return index < present_.size() && present_[index];
}

void CompactedView::end_final(const Extent& extent, const Report& report) {
  // What lies below the start is read along with its batch, or not.
  for (std::int64_t at = extent.start.value; before_ && at < extent_.end.value; ++at) {
    auto index = static_cast<std::size_t>(at);
    bool was = index < before_->size() && (*before_)[index];
    if (!was && at >= extent_.start.value && is_present(Offset(at)))
      report(Fault::came_back, Offset(at));
  }
  before_ = present_;
  extent_ = extent;
}

void CompactedView::finish(const std::function<std::optional<KeyedRecord>(Offset)>& record,
                           const std::vector<KeyedRecord>& elsewhere, std::int64_t clock_error_ms,
                           const Report& report) const {
  std::map<std::uint64_t, std::vector<Placed>> by_key;
  std::int64_t first = extent_.start.value;
  if (!cut_.empty()) first = std::min(first, *cut_.begin());
  for (std::int64_t at = first; at < extent_.end.value; ++at)
    if (auto found = record(Offset(at))) by_key[found->key].push_back({Offset(at), *found});
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  std::map<std::uint64_t, std::uint64_t> sent;
  for (const KeyedRecord& one : elsewhere) {
    auto [it, fresh] = sent.try_emplace(one.key, one.sent_at);
    it->second = std::min(it->second, one.sent_at);
  }
  for (const auto& [key, placed] : by_key) {
    auto other = sent.find(key);
    judge_key(placed, other == sent.end() ? kNever : other->second, clock_error_ms, report);
  }
}

void CompactedView::judge_key(const std::vector<Placed>& placed, std::uint64_t elsewhere_sent_at,
                              std::int64_t clock_error_ms, const Report& report) const {
  std::uint64_t later_sent_at = elsewhere_sent_at;
  bool later_gone = false;
  bool later_clean = false;
  for (auto it = placed.rbegin(); it != placed.rend(); ++it) {
    const bool within = it->at >= extent_.start;
    auto gap = within || cut_.contains(it->at.value) ? gaps_.find(it->at.value) : gaps_.end();
    bool superseded = gap != gaps_.end() && later_sent_at < gap->second.sent;
    if (gap != gaps_.end() && !superseded) {
      std::int64_t age = gap->second.now_ms - it->record.timestamp_ms;
      bool old = age + clock_error_ms >= delete_retention_ms_.value_or(0);
      if (!it->record.tombstone)
        report(Fault::value_gone, it->at);
      else if (!old)
        report(Fault::tombstone_gone, it->at);
    }
    bool here = within && is_present(it->at);
    bool clean = it->at < extent_.compacted_to;
    if (here && later_gone) report(Fault::stale_value, it->at);
    if (here && clean && later_clean) report(Fault::twice, it->at);
    later_gone = later_gone || !here;
    later_clean = later_clean || (here && clean);
    later_sent_at = std::min(later_sent_at, it->record.sent_at);
  }
}

}  // namespace weir::sim
