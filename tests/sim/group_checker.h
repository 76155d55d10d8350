// GroupChecker: decides whether what the members of a group saw keeps the promises of groups. Pure,
// like the checker that it reports to.
//
// Members process positions of partitions one after the other and commit behind each, with their
// output in the metadata. So: each partition has one owner in a generation (or epoch), and is given
// to another member only when its owner gave it up or is out of the group; what a fetch of offsets
// answers never falls behind what was committed or answered before it began, and never passes what
// was processed; each position is in the output once; a position is committed once; after a commit
// of a generation none of an older one is acknowledged; who has given a sign of life that is in the
// log is not put out for its silence within two thirds of a session (clocks of brokers may run
// fast).
//
// One thing is allowed, and only to a member whose commit was not answered: this very commit may
// still land behind its later ones (docs/deviations.md), as long as nobody else has the partition.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "tests/sim/checker.h"

namespace weir::sim {

/// A member in one of its lives.
struct GroupWho {
  std::string name;
  std::string member;
  /// Or epoch.
  std::int32_t generation = 0;
};

class GroupChecker {
 public:
  explicit GroupChecker(Checker& checker) : checker_(checker) {}

  void owns(std::int32_t generation, const std::string& member,
            const std::vector<std::int32_t>& partitions);

  // What the process `name` works on. At most one process has a name.
  void takes(std::int32_t partition, const GroupWho& who, MonoTime now);
  void gives_up(std::int32_t partition, const std::string& name);
  /// A broker took this away from `name`, as from a living member.
  void taken_away(std::int32_t partition, const std::string& name);
  /// A heartbeat that was sent at `sent` was accepted.
  void lives(const std::string& name, MonoTime sent);
  /// A broker that was away for so long may accept a heartbeat of a member that is out.
  static constexpr Duration kStaleMax = 15s;

  /// What was known of a partition's committed offset before a request began.
  struct Known {
    std::int64_t offset = 0;
    std::int32_t generation = 0;
  };
  Known known(std::int32_t partition) const;
  struct Fetched {
    /// -1: nothing is committed.
    std::int64_t offset = -1;
    std::int64_t output = 0;
  };
  void fetched(std::int32_t partition, Fetched found, Known before, const GroupWho& who);
  void processed(std::int32_t partition, std::int64_t position);
  /// An acknowledged commit of `position` + 1.
  void committed(std::int32_t partition, std::int64_t position, Known before, const GroupWho& who,
                 MonoTime sent);
  /// A commit of `position` + 1 that was not answered.
  void unclear(std::int32_t partition, std::int64_t position, const GroupWho& who);
  void expired_alive(const std::string& who, const std::string& why);

  std::uint64_t commits() const { return commits_; }
  /// How often a commit that was not answered landed late.
  std::uint64_t late_landings() const { return late_landings_; }

 private:
  struct Holder {
    /// In which it got it.
    std::int32_t generation = 0;
    /// Since when another one has it by a newer one.
    std::optional<MonoTime> superseded;
  };
  struct Late {
    std::int64_t offset = 0;
    std::string member;
    std::int32_t generation = 0;
  };
  struct Partition {
    std::int64_t committed = 0;
    std::int64_t processed = 0;
    std::int32_t generation = 0;
    std::set<std::int64_t> acknowledged;
    std::vector<Late> late;
    /// Processes that work on it.
    std::map<std::string, Holder> holders;
  };
  Partition& at(std::int32_t partition) { return partitions_[partition]; }
  static bool may_land_late(const Partition& partition, std::int64_t offset);

  Checker& checker_;
  std::map<std::int32_t, Partition> partitions_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::string> owners_;
  std::uint64_t commits_ = 0;
  std::uint64_t late_landings_ = 0;
};

}  // namespace weir::sim
