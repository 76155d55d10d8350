// Sets of partitions as groups use them: what a member shall have, what it has, what it gives up.
//
// Sorted flat vectors without repetition: groups are compared, hashed and written to snapshots, so
// the order must be the same everywhere, and most sets have a handful of partitions. Values; who
// holds one owns it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "state/catalog.h"
#include "state/unit.h"

namespace weir::state {

/// Sorted, each once.
using PartitionList = std::vector<PartitionRef>;

/// A partition that a member holds, and the member epoch at which it was given to it (commits of
/// older epochs are refused for this partition alone).
struct HeldPartition {
  PartitionRef at;
  std::int32_t epoch = 0;

  friend bool operator==(const HeldPartition&, const HeldPartition&) = default;
};
/// Sorted by partition, each once.
using HeldList = std::vector<HeldPartition>;

/// Null if it is not in the list.
const HeldPartition* find_held(const HeldList& list, const PartitionRef& at);
bool contains(const PartitionList& list, const PartitionRef& at);
/// Sorts and drops what is there twice.
void normalise(PartitionList& list);
/// Merges two lists that have nothing in common.
HeldList merged(const HeldList& a, const HeldList& b);
/// Whether each of `list` is held.
bool all_held(const PartitionList& list, const HeldList& held);
bool any_held(const PartitionList& list, const HeldList& held);

Hash128 hash_of(const PartitionList& list, UnitKind kind);
Hash128 hash_of(const HeldList& list, UnitKind kind);

}  // namespace weir::state
