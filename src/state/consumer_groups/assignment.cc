#include "state/consumer_groups/assignment.h"

#include <algorithm>
#include <iterator>

namespace weir::state {

const HeldPartition* find_held(const HeldList& list, const PartitionRef& at) {
  auto found = std::ranges::lower_bound(list, at, {}, &HeldPartition::at);
  return found != list.end() && found->at == at ? &*found : nullptr;
}

bool contains(const PartitionList& list, const PartitionRef& at) {
  return std::ranges::binary_search(list, at);
}

void normalise(PartitionList& list) {
  std::ranges::sort(list);
  auto rest = std::ranges::unique(list);
  list.erase(rest.begin(), rest.end());
}

HeldList merged(const HeldList& a, const HeldList& b) {
  HeldList out;
  out.reserve(a.size() + b.size());
  std::ranges::merge(a, b, std::back_inserter(out), {}, &HeldPartition::at, &HeldPartition::at);
  return out;
}

bool all_held(const PartitionList& list, const HeldList& held) {
  return std::ranges::all_of(
      list, [&](const PartitionRef& at) { return find_held(held, at) != nullptr; });
}

bool any_held(const PartitionList& list, const HeldList& held) {
  return std::ranges::any_of(
      list, [&](const PartitionRef& at) { return find_held(held, at) != nullptr; });
}

Hash128 hash_of(const PartitionList& list, UnitKind kind) {
  Hash128 sum;
  for (const PartitionRef& at : list)
    sum += HashWords().add(at.topic).add(std::int64_t{at.partition.value}).finish(kind);
  return sum;
}

Hash128 hash_of(const HeldList& list, UnitKind kind) {
  Hash128 sum;
  for (const HeldPartition& held : list) {
    HashWords words;
    words.add(held.at.topic).add(std::int64_t{held.at.partition.value});
    sum += words.add(std::int64_t{held.epoch}).finish(kind);
  }
  return sum;
}

}  // namespace weir::state
