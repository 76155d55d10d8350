// SyncGroup and EndPhase of the classic protocol. The item of a sync: 1 if the assignment is there.
#include <map>
#include <string_view>

#include "state/commands/end_phase.h"
#include "state/commands/sync_group.h"
#include "state/fold.h"
#include "state/groups/checks.h"
#include "state/groups/classic.h"
#include "state/groups/hooks.h"

namespace weir::state {
namespace {

bool is_other(const std::optional<std::string>& said, const std::string& is) {
  return said && *said != is;
}

void assign(FoldContext& context, Slot group, const command::SyncGroup& command) {
  GroupTable& groups = context.tables.groups;
  std::map<std::string_view, const SharedBytes*> assignments;
  for (const auto& one : command.assignments) assignments.emplace(one.member_id, &one.assignment);
  for (Slot slot : groups.group(group).members) {
    if (groups.member(slot).pending()) continue;
    const auto at = assignments.find(groups.member(slot)->id);
    const Bytes bytes = at == assignments.end() ? Bytes() : at->second->view();
    if (as_text(groups.member(slot)->assignment.view()) == as_text(bytes)) continue;
    groups.edit_member(context.ledger(), slot, [&](GroupMemberValues& values) {
      values.assignment = SharedBytes::copy_of(bytes);
    });
  }
  groups.edit(context.ledger(), group, [&](GroupValues& values) {
    values.phase = GroupPhase::stable;
    values.phase_since = context.position();
  });
}

std::uint64_t bytes_of(const command::SyncGroup& command) {
  std::uint64_t bytes = 0;
  for (const auto& one : command.assignments) bytes += one.assignment.size();
  return bytes;
}

/// Who has not asked for its assignment in time is out. A static member may be away; only one that
/// everybody waits for, the leader, may not.
void drop_unsynced(FoldContext& context, Slot group) {
  GroupTable& groups = context.tables.groups;
  const Group& unit = groups.group(group);
  const bool waiting = unit->phase == GroupPhase::completing;
  const std::string leader = unit->leader;
  bool dropped = false;
  for (Slot slot : std::vector<Slot>(unit.members)) {
    const GroupMember& member = groups.member(slot);
    if (member.pending() || member.synced()) continue;
    if (member->instance && !(waiting && member->id == leader)) continue;
    drop_member(context, slot);
    dropped = true;
  }
  if (dropped) after_loss(context, group);
}

}  // namespace

void fold(FoldContext& context, const command::SyncGroup& command, Verdict& verdict) {
  GroupTable& groups = context.tables.groups;
  if (!well_formed(command)) return verdict.refuse(Refusal::malformed);
  const Slot group = groups.find_slot(command.group_id);
  if (group != kNoSlot && groups.group(group)->kind == GroupKind::consumer)
    return sync_consumer_group(context, group, command, verdict);
  const MemberClaim claim{group, command.member_id, command.instance_id};
  const Refusal refusal = check_member(groups, claim, command.generation);
  if (refusal != Refusal::none) return verdict.refuse(refusal);
  const Group& unit = groups.group(group);
  if (is_other(command.protocol_type, unit->protocol_type) ||
      is_other(command.protocol_name, unit->protocol_name))
    return verdict.refuse(Refusal::inconsistent_protocol);
  if (unit->phase == GroupPhase::empty) return verdict.refuse(Refusal::unknown_member);
  if (unit->phase == GroupPhase::preparing) return verdict.refuse(Refusal::rebalance_in_progress);
  if (!has_room(context.tables, false, bytes_of(command)))
    return verdict.refuse(Refusal::limit_reached);

  const Slot member = find_claimed(groups, claim).member;
  groups.set_progress(context.ledger(), member, false, true);
  groups.sign(context.ledger(), member, context.position());
  if (unit->phase == GroupPhase::completing && unit->leader == groups.member(member)->id)
    assign(context, group, command);
  verdict.item(Refusal::none, unit->phase == GroupPhase::stable ? 1 : 0);
}

void fold(FoldContext& context, const command::EndPhase& command, Verdict& verdict) {
  GroupTable& groups = context.tables.groups;
  const Slot group = groups.find_slot(command.group_id);
  if (group == kNoSlot) return verdict.refuse(Refusal::group_not_found);
  const Group& unit = groups.group(group);
  const bool same = unit->kind == GroupKind::classic && unit->generation == command.generation &&
                    static_cast<std::int8_t>(unit->phase) == command.phase &&
                    unit->phase_since.value == command.phase_since;
  if (!same || unit->phase == GroupPhase::empty) return verdict.refuse(Refusal::guard_mismatch);
  if (unit->phase == GroupPhase::preparing) return complete_join(context, group);
  drop_unsynced(context, group);
}

}  // namespace weir::state
