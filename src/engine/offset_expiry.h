// OffsetExpiry: proposes to forget offsets that nobody has used for `offsets.retention.minutes`,
// and groups that have nothing left.
//
// As in Kafka: offsets of a group without members, from when it became empty (of one that only
// stores offsets: from each commit); of a group with members, those of topics that no member reads.
// The only use of wall time in groups. A clock that runs away must not empty anything: as long as
// this broker's wall clock and its monotonic clock do not agree since its start, it proposes
// nothing. The fold refuses what was committed again, or where members came, meanwhile.
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "engine/follower.h"
#include "engine/options.h"
#include "engine/proposer.h"
#include "state/groups/group_table.h"

namespace weir::engine {

class OffsetExpiry {
 public:
  struct Parts {
    rt::Loop& loop;
    Follower& follower;
    Proposer& proposer;
    Logger& logger;
  };
  OffsetExpiry(Parts parts, const Options& options);

  /// Looks, if it is time to.
  rt::Task<void> act();
  MonoTime next_due() const { return due_; }

 private:
  struct Old {
    state::PartitionRef at;
    std::uint64_t committed_at = 0;
  };
  bool clock_is_sane() const;
  std::vector<Old> old_offsets(const state::Group& group, std::int64_t before_ms) const;

  Parts parts_;
  const Options& options_;
  MonoTime due_;
  MonoTime started_;
  WallMillis started_wall_;
};

}  // namespace weir::engine
