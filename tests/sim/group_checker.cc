#include "tests/sim/group_checker.h"

#include <algorithm>

namespace weir::sim {

namespace {

std::string place(std::int32_t partition, std::int64_t offset) {
  return "partition " + std::to_string(partition) + " offset " + std::to_string(offset);
}

std::string text_of(const GroupWho& who) { return who.name + " (" + who.member + ")"; }

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

void GroupChecker::takes(std::int32_t partition, const GroupWho& who, MonoTime now) {
  auto& holders = at(partition).holders;
  Holder mine{who.generation, std::nullopt};
  for (auto& [name, other] : holders) {
    if (name == who.name) continue;
    // An answer that travelled for long may tell of a generation that is over.
    Holder& older = other.generation <= mine.generation ? other : mine;
    if (!older.superseded) older.superseded = now;
  }
  holders[who.name] = mine;
}

void GroupChecker::gives_up(std::int32_t partition, const std::string& name) {
  at(partition).holders.erase(name);
}

void GroupChecker::taken_away(std::int32_t partition, const std::string& name) {
  const auto& holders = at(partition).holders;
  const auto found = holders.find(name);
  if (found == holders.end() || !found->second.superseded) return;
  checker_.report(Violation::two_owners, "partition " + std::to_string(partition) +
                                             " was given to another before " + name +
                                             " was asked to give it up");
}

void GroupChecker::lives(const std::string& name, MonoTime sent) {
  for (const auto& [number, partition] : partitions_) {
    const auto found = partition.holders.find(name);
    if (found == partition.holders.end() || !found->second.superseded) continue;
    const Duration since = sent - *found->second.superseded;
    if (since <= kStaleMax) continue;
    checker_.report(Violation::two_owners, "partition " + std::to_string(number) + ": " + name +
                                               " is a member " + std::to_string(since / 1ms) +
                                               " ms after another one began to work on it");
  }
}

GroupChecker::Known GroupChecker::known(std::int32_t partition) const {
  const auto found = partitions_.find(partition);
  if (found == partitions_.end()) return {};
  return {found->second.committed, found->second.generation};
}

bool GroupChecker::may_land_late(const Partition& partition, std::int64_t offset) {
  return std::ranges::any_of(partition.late,
                             [&](const Late& late) { return late.offset == offset; });
}

void GroupChecker::fetched(std::int32_t partition, Fetched found, Known before,
                           const GroupWho& who) {
  Partition& p = at(partition);
  const std::int64_t position = std::max<std::int64_t>(found.offset, 0);
  if (position < before.offset) {
    if (may_land_late(p, position)) {
      ++late_landings_;
      p.committed = position;
      p.acknowledged.erase(p.acknowledged.lower_bound(position), p.acknowledged.end());
    } else {
      checker_.report(Violation::offset_back, text_of(who) + ": " + place(partition, found.offset) +
                                                  " after " + std::to_string(before.offset));
    }
  }
  // Whoever had the partition before is fenced by now. A member that kept it may commit with the
  // epoch in which it got it (KIP-1251), so what it sent in older ones may still land.
  std::erase_if(p.late, [&](const Late& late) {
    return late.member != who.member && late.generation <= who.generation;
  });
  if (position > p.processed)
    checker_.report(Violation::skipped_work, text_of(who) + ": " + place(partition, found.offset) +
                                                 ", and only " + std::to_string(p.processed) +
                                                 " processed");
  if (found.output != position)
    checker_.report(Violation::torn_output, text_of(who) + ": " + place(partition, found.offset) +
                                                " with an output of " +
                                                std::to_string(found.output));
  p.committed = std::max(p.committed, position);
}

void GroupChecker::processed(std::int32_t partition, std::int64_t position) {
  at(partition).processed = std::max(at(partition).processed, position + 1);
}

void GroupChecker::committed(std::int32_t partition, std::int64_t position, Known before,
                             const GroupWho& who, MonoTime sent) {
  Partition& p = at(partition);
  ++commits_;
  const auto holder = p.holders.find(who.name);
  const bool superseded =
      holder != p.holders.end() && holder->second.superseded && *holder->second.superseded <= sent;
  if (who.generation < before.generation || superseded)
    checker_.report(Violation::fenced_commit,
                    text_of(who) + ": " + place(partition, position) + " of generation " +
                        std::to_string(who.generation) +
                        (superseded ? " after another member began to work on it"
                                    : " after one of " + std::to_string(before.generation)));
  if (!p.acknowledged.insert(position).second)
    checker_.report(Violation::committed_twice, text_of(who) + ": " + place(partition, position));
  p.committed = std::max(p.committed, position + 1);
  p.generation = std::max(p.generation, who.generation);
}

void GroupChecker::unclear(std::int32_t partition, std::int64_t position, const GroupWho& who) {
  at(partition).late.push_back({position + 1, who.member, who.generation});
}

void GroupChecker::expired_alive(const std::string& who, const std::string& why) {
  checker_.report(Violation::expired_alive, who + ": " + why);
}

}  // namespace weir::sim
