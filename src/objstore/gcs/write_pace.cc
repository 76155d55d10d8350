#include "objstore/gcs/write_pace.h"

#include <algorithm>

#include "objstore/gcs/limits.h"

namespace weir::objstore::gcs {

MonoTime WritePace::next(const std::string& name, MonoTime now) {
  if (gap_ <= 0s) return now;
  while (!order_.empty() &&
         (order_.front().first + gap_ <= now || order_.size() >= kPacedNamesMax)) {
    auto& [turn, old] = order_.front();
    auto found = turns_.find(old);
    if (found != turns_.end() && found->second <= turn) turns_.erase(found);
    order_.pop_front();
  }
  MonoTime turn = now;
  auto found = turns_.find(name);
  if (found != turns_.end()) turn = std::max(now, found->second + gap_);
  turns_.insert_or_assign(name, turn);
  order_.emplace_back(turn, name);
  return turn;
}

}  // namespace weir::objstore::gcs
