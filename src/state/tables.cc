#include "state/tables.h"

#include "state/limits.h"

namespace weir::state {

void DigestRing::push(Position at, const Hash128& digest) {
  if (at.value != end_) {
    begin_ = at.value;
    end_ = at.value;
  }
  if (ring_.size() < kDigestsKept && end_ % kDigestsKept >= ring_.size()) {
    ring_.resize(end_ % kDigestsKept + 1);
  }
  ring_[end_ % kDigestsKept] = digest;
  ++end_;
  if (end_ - begin_ > kDigestsKept) begin_ = end_ - kDigestsKept;
}

std::optional<Hash128> DigestRing::find(Position at) const {
  if (at.value < begin_ || at.value >= end_) return std::nullopt;
  return ring_[at.value % kDigestsKept];
}

}  // namespace weir::state
