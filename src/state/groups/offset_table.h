// OffsetTable: the offsets that groups have committed, one unit per group and partition.
//
// Found by group and partition; a member of the lists of its group (fetched whole, deleted with the
// group) and of its partition (deleted with the topic).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "state/catalog.h"
#include "state/groups/group_table.h"
#include "state/ledger.h"
#include "state/log/partition.h"
#include "state/slab.h"
#include "state/slot_index.h"
#include "state/unit.h"

namespace weir::state {

struct OffsetValues {
  std::int64_t offset = 0;
  std::int32_t leader_epoch = -1;
  std::int64_t commit_ms = 0;
  /// Of the entry that holds the commit.
  Position committed_at;
  std::string metadata;
};

class GroupOffset {
 public:
  const OffsetValues* operator->() const { return &values_; }
  const OffsetValues& values() const { return values_; }
  const PartitionRef& at() const { return at_; }

  bool live() const { return live_; }
  Hash128 hash() const;
  void create(EditKey, std::string_view group, const PartitionRef& at);
  void set(EditKey, OffsetValues values) { values_ = std::move(values); }
  void remove(EditKey) { live_ = false; }

  // Bookkeeping that is not part of the state.
  SnapshotMark mark;
  Slot group = kNoSlot;
  Slot partition = kNoSlot;
  struct Links {
    Slot previous = kNoSlot;
    Slot next = kNoSlot;
  };
  Links in_group;
  Links in_partition;

 private:
  bool live_ = false;
  std::uint64_t group_hash_ = 0;
  PartitionRef at_;
  OffsetValues values_;
};

class OffsetTable {
 public:
  explicit OffsetTable(GroupTable& groups) : groups_(groups) {}

  std::size_t count() const { return offsets_.used(); }
  std::uint64_t metadata_bytes() const { return metadata_bytes_; }
  /// Null if there is none.
  const GroupOffset* find(Slot group, Slot partition) const;
  /// All of a group, in no order that means anything.
  template <class Visit>
  void visit(const Group& group, Visit&& visit) const {
    for (Slot slot = group.first_offset; slot != kNoSlot; slot = offsets_[slot].in_group.next)
      visit(offsets_[slot]);
  }

  /// `at` is what lies in slot `partition`.
  void set(Ledger& ledger, Slot group, Slot partition, const PartitionRef& at, OffsetValues values);
  /// False if there is none.
  bool remove(Ledger& ledger, Slot group, Slot partition);
  void forget_group(Ledger& ledger, Slot group);
  void forget_partition(Ledger& ledger, Slot partition);

  Slab<GroupOffset>& offsets() { return offsets_; }

 private:
  Slot find_slot(Slot group, Slot partition) const;
  void remove_slot(Ledger& ledger, Slot slot);

  GroupTable& groups_;
  Slab<GroupOffset> offsets_;
  SlotIndex by_pair_;
  std::uint64_t metadata_bytes_ = 0;
  /// First offset of each partition, by its slot.
  std::vector<Slot> first_of_partition_;
};

}  // namespace weir::state
