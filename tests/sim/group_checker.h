// GroupChecker: decides whether what the members of a group saw keeps the promises of groups. Pure,
// like the checker that it reports to.
//
// Members process positions of partitions one after the other and commit behind each. So: each
// partition has one owner in a generation; what a fetch of offsets answers never falls behind what
// was committed or answered before it began, and never passes what was processed; a position is
// committed once; after a commit of a generation none of an older one is acknowledged; who has
// given a sign of life that is in the log is not put out for its silence within two thirds of a
// session (clocks of brokers may run fast).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/checker.h"

namespace weir::sim {

class GroupChecker {
 public:
  explicit GroupChecker(Checker& checker) : checker_(checker) {}

  void owns(std::int32_t generation, const std::string& member,
            const std::vector<std::int32_t>& partitions);

  /// What was known of a partition's committed offset before a request began.
  struct Known {
    std::int64_t offset = 0;
    std::int32_t generation = 0;
  };
  Known known(std::int32_t partition) const;
  /// -1: nothing is committed.
  void fetched(std::int32_t partition, std::int64_t offset, Known before, const std::string& who);
  void processed(std::int32_t partition, std::int64_t position);
  /// An acknowledged commit of `position` + 1.
  void committed(std::int32_t partition, std::int64_t position, std::int32_t generation,
                 Known before, const std::string& who);
  void expired_alive(const std::string& who, const std::string& why);

  std::uint64_t commits() const { return commits_; }

 private:
  struct Partition {
    std::int64_t committed = 0;
    std::int64_t processed = 0;
    std::int32_t generation = 0;
    std::set<std::int64_t> acknowledged;
  };
  Partition& at(std::int32_t partition) { return partitions_[partition]; }

  Checker& checker_;
  std::map<std::int32_t, Partition> partitions_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::string> owners_;
  std::uint64_t commits_ = 0;
};

}  // namespace weir::sim
