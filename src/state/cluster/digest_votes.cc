#include "state/cluster/digest_votes.h"

namespace weir::state {

Hash128 DigestVotes::hash() const {
  Hash128 sum;
  for (const auto& [at, votes] : values_.votes) {
    for (const auto& [who, digest] : votes)
      sum += HashWords().add(at.value).add(who).add(digest).finish(UnitKind::digest_votes);
  }
  return sum;
}

}  // namespace weir::state
