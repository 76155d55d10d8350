#include "tests/sim/group_checker.h"

#include <algorithm>

namespace weir::sim {

namespace {

std::string place(std::int32_t partition, std::int64_t offset) {
  return "partition " + std::to_string(partition) + " offset " + std::to_string(offset);
}

}  // namespace

void GroupChecker::owns(std::int32_t generation, const std::string& member,
                        const std::vector<std::int32_t>& partitions) {
  for (std::int32_t partition : partitions) {
    const auto [at, fresh] = owners_.emplace(std::pair(generation, partition), member);
    if (!fresh && at->second != member)
      checker_.report(Violation::two_owners, "generation " + std::to_string(generation) +
                                                 ", partition " + std::to_string(partition) + ": " +
                                                 at->second + " and " + member);
  }
}

GroupChecker::Known GroupChecker::known(std::int32_t partition) const {
  const auto found = partitions_.find(partition);
  if (found == partitions_.end()) return {};
  return {found->second.committed, found->second.generation};
}

void GroupChecker::fetched(std::int32_t partition, std::int64_t offset, Known before,
                           const std::string& who) {
  Partition& p = at(partition);
  const std::int64_t position = std::max<std::int64_t>(offset, 0);
  if (position < before.offset)
    checker_.report(Violation::offset_back, who + ": " + place(partition, offset) + " after " +
                                                std::to_string(before.offset));
  if (position > p.processed)
    checker_.report(Violation::skipped_work, who + ": " + place(partition, offset) + ", and only " +
                                                 std::to_string(p.processed) + " processed");
  p.committed = std::max(p.committed, position);
}

void GroupChecker::processed(std::int32_t partition, std::int64_t position) {
  at(partition).processed = std::max(at(partition).processed, position + 1);
}

void GroupChecker::committed(std::int32_t partition, std::int64_t position, std::int32_t generation,
                             Known before, const std::string& who) {
  Partition& p = at(partition);
  ++commits_;
  if (generation < before.generation)
    checker_.report(Violation::fenced_commit, who + ": " + place(partition, position) +
                                                  " of generation " + std::to_string(generation) +
                                                  " after one of " +
                                                  std::to_string(before.generation));
  if (!p.acknowledged.insert(position).second)
    checker_.report(Violation::committed_twice, who + ": " + place(partition, position));
  p.committed = std::max(p.committed, position + 1);
  p.generation = std::max(p.generation, generation);
}

void GroupChecker::expired_alive(const std::string& who, const std::string& why) {
  checker_.report(Violation::expired_alive, who + ": " + why);
}

}  // namespace weir::sim
