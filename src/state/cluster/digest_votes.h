// DigestVotes: brokers whose own state differed from a snapshot that was noted in the log.
//
// A snapshot is noted with the digest of the state that it holds. A broker that computed another
// digest at that position says so; once there is a vote, the others vote too, and each can tell
// from the log alone whether it is the one that is wrong. While a noted snapshot has a differing
// vote, nobody truncates the log. Votes of snapshots that are no longer noted are dropped.
#pragma once

#include <map>

#include "base/hash.h"
#include "base/ids.h"
#include "state/unit.h"

namespace weir::state {

struct DigestVotesValues {
  std::map<Position, std::map<Incarnation, Hash128>> votes;
};

class DigestVotes {
 public:
  const DigestVotesValues* operator->() const { return &values_; }
  DigestVotesValues& change(EditKey) { return values_; }

  bool live() const { return !values_.votes.empty(); }
  Hash128 hash() const;

 private:
  DigestVotesValues values_;
};

}  // namespace weir::state
