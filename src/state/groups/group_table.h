// GroupTable: groups of every kind by id, and the members of classic groups.
//
// Keeps the indexes and the derived numbers of groups in step with their units. All changes go
// through it, so a rule that wants a member gone says `remove_member` and need not know who else
// knew it. Total memory is bounded: `bytes` counts what groups and members hold, and folds refuse
// what would pass kGroupBytesMax.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string_view>

#include "base/ids.h"
#include "state/groups/group.h"
#include "state/ledger.h"
#include "state/slab.h"
#include "state/slot_index.h"

namespace weir::state {

class GroupTable {
 public:
  std::size_t count() const { return groups_.used(); }
  std::size_t member_count() const { return members_.used(); }
  std::uint64_t bytes() const { return bytes_; }

  Slot find_slot(std::string_view id) const;
  const Group* find(std::string_view id) const;
  const Group& group(Slot slot) const { return groups_[slot]; }
  Group& group(Slot slot) { return groups_[slot]; }
  /// In id order, from the first id >= `from`, until `visit` returns false.
  void visit(std::string_view from, const std::function<bool(const Group&)>& visit) const;

  // --- members of classic groups ---
  Slot find_member(Slot group, std::string_view id) const;
  Slot find_instance(Slot group, std::string_view instance) const;
  const GroupMember& member(Slot slot) const { return members_[slot]; }
  const GroupMember* find_member(const Group& group, std::string_view id) const;

  // --- changes ---
  /// `values.id` must be new.
  Slot add(Ledger& ledger, GroupValues values);
  /// From a snapshot; `consumer` where the kind says so.
  void restore(Ledger& ledger, GroupValues values, std::unique_ptr<ConsumerGroup> consumer);
  /// Its members and offsets must be gone.
  void remove(Ledger& ledger, Slot slot);
  template <class Change>
  void edit(Ledger& ledger, Slot slot, Change&& change) {
    ledger.edit(groups_[slot], [&](Group& group, EditKey key) { change(group.change(key)); });
    note(ledger, slot);
  }
  /// As `edit`, of a consumer group's inside.
  template <class Change>
  void edit_consumer(Ledger& ledger, Slot slot, Change&& change) {
    bytes_ -= consumer_bytes(groups_[slot]);
    ledger.edit(groups_[slot],
                [&](Group& group, EditKey key) { change(group.change_consumer(key)); });
    bytes_ += consumer_bytes(groups_[slot]);
    note(ledger, slot);
  }
  /// The group, which must have no members, becomes one of this kind; offsets stay.
  void set_kind(Ledger& ledger, Slot slot, GroupKind kind);

  /// Neither its id nor its instance may be in the group.
  Slot add_member(Ledger& ledger, Slot group, GroupMemberValues values, Position sign);
  void remove_member(Ledger& ledger, Slot member);
  /// All of them, as for a change of the group's kind.
  void drop_classic_members(Ledger& ledger, Slot group);
  void set_progress(Ledger& ledger, Slot member, bool joined, bool synced);
  void sign(Ledger& ledger, Slot member, Position at);
  /// Changes anything but id, instance, stage and protocols.
  template <class Change>
  void edit_member(Ledger& ledger, Slot slot, Change&& change) {
    bytes_ -= member_bytes(members_[slot].values());
    ledger.edit(members_[slot],
                [&](GroupMember& member, EditKey key) { member.change(key, change); });
    bytes_ += member_bytes(members_[slot].values());
  }
  void set_protocols(Ledger& ledger, Slot member, std::vector<OfferedProtocol> protocols);
  /// A new process takes a static member's place.
  void rename_member(Ledger& ledger, Slot member, std::string id);

  Slab<Group>& groups() { return groups_; }
  Slab<GroupMember>& members() { return members_; }

  static std::uint64_t member_bytes(const GroupMemberValues& values);
  /// Of the members of a consumer group; 0 for another.
  static std::uint64_t consumer_bytes(const Group& group);

 private:
  struct ById {
    using is_transparent = void;
    const Slab<Group>* groups;
    bool operator()(Slot a, Slot b) const { return id(a) < id(b); }
    bool operator()(Slot a, std::string_view b) const { return id(a) < b; }
    bool operator()(std::string_view a, Slot b) const { return a < id(b); }
    std::string_view id(Slot slot) const { return (*groups)[slot]->id; }
  };
  std::uint64_t member_hash(Slot member) const;
  std::uint64_t instance_hash(Slot member) const;
  /// Once in each round.
  void note(Ledger& ledger, Slot slot) {
    if (groups_[slot].changed_round == ledger.groups_round()) return;
    groups_[slot].changed_round = ledger.groups_round();
    ledger.note_group(groups_[slot]->id);
  }
  void count(Group& group, const GroupMember& member, std::int32_t step);
  void count_offers(Group& group, const GroupMember& member, std::int32_t step);

  Slab<Group> groups_;
  Slab<GroupMember> members_;
  SlotIndex by_id_;
  SlotIndex by_member_;
  SlotIndex by_instance_;
  std::set<Slot, ById> in_order_{ById{&groups_}};
  std::uint64_t bytes_ = 0;
};

}  // namespace weir::state
