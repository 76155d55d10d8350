// LeaveGroup, and the signs of life of members of every kind: VouchMembers, ExpireMembers.
#include "state/commands/expire_members.h"
#include "state/commands/leave_group.h"
#include "state/commands/vouch_members.h"
#include "state/fold.h"
#include "state/groups/checks.h"
#include "state/groups/classic.h"
#include "state/groups/hooks.h"

namespace weir::state {
namespace {

/// A static member may be named by its instance alone.
Refusal leave(FoldContext& context, Slot group, const command::LeaveGroup::LeavingMember& leaving) {
  GroupTable& groups = context.tables.groups;
  Slot member = kNoSlot;
  if (leaving.member_id.empty()) {
    if (leaving.instance_id) member = groups.find_instance(group, *leaving.instance_id);
    if (member == kNoSlot) return Refusal::unknown_member;
  } else {
    member = groups.find_member(group, leaving.member_id);
    const bool pending = member != kNoSlot && groups.member(member).pending();
    if (!pending) {
      const ClaimedMember found =
          find_claimed(groups, {group, leaving.member_id, leaving.instance_id});
      if (found.refusal != Refusal::none) return found.refusal;
      member = found.member;
    }
  }
  drop_member(context, member);
  return Refusal::none;
}

Refusal expire(FoldContext& context, const command::ExpireMembers::SilentMember& silent) {
  GroupTable& groups = context.tables.groups;
  const Slot group = groups.find_slot(silent.group_id);
  if (group == kNoSlot) return Refusal::not_found;
  const Position sign(silent.last_sign);
  if (groups.group(group)->kind == GroupKind::consumer)
    return expire_consumer_member(context, group, silent.member_id, sign);
  const Slot member = groups.find_member(group, silent.member_id);
  if (member == kNoSlot) return Refusal::not_found;
  if (groups.member(member).last_sign() != sign) return Refusal::guard_mismatch;
  drop_member(context, member);
  after_loss(context, group);
  return Refusal::none;
}

}  // namespace

void fold(FoldContext& context, const command::LeaveGroup& command, Verdict& verdict) {
  GroupTable& groups = context.tables.groups;
  const Slot group = groups.find_slot(command.group_id);
  const bool consumer = group != kNoSlot && groups.group(group)->kind == GroupKind::consumer;
  bool left = false;
  for (const auto& leaving : command.members) {
    Refusal refusal = Refusal::unknown_member;
    if (consumer)
      refusal = leave_consumer_group(context, group, leaving.member_id, leaving.instance_id);
    else if (group != kNoSlot)
      refusal = leave(context, group, leaving);
    left |= refusal == Refusal::none;
    verdict.item(refusal);
  }
  if (left && !consumer) after_loss(context, group);
}

void fold(FoldContext& context, const command::ExpireMembers& command, Verdict& verdict) {
  for (const auto& silent : command.members) verdict.item(expire(context, silent));
}

void fold(FoldContext& context, const command::VouchMembers& command, Verdict&) {
  GroupTable& groups = context.tables.groups;
  for (const auto& vouched : command.groups) {
    const Slot group = groups.find_slot(vouched.group_id);
    if (group == kNoSlot) continue;
    const bool consumer = groups.group(group)->kind == GroupKind::consumer;
    for (const std::string& id : vouched.member_ids) {
      if (consumer) {
        vouch_consumer_member(context, group, id);
        continue;
      }
      const Slot member = groups.find_member(group, id);
      if (member != kNoSlot) groups.sign(context.ledger(), member, context.position());
    }
  }
}

}  // namespace weir::state
