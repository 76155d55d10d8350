#include "state/groups/offset_table.h"

namespace weir::state {
namespace {

std::uint64_t pair_hash(Slot group, Slot partition) {
  return mix(std::uint64_t{group} << 32 | partition);
}

}  // namespace

void GroupOffset::create(EditKey, std::string_view group_id, const PartitionRef& at) {
  live_ = true;
  group_hash_ = hash64(weir::as_bytes(group_id));
  at_ = at;
}

Hash128 GroupOffset::hash() const {
  if (!live_) return {};
  HashWords words;
  words.add(group_hash_).add(at_.topic).add(std::int64_t{at_.partition.value});
  words.add(values_.offset).add(std::int64_t{values_.leader_epoch}).add(values_.commit_ms);
  words.add(values_.committed_at.value).add(std::string_view(values_.metadata));
  return words.finish(UnitKind::group_offset);
}

Slot OffsetTable::find_slot(Slot group, Slot partition) const {
  return by_pair_.find(pair_hash(group, partition), [&](Slot slot) {
    return offsets_[slot].group == group && offsets_[slot].partition == partition;
  });
}

const GroupOffset* OffsetTable::find(Slot group, Slot partition) const {
  Slot slot = find_slot(group, partition);
  return slot == kNoSlot ? nullptr : &offsets_[slot];
}

void OffsetTable::set(Ledger& ledger, Slot group, Slot partition, const PartitionRef& at,
                      OffsetValues values) {
  Slot slot = find_slot(group, partition);
  if (slot != kNoSlot) {
    metadata_bytes_ -= offsets_[slot]->metadata.size();
    metadata_bytes_ += values.metadata.size();
    ledger.edit(offsets_[slot],
                [&](GroupOffset& offset, EditKey key) { offset.set(key, std::move(values)); });
    return;
  }
  slot = offsets_.allocate();
  GroupOffset& fresh = offsets_[slot];
  metadata_bytes_ += values.metadata.size();
  ledger.edit(fresh, [&](GroupOffset& offset, EditKey key) {
    offset.create(key, groups_.group(group)->id, at);
    offset.set(key, std::move(values));
  });
  fresh.group = group;
  fresh.partition = partition;
  by_pair_.insert(pair_hash(group, partition), slot, [&](Slot other) {
    return pair_hash(offsets_[other].group, offsets_[other].partition);
  });
  Group& owner = groups_.group(group);
  fresh.in_group.next = owner.first_offset;
  if (owner.first_offset != kNoSlot) offsets_[owner.first_offset].in_group.previous = slot;
  owner.first_offset = slot;
  ++owner.offset_count;
  if (first_of_partition_.size() <= partition) first_of_partition_.resize(partition + 1, kNoSlot);
  Slot& first = first_of_partition_[partition];
  fresh.in_partition.next = first;
  if (first != kNoSlot) offsets_[first].in_partition.previous = slot;
  first = slot;
}

bool OffsetTable::remove(Ledger& ledger, Slot group, Slot partition) {
  Slot slot = find_slot(group, partition);
  if (slot == kNoSlot) return false;
  remove_slot(ledger, slot);
  return true;
}

void OffsetTable::remove_slot(Ledger& ledger, Slot slot) {
  GroupOffset& gone = offsets_[slot];
  metadata_bytes_ -= gone->metadata.size();
  Group& owner = groups_.group(gone.group);
  --owner.offset_count;
  const auto [group_before, group_after] = gone.in_group;
  (group_before == kNoSlot ? owner.first_offset : offsets_[group_before].in_group.next) =
      group_after;
  if (group_after != kNoSlot) offsets_[group_after].in_group.previous = group_before;
  const auto [before, after] = gone.in_partition;
  (before == kNoSlot ? first_of_partition_[gone.partition] : offsets_[before].in_partition.next) =
      after;
  if (after != kNoSlot) offsets_[after].in_partition.previous = before;
  by_pair_.erase(pair_hash(gone.group, gone.partition), slot, [&](Slot other) {
    return pair_hash(offsets_[other].group, offsets_[other].partition);
  });
  ledger.edit(gone, [](GroupOffset& offset, EditKey key) { offset.remove(key); });
  offsets_.release(slot);
}

void OffsetTable::forget_group(Ledger& ledger, Slot group) {
  while (groups_.group(group).first_offset != kNoSlot)
    remove_slot(ledger, groups_.group(group).first_offset);
}

void OffsetTable::forget_partition(Ledger& ledger, Slot partition) {
  if (partition >= first_of_partition_.size()) return;
  while (first_of_partition_[partition] != kNoSlot)
    remove_slot(ledger, first_of_partition_[partition]);
}

}  // namespace weir::state
