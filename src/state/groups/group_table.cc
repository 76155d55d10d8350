#include "state/groups/group_table.h"

#include <algorithm>

#include "base/narrow.h"
#include "state/consumer_groups/consumer_group.h"

namespace weir::state {
namespace {

/// What a unit takes beside its texts.
constexpr std::uint64_t kGroupBytes = sizeof(Group) + 64;
constexpr std::uint64_t kMemberBytes = sizeof(GroupMember) + 32;

std::uint64_t id_hash(std::string_view id) { return hash64(weir::as_bytes(id)); }

std::uint64_t pair_hash(Slot group, std::string_view text) {
  return mix(id_hash(text) ^ mix(group));
}

std::uint64_t group_bytes(const GroupValues& values) { return kGroupBytes + values.id.size(); }

}  // namespace

std::uint64_t GroupTable::consumer_bytes(const Group& group) {
  return group.consumer() == nullptr ? 0 : group.consumer()->bytes();
}

std::uint64_t GroupTable::member_bytes(const GroupMemberValues& values) {
  std::uint64_t bytes = kMemberBytes + values.id.size() + values.client_id.size() +
                        values.client_host.size() + values.assignment.size();
  if (values.instance) bytes += values.instance->size();
  for (const OfferedProtocol& protocol : values.protocols)
    bytes += sizeof(OfferedProtocol) + protocol.name.size() + protocol.metadata.size();
  return bytes;
}

// --- finding ---

Slot GroupTable::find_slot(std::string_view id) const {
  return by_id_.find(id_hash(id), [&](Slot slot) { return groups_[slot]->id == id; });
}

const Group* GroupTable::find(std::string_view id) const {
  Slot slot = find_slot(id);
  return slot == kNoSlot ? nullptr : &groups_[slot];
}

void GroupTable::visit(std::string_view from,
                       const std::function<bool(const Group&)>& visit) const {
  for (auto at = in_order_.lower_bound(from); at != in_order_.end(); ++at) {
    if (!visit(groups_[*at])) return;
  }
}

std::uint64_t GroupTable::member_hash(Slot slot) const {
  return pair_hash(members_[slot].group, members_[slot]->id);
}

std::uint64_t GroupTable::instance_hash(Slot slot) const {
  return pair_hash(members_[slot].group, *members_[slot]->instance);
}

Slot GroupTable::find_member(Slot group, std::string_view id) const {
  return by_member_.find(pair_hash(group, id), [&](Slot slot) {
    return members_[slot].group == group && members_[slot]->id == id;
  });
}

Slot GroupTable::find_instance(Slot group, std::string_view instance) const {
  return by_instance_.find(pair_hash(group, instance), [&](Slot slot) {
    return members_[slot].group == group && members_[slot]->instance == instance;
  });
}

const GroupMember* GroupTable::find_member(const Group& group, std::string_view id) const {
  if (group.members.empty()) return nullptr;
  Slot slot = find_member(members_[group.members.front()].group, id);
  return slot == kNoSlot ? nullptr : &members_[slot];
}

// --- groups ---

Slot GroupTable::add(Ledger& ledger, GroupValues values) {
  Slot slot = groups_.allocate();
  ledger.edit(groups_[slot],
              [&](Group& group, EditKey key) { group.create(key, std::move(values)); });
  by_id_.insert(id_hash(groups_[slot]->id), slot,
                [&](Slot other) { return id_hash(groups_[other]->id); });
  in_order_.insert(slot);
  note(ledger, slot);
  bytes_ += group_bytes(groups_[slot].values());
  return slot;
}

void GroupTable::restore(Ledger& ledger, GroupValues values,
                         std::unique_ptr<ConsumerGroup> consumer) {
  const Slot slot = add(ledger, std::move(values));
  if (!consumer) return;
  ledger.edit(groups_[slot],
              [&](Group& group, EditKey key) { group.set_consumer(key, std::move(consumer)); });
  bytes_ += consumer_bytes(groups_[slot]);
}

void GroupTable::remove(Ledger& ledger, Slot slot) {
  Group& group = groups_[slot];
  ENSURE(group.members.empty());
  ENSURE(group.first_offset == kNoSlot);
  bytes_ -= group_bytes(group.values()) + consumer_bytes(group);
  note(ledger, slot);
  in_order_.erase(slot);
  by_id_.erase(id_hash(group->id), slot, [&](Slot other) { return id_hash(groups_[other]->id); });
  ledger.edit(group, [](Group& gone, EditKey key) { gone.remove(key); });
  groups_.release(slot);
}

void GroupTable::set_kind(Ledger& ledger, Slot slot, GroupKind kind) {
  Group& group = groups_[slot];
  ENSURE(group.empty());
  drop_classic_members(ledger, slot);
  bytes_ -= consumer_bytes(group);
  ledger.edit(group, [&](Group& changed, EditKey key) {
    changed.set_consumer(key,
                         kind == GroupKind::consumer ? std::make_unique<ConsumerGroup>() : nullptr);
    GroupValues& values = changed.change(key);
    values.phase = GroupPhase::empty;
    values.initial_delay_ms = 0;
    values.protocol_type = kind == GroupKind::consumer ? "consumer" : "";
    values.protocol_name.clear();
    values.leader.clear();
  });
  note(ledger, slot);
}

void GroupTable::drop_classic_members(Ledger& ledger, Slot group) {
  while (!groups_[group].members.empty()) remove_member(ledger, groups_[group].members.back());
}

// --- members ---

void GroupTable::count(Group& group, const GroupMember& member, std::int32_t step) {
  const auto by = static_cast<std::uint32_t>(step);
  (member.pending() ? group.counts.pending : group.counts.members) += by;
  if (member.joined()) group.counts.joined += by;
}

void GroupTable::count_offers(Group& group, const GroupMember& member, std::int32_t step) {
  // A name that is offered twice counts once.
  std::vector<std::string_view> names;
  for (const OfferedProtocol& protocol : member->protocols) {
    if (std::ranges::find(names, protocol.name) != names.end()) continue;
    names.push_back(protocol.name);
    auto at = group.offers.try_emplace(protocol.name, 0).first;
    at->second += static_cast<std::uint32_t>(step);
    if (at->second == 0) group.offers.erase(at);
  }
}

Slot GroupTable::add_member(Ledger& ledger, Slot group, GroupMemberValues values, Position sign) {
  Slot slot = members_.allocate();
  GroupMember& member = members_[slot];
  member.group = group;
  ledger.edit(member, [&](GroupMember& fresh, EditKey key) {
    fresh.create(key, groups_[group]->id, std::move(values));
    fresh.sign(key, sign);
  });
  by_member_.insert(member_hash(slot), slot, [&](Slot other) { return member_hash(other); });
  if (member->instance) {
    by_instance_.insert(instance_hash(slot), slot,
                        [&](Slot other) { return instance_hash(other); });
  }
  Group& owner = groups_[group];
  member.index = narrow<std::uint32_t>(owner.members.size());
  owner.members.push_back(slot);
  count(owner, member, 1);
  count_offers(owner, member, 1);
  bytes_ += member_bytes(member.values());
  note(ledger, group);
  return slot;
}

void GroupTable::remove_member(Ledger& ledger, Slot slot) {
  GroupMember& member = members_[slot];
  Group& owner = groups_[member.group];
  bytes_ -= member_bytes(member.values());
  count(owner, member, -1);
  count_offers(owner, member, -1);
  members_[owner.members.back()].index = member.index;
  owner.members[member.index] = owner.members.back();
  owner.members.pop_back();
  by_member_.erase(member_hash(slot), slot, [&](Slot other) { return member_hash(other); });
  if (member->instance) {
    by_instance_.erase(instance_hash(slot), slot, [&](Slot other) { return instance_hash(other); });
  }
  ledger.edit(member, [](GroupMember& gone, EditKey key) { gone.remove(key); });
  const Slot group = member.group;
  members_.release(slot);
  note(ledger, group);
}

void GroupTable::set_progress(Ledger& ledger, Slot slot, bool joined, bool synced) {
  GroupMember& member = members_[slot];
  if (member.joined() == joined && member.synced() == synced) return;
  Group& owner = groups_[member.group];
  count(owner, member, -1);
  ledger.edit(member, [&](GroupMember& changed, EditKey key) {
    changed.set_progress(key, joined, synced);
  });
  count(owner, member, 1);
}

void GroupTable::sign(Ledger& ledger, Slot slot, Position at) {
  GroupMember& member = members_[slot];
  if (member.last_sign() == at) return;
  ledger.edit(member, [&](GroupMember& changed, EditKey key) { changed.sign(key, at); });
  if (member.changed_round == ledger.groups_round()) return;
  member.changed_round = ledger.groups_round();
  ledger.note_sign(groups_[member.group]->id, member->id);
}

void GroupTable::set_protocols(Ledger& ledger, Slot slot, std::vector<OfferedProtocol> protocols) {
  GroupMember& member = members_[slot];
  if (member->protocols == protocols) return;
  Group& owner = groups_[member.group];
  count_offers(owner, member, -1);
  edit_member(ledger, slot,
              [&](GroupMemberValues& values) { values.protocols = std::move(protocols); });
  count_offers(owner, member, 1);
}

void GroupTable::rename_member(Ledger& ledger, Slot slot, std::string id) {
  GroupMember& member = members_[slot];
  by_member_.erase(member_hash(slot), slot, [&](Slot other) { return member_hash(other); });
  edit_member(ledger, slot, [&](GroupMemberValues& values) { values.id = std::move(id); });
  by_member_.insert(member_hash(slot), slot, [&](Slot other) { return member_hash(other); });
  note(ledger, member.group);
}

}  // namespace weir::state
