#include <algorithm>

#include "state/commands/consumer_group_heartbeat.h"
#include "state/commands/fence_consumer_member.h"
#include "state/commands/leave_consumer_group.h"
#include "state/consumer_groups/parts.h"
#include "state/groups/checks.h"
#include "state/limits.h"

namespace weir::state {
namespace {

bool well_formed(const command::ConsumerGroupHeartbeat& command) {
  if (command.group_id.empty() || command.member_id.empty() || command.member_epoch < 0 ||
      command.members_max < 1 || command.session_timeout_ms < 1)
    return false;
  if (command.topics && command.topics->size() > kTopicsPerConsumerMax) return false;
  const auto short_enough = [](const std::string& text) {
    return text.size() <= kGroupTextBytesMax;
  };
  return short_enough(command.group_id) && short_enough(command.member_id) &&
         short_enough(command.client_id) && short_enough(command.client_host) &&
         short_enough(command.instance_id.value_or("")) &&
         short_enough(command.rack_id.value_or("")) && short_enough(command.regex.value_or("")) &&
         short_enough(command.assignor.value_or("")) &&
         (!command.topics || std::ranges::all_of(*command.topics, [](const std::string& topic) {
           return topic.size() <= kTopicNameBytesMax;
         }));
}

/// A join says what its member holds, which is true until the member is answered by anybody: one
/// that lands behind its own repetition would free what the member was told to be its own.
bool as_judged(const GroupTable& groups, const command::ConsumerGroupHeartbeat& command) {
  if (command.guard_sign < 0 || command.member_epoch != 0) return true;
  const Slot slot = groups.find_slot(command.group_id);
  const ConsumerGroup* group = slot == kNoSlot ? nullptr : groups.group(slot).consumer();
  return sign_for_join(group, command).value == static_cast<std::uint64_t>(command.guard_sign);
}

/// The group that a join is for, made or turned into one of this kind where it may be.
Refusal enter(FoldContext& context, const command::ConsumerGroupHeartbeat& command, Slot& slot) {
  GroupTable& groups = context.tables.groups;
  slot = groups.find_slot(command.group_id);
  bool joins = command.member_epoch == 0;
  if (slot == kNoSlot) {
    if (!joins) return Refusal::group_not_found;
    if (!has_room(context.tables, true, 0)) return Refusal::limit_reached;
    GroupValues values;
    values.id = command.group_id;
    slot = groups.add(context.ledger(), std::move(values));
    groups.set_kind(context.ledger(), slot, GroupKind::consumer);
    return Refusal::none;
  }
  const Group& group = groups.group(slot);
  if (group->kind == GroupKind::consumer) return Refusal::none;
  if (!joins) return Refusal::group_not_found;
  if (group.counts.members != 0) {
    if (!command.may_upgrade || group->protocol_type != "consumer") return Refusal::group_exists;
    if (group.counts.members >= static_cast<std::size_t>(command.members_max))
      return Refusal::group_full;
    return upgrade_group(context, slot);
  }
  groups.drop_classic_members(context.ledger(), slot);
  const std::int32_t generation = group->generation;
  groups.set_kind(context.ledger(), slot, GroupKind::consumer);
  groups.edit_consumer(context.ledger(), slot,
                       [&](ConsumerGroup& inside) { inside.set_epoch(generation); });
  return Refusal::none;
}

/// Expressions that no member uses any more are forgotten.
void prune_regexes(ConsumerGroup& group) {
  ConsumerGroup::Regexes kept;
  for (const auto& [id, member] : group.members()) {
    auto at = group.regexes().find(member.regex);
    if (!member.regex.empty() && at != group.regexes().end()) kept.insert(*at);
  }
  if (kept.size() != group.regexes().size()) group.set_regexes(std::move(kept));
}

void temporarily_leave(FoldContext& context, Slot slot, ConsumerMember member) {
  member.epoch = ConsumerMember::kAway;
  // The process is gone, so nobody reads these any more.
  member.revoking.clear();
  member.last_sign = context.position();
  context.tables.groups.edit_consumer(
      context.ledger(), slot, [&](ConsumerGroup& group) { ENSURE(group.put(std::move(member))); });
}

}  // namespace

TopicNameOf topic_names(const Tables& tables) {
  return [&tables](const TopicId& id) -> std::string_view {
    const Topic* topic = tables.topics.find(id);
    return topic == nullptr ? std::string_view() : std::string_view(topic->info().name);
  };
}

bool fits(const FoldContext& context, const ConsumerGroup& group, const HeartbeatEffect& effect) {
  if (!effect.member) return true;
  bool fresh = group.find(effect.member->id) == nullptr && effect.replaces.empty();
  if (fresh && group.members().size() >= kGroupMembersMax) return false;
  // Who stays may change what it says, but for more than all groups may take.
  return (!effect.bumps || group.epoch() < kConsumerEpochMax) &&
         has_room(context.tables, false, effect.bumps ? bytes_of(*effect.member) : 0);
}

void apply_effect(FoldContext& context, Slot slot, HeartbeatEffect effect) {
  ConsumerMember member = std::move(*effect.member);
  member.last_sign = context.position();
  std::string id = member.id;
  context.tables.groups.edit_consumer(context.ledger(), slot, [&](ConsumerGroup& group) {
    // `judge` gave it nothing that another member holds, and an instance id that is free or taken
    // over from the member that it replaces.
    if (!effect.replaces.empty()) group.remove(effect.replaces);
    ENSURE(group.put(std::move(member)));
    if (effect.bumps) ENSURE(group.bump_epoch());
    prune_regexes(group);
  });
  context.ledger().note_sign(context.tables.groups.group(slot)->id, id);
}

void drop_consumer(FoldContext& context, Slot slot, const std::string& id) {
  context.tables.groups.edit_consumer(context.ledger(), slot, [&](ConsumerGroup& group) {
    group.remove(id);
    // At the last epoch the others keep their targets, and what this one held goes nowhere.
    group.bump_epoch();
    if (group.members().empty()) group.set_target_epoch(group.epoch());
    prune_regexes(group);
  });
  if (context.tables.groups.group(slot).consumer()->members().empty())
    context.tables.groups.edit(context.ledger(), slot, [&](GroupValues& values) {
      values.empty_since_ms = context.entry.header.wall.value;
    });
}

void sign_consumer(FoldContext& context, Slot slot, std::string_view id) {
  std::string member(id);
  context.tables.groups.edit_consumer(context.ledger(), slot, [&](ConsumerGroup& group) {
    group.vouch(member, context.position());
  });
  context.ledger().note_sign(context.tables.groups.group(slot)->id, member);
}

void fold(FoldContext& context, const command::ConsumerGroupHeartbeat& command, Verdict& verdict) {
  if (!well_formed(command)) return verdict.refuse(Refusal::malformed);
  if (!as_judged(context.tables.groups, command)) return verdict.refuse(Refusal::guard_mismatch);
  Slot slot = kNoSlot;
  Refusal refusal = enter(context, command, slot);
  if (refusal != Refusal::none) return verdict.refuse(refusal);
  const ConsumerGroup& group = *context.tables.groups.group(slot).consumer();
  HeartbeatEffect effect = judge(group, command, nullptr, topic_names(context.tables));
  if (effect.refusal == Refusal::none && !fits(context, group, effect))
    effect.refusal = Refusal::limit_reached;
  if (effect.refusal != Refusal::none) return verdict.refuse(effect.refusal);
  if (effect.member)
    apply_effect(context, slot, std::move(effect));
  else
    sign_consumer(context, slot, command.member_id);
  verdict.item(Refusal::none,
               context.tables.groups.group(slot).consumer()->find(command.member_id)->epoch);
}

void fold(FoldContext& context, const command::LeaveConsumerGroup& command, Verdict& verdict) {
  Slot slot = context.tables.groups.find_slot(command.group_id);
  if (slot == kNoSlot || context.tables.groups.group(slot)->kind != GroupKind::consumer)
    return verdict.refuse(Refusal::group_not_found);
  for (const auto& leaving : command.members) {
    const ConsumerGroup& group = *context.tables.groups.group(slot).consumer();
    ClaimedConsumer claimed = find_claimed(group, leaving.member_id, leaving.instance_id);
    verdict.item(claimed.refusal);
    if (claimed.refusal != Refusal::none) continue;
    if (leaving.temporary && claimed.member->instance)
      temporarily_leave(context, slot, *claimed.member);
    else
      drop_consumer(context, slot, std::string(claimed.member->id));
  }
}

void fold(FoldContext& context, const command::FenceConsumerMember& command, Verdict& verdict) {
  Slot slot = context.tables.groups.find_slot(command.group_id);
  if (slot == kNoSlot || context.tables.groups.group(slot)->kind != GroupKind::consumer)
    return verdict.refuse(Refusal::group_not_found);
  const ConsumerMember* member =
      context.tables.groups.group(slot).consumer()->find(command.member_id);
  if (member == nullptr) return verdict.refuse(Refusal::not_found);
  // A member of the classic protocol is told to join again, and late if it does not.
  bool late = member->state == MemberState::unrevoked ||
              (member->classic &&
               member->epoch < context.tables.groups.group(slot).consumer()->target_epoch());
  if (member->epoch != command.member_epoch || !late)
    return verdict.refuse(Refusal::guard_mismatch);
  drop_consumer(context, slot, command.member_id);
}

}  // namespace weir::state
