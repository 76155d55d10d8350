#include <algorithm>

#include "state/commands/assign_consumer_group.h"
#include "state/consumer_groups/parts.h"
#include "state/limits.h"

namespace weir::state {
namespace {

using Command = command::AssignConsumerGroup;

bool well_formed(const Command& command) {
  bool numbers = std::ranges::all_of(command.targets, [](const Command::MemberTarget& target) {
    return std::ranges::all_of(target.topics, [](const auto& topic) {
      return std::ranges::all_of(topic.partitions, [](std::int32_t at) { return at >= 0; });
    });
  });
  if (!numbers) return false;
  if (!command.regexes) return true;
  return std::ranges::all_of(*command.regexes, [](const Command::ResolvedRegex& resolved) {
    return resolved.regex.size() <= kGroupTextBytesMax &&
           resolved.topics.size() <= kTopicsPerConsumerMax &&
           std::ranges::all_of(resolved.topics, [](const std::string& topic) {
             return topic.size() <= kTopicNameBytesMax;
           });
  });
}

/// Whether it was computed from the group as it is.
Refusal check_guards(const ConsumerGroup& group, const Command& command) {
  if (group.epoch() != command.group_epoch || group.target_epoch() != command.target_epoch)
    return Refusal::guard_mismatch;
  if (group.epoch() == group.target_epoch() && !command.bump) return Refusal::guard_mismatch;
  if (command.bump && group.epoch() == kConsumerEpochMax) return Refusal::limit_reached;
  // A static member may have been replaced without a new epoch.
  bool known = std::ranges::all_of(command.targets, [&](const Command::MemberTarget& target) {
    return group.find(target.member_id) != nullptr;
  });
  return known ? Refusal::none : Refusal::guard_mismatch;
}

PartitionList list_of(const Command::MemberTarget& target) {
  PartitionList list;
  for (const auto& topic : target.topics)
    for (std::int32_t partition : topic.partitions)
      list.push_back({topic.topic_id, PartitionIndex(partition)});
  normalise(list);
  return list;
}

ConsumerGroup::Regexes regexes_of(const ConsumerGroup& group, const Command& command) {
  ConsumerGroup::Regexes out;
  for (const auto& resolved : *command.regexes) {
    bool used = std::ranges::any_of(group.members(), [&](const auto& item) {
      return !resolved.regex.empty() && item.second.regex == resolved.regex;
    });
    if (!used) continue;
    std::vector<std::string> topics = resolved.topics;
    std::ranges::sort(topics);
    auto rest = std::ranges::unique(topics);
    topics.erase(rest.begin(), rest.end());
    out.insert_or_assign(resolved.regex, std::move(topics));
  }
  return out;
}

void take_targets(ConsumerGroup& group, const Command& command) {
  if (command.bump) ENSURE(group.bump_epoch());
  group.set_target_epoch(group.epoch());
  group.set_metadata_hash(static_cast<std::uint64_t>(command.metadata_hash));
  if (command.regexes) group.set_regexes(regexes_of(group, command));
  for (const auto& target : command.targets) group.set_target(target.member_id, list_of(target));
}

}  // namespace

void fold(FoldContext& context, const Command& command, Verdict& verdict) {
  if (!well_formed(command)) return verdict.refuse(Refusal::malformed);
  GroupTable& groups = context.tables.groups;
  Slot slot = groups.find_slot(command.group_id);
  if (slot == kNoSlot || groups.group(slot)->kind != GroupKind::consumer)
    return verdict.refuse(Refusal::group_not_found);
  Refusal refusal = check_guards(*groups.group(slot).consumer(), command);
  if (refusal != Refusal::none) return verdict.refuse(refusal);
  groups.edit_consumer(context.ledger(), slot,
                       [&](ConsumerGroup& group) { take_targets(group, command); });
  for (const std::string& id : command.advance) {
    const ConsumerGroup& group = *groups.group(slot).consumer();
    const ConsumerMember* member = group.find(id);
    // Somebody who is away, or who has to give something up first, moves by its own heartbeat.
    if (member == nullptr || member->away() || member->classic) continue;
    HeartbeatEffect effect;
    effect.member = *member;
    Position last_sign = member->last_sign;
    if (!advance(group, *effect.member, nullptr, false, topic_names(context.tables))) continue;
    effect.member->last_sign = last_sign;
    groups.edit_consumer(context.ledger(), slot, [&](ConsumerGroup& changed) {
      ENSURE(changed.put(std::move(*effect.member)));
    });
  }
  verdict.item(Refusal::none, groups.group(slot).consumer()->epoch());
}

}  // namespace weir::state
