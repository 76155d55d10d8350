// JoinGroup of the classic protocol. The item of the outcome is a JoinResult.
#include <utility>

#include "state/commands/join_group.h"
#include "state/consumer_groups/consumer_group.h"
#include "state/fold.h"
#include "state/groups/checks.h"
#include "state/groups/classic.h"
#include "state/groups/hooks.h"
#include "state/limits.h"

namespace weir::state {
namespace {

using command::JoinGroup;

/// One JoinGroup at its group. Every function of it ends the command.
class Join {
 public:
  Join(FoldContext& context, Slot group, const JoinGroup& command, Verdict& verdict)
      : context_(context),
        groups_(context.tables.groups),
        group_(group),
        command_(command),
        verdict_(verdict) {}

  void run() {
    if (is_full()) return verdict_.refuse(Refusal::group_full);
    std::vector<std::string_view> names;
    names.reserve(command_.protocols.size());
    for (const auto& protocol : command_.protocols) names.push_back(protocol.name);
    if (!is_common(unit(), command_.protocol_type, names))
      return verdict_.refuse(Refusal::inconsistent_protocol);
    if (!command_.member_id.empty()) return join_known();
    if (!command_.instance_id) return join_new();
    const Slot present = groups_.find_instance(group_, *command_.instance_id);
    if (present != kNoSlot) return replace(present);
    add(command_.new_member_id);
  }

 private:
  const Group& unit() const { return groups_.group(group_); }

  /// Who is in stays in; while a rebalance is prepared, who comes first is in.
  bool is_full() const {
    if (unit()->phase == GroupPhase::empty) return false;
    const auto most = std::min<std::uint32_t>(static_cast<std::uint32_t>(command_.group_size_max),
                                              kGroupMembersMax);
    const Slot slot = groups_.find_member(group_, command_.member_id);
    const bool member = slot != kNoSlot && !groups_.member(slot).pending();
    if (unit()->phase != GroupPhase::preparing) return !member && unit().counts.members >= most;
    if (member && groups_.member(slot).joined()) return false;
    return unit().counts.joined >= most;
  }

  void join_new() {
    if (!command_.require_known_member) return add(command_.new_member_id);
    if (unit().members.size() >= kGroupMembersMax) return verdict_.refuse(Refusal::limit_reached);
    GroupMemberValues values;
    values.id = command_.new_member_id;
    values.client_id = command_.client_id;
    values.client_host = command_.client_host;
    values.session_timeout_ms = command_.session_timeout_ms;
    values.rebalance_timeout_ms = command_.rebalance_timeout_ms;
    values.stage = MemberStage::pending;
    if (groups_.find_member(group_, values.id) != kNoSlot)
      return verdict_.refuse(Refusal::malformed);
    groups_.add_member(context_.ledger(), group_, std::move(values), context_.position());
    say(JoinResult::member_id_required);
  }

  void join_known() {
    const Slot slot = groups_.find_member(group_, command_.member_id);
    if (slot != kNoSlot && groups_.member(slot).pending() && !command_.instance_id) {
      groups_.remove_member(context_.ledger(), slot);
      return add(command_.member_id);
    }
    const ClaimedMember found =
        find_claimed(groups_, {group_, command_.member_id, command_.instance_id});
    if (found.refusal != Refusal::none) return verdict_.refuse(found.refusal);
    const GroupMember& member = groups_.member(found.member);
    const bool same = member->protocols == protocols();
    const bool leads = unit()->leader == member->id;
    switch (unit()->phase) {
      case GroupPhase::empty: return verdict_.refuse(Refusal::unknown_member);
      case GroupPhase::preparing: return rejoin(found.member);
      case GroupPhase::completing: return same ? stay(found.member) : rejoin(found.member);
      case GroupPhase::stable: return same && !leads ? stay(found.member) : rejoin(found.member);
    }
  }

  void stay(Slot member) {
    groups_.sign(context_.ledger(), member, context_.position());
    say(JoinResult::current);
  }

  void rejoin(Slot member) {
    update(member);
    groups_.set_progress(context_.ledger(), member, true, false);
    rebalance(context_, group_);
    say(JoinResult::waits);
  }

  void update(Slot member) {
    groups_.set_protocols(context_.ledger(), member, protocols());
    const GroupMemberValues& old = groups_.member(member).values();
    if (old.session_timeout_ms != command_.session_timeout_ms ||
        old.rebalance_timeout_ms != command_.rebalance_timeout_ms ||
        old.client_id != command_.client_id || old.client_host != command_.client_host) {
      groups_.edit_member(context_.ledger(), member, [&](GroupMemberValues& values) {
        values.session_timeout_ms = command_.session_timeout_ms;
        values.rebalance_timeout_ms = command_.rebalance_timeout_ms;
        values.client_id = command_.client_id;
        values.client_host = command_.client_host;
      });
    }
    groups_.sign(context_.ledger(), member, context_.position());
  }

  /// A new process with the instance id of a member. Its predecessor is fenced.
  void replace(Slot member) {
    if (groups_.find_member(group_, command_.new_member_id) != kNoSlot)
      return verdict_.refuse(Refusal::malformed);
    const bool led = unit()->leader == groups_.member(member)->id;
    groups_.rename_member(context_.ledger(), member, command_.new_member_id);
    if (led) {
      groups_.edit(context_.ledger(), group_,
                   [&](GroupValues& values) { values.leader = command_.new_member_id; });
    }
    const bool stable = unit()->phase == GroupPhase::stable;
    update(member);
    if (stable && chosen_protocol(groups_, unit()) == unit()->protocol_name)
      return say(JoinResult::replaced);
    groups_.set_progress(context_.ledger(), member, true, false);
    rebalance(context_, group_);
    say(JoinResult::waits);
  }

  void add(const std::string& id) {
    if (unit().members.size() >= kGroupMembersMax) return verdict_.refuse(Refusal::limit_reached);
    if (groups_.find_member(group_, id) != kNoSlot) return verdict_.refuse(Refusal::malformed);
    GroupMemberValues values;
    values.id = id;
    values.instance = command_.instance_id;
    values.client_id = command_.client_id;
    values.client_host = command_.client_host;
    values.session_timeout_ms = command_.session_timeout_ms;
    values.rebalance_timeout_ms = command_.rebalance_timeout_ms;
    values.protocols = protocols();
    const bool first = unit().counts.members == 0;
    const Slot slot =
        groups_.add_member(context_.ledger(), group_, std::move(values), context_.position());
    groups_.set_progress(context_.ledger(), slot, true, false);
    groups_.edit(context_.ledger(), group_, [&](GroupValues& head) {
      if (first) head.protocol_type = command_.protocol_type;
      if (first || head.leader.empty()) head.leader = id;
    });
    rebalance(context_, group_, command_.initial_delay_ms);
    say(JoinResult::waits);
  }

  /// Copies: what the command holds is a part of its whole entry.
  std::vector<OfferedProtocol> protocols() const {
    std::vector<OfferedProtocol> out;
    out.reserve(command_.protocols.size());
    for (const auto& protocol : command_.protocols)
      out.push_back({protocol.name, SharedBytes::copy_of(protocol.metadata.view())});
    return out;
  }
  /// Last, when the group is as the member finds it.
  void say(JoinResult result) {
    std::int32_t generation = unit()->generation;
    if (result == JoinResult::waits && unit()->phase == GroupPhase::preparing)
      generation = next_generation(generation);
    verdict_.item(Refusal::none, join_value(result, generation));
  }

  FoldContext& context_;
  GroupTable& groups_;
  Slot group_;
  const JoinGroup& command_;
  Verdict& verdict_;
};

std::uint64_t bytes_of(const JoinGroup& command) {
  std::uint64_t bytes = 1'024 + command.group_id.size() + command.client_id.size();
  for (const auto& protocol : command.protocols) bytes += protocol.metadata.size() + 64;
  return bytes;
}

}  // namespace

void fold(FoldContext& context, const JoinGroup& command, Verdict& verdict) {
  GroupTable& groups = context.tables.groups;
  if (!well_formed(command)) return verdict.refuse(Refusal::malformed);
  Slot group = groups.find_slot(command.group_id);
  if (!has_room(context.tables, group == kNoSlot, bytes_of(command)))
    return verdict.refuse(Refusal::limit_reached);
  if (group == kNoSlot) {
    if (!command.member_id.empty()) return verdict.refuse(Refusal::unknown_member);
    if (command.protocol_type.empty() || command.protocols.empty())
      return verdict.refuse(Refusal::inconsistent_protocol);
    GroupValues values;
    values.id = command.group_id;
    values.phase_since = context.position();
    values.empty_since_ms = context.entry.header.wall.value;
    group = groups.add(context.ledger(), std::move(values));
  } else if (groups.group(group)->kind == GroupKind::consumer) {
    if (!groups.group(group).empty()) return join_consumer_group(context, group, command, verdict);
    // Generations go on where epochs ended: one number never names two lives of a group.
    const std::int32_t epoch = groups.group(group).consumer()->epoch();
    groups.set_kind(context.ledger(), group, GroupKind::classic);
    groups.edit(context.ledger(), group, [&](GroupValues& values) { values.generation = epoch; });
  }
  Join(context, group, command, verdict).run();
}

}  // namespace weir::state
