#include "state/consumer_groups/heartbeat.h"

#include <algorithm>

#include "state/commands/consumer_group_heartbeat.h"
#include "state/consumer_groups/reconcile.h"

namespace weir::state {
namespace {

using Heartbeat = command::ConsumerGroupHeartbeat;

HeartbeatEffect refused(Refusal why) {
  HeartbeatEffect effect;
  effect.refusal = why;
  return effect;
}

std::optional<PartitionList> owned_of(const Heartbeat& heartbeat) {
  if (!heartbeat.owned) return std::nullopt;
  PartitionList list;
  for (const auto& topic : *heartbeat.owned)
    for (std::int32_t partition : topic.partitions)
      list.push_back({topic.topic_id, PartitionIndex(partition)});
  normalise(list);
  return list;
}

/// A lost answer is forgiven: the epoch before is good if nothing was held that is lost since.
Refusal check_epoch(const ConsumerMember& member, std::int32_t epoch,
                    const std::optional<PartitionList>& owned) {
  if (epoch == 0 || epoch == member.epoch) return Refusal::none;
  bool previous = epoch < member.epoch && epoch == member.previous_epoch;
  if (previous && owned && all_held(*owned, member.assigned)) return Refusal::none;
  return Refusal::fenced_member_epoch;
}

/// Whom the heartbeat is about: a known member, nobody yet (a new one), or a refusal.
struct Found {
  Refusal refusal = Refusal::none;
  const ConsumerMember* member = nullptr;
};

/// Who has its instance id, or else, which is enough for a join, its member id.
const ConsumerMember* present_member(const ConsumerGroup& group, const Heartbeat& heartbeat) {
  if (!heartbeat.instance_id) return group.find(heartbeat.member_id);
  const ConsumerMember* member = group.find_static(*heartbeat.instance_id);
  bool joins = heartbeat.member_epoch == 0;
  return member == nullptr && joins ? group.find(heartbeat.member_id) : member;
}

Found find_member(const ConsumerGroup& group, const Heartbeat& heartbeat, bool classic,
                  const std::optional<PartitionList>& owned) {
  bool joins = heartbeat.member_epoch == 0;
  const ConsumerMember* member = present_member(group, heartbeat);
  if (member == nullptr) return {joins ? Refusal::none : Refusal::unknown_member, nullptr};
  if (member->id != heartbeat.member_id) {
    if (!joins) return {Refusal::fenced_instance, nullptr};
    bool taken = !classic && !member->classic && !member->away();
    return {taken ? Refusal::unreleased_instance : Refusal::none, member};
  }
  Refusal refusal = classic ? Refusal::none : check_epoch(*member, heartbeat.member_epoch, owned);
  return {refusal, member};
}

template <class T>
bool update(T& field, const T& value) {
  if (field == value) return false;
  field = value;
  return true;
}

template <class T>
bool update(T& field, const std::optional<T>& value) {
  return value && update(field, *value);
}

std::vector<std::string> sorted_topics(const std::vector<std::string>& topics) {
  std::vector<std::string> sorted = topics;
  std::ranges::sort(sorted);
  auto rest = std::ranges::unique(sorted);
  sorted.erase(rest.begin(), rest.end());
  return sorted;
}

struct Updated {
  bool anything = false;
  bool subscription = false;
};

Updated update_member(ConsumerMember& member, const Heartbeat& heartbeat) {
  Updated updated;
  if (heartbeat.topics)
    updated.subscription |= update(member.topics, sorted_topics(*heartbeat.topics));
  updated.subscription |= update(member.regex, heartbeat.regex);
  updated.anything = updated.subscription;
  if (heartbeat.instance_id) updated.anything |= update(member.instance, heartbeat.instance_id);
  if (heartbeat.rack_id && member.rack != heartbeat.rack_id) {
    member.rack = heartbeat.rack_id;
    updated.anything = true;
  }
  updated.anything |= update(member.client_id, heartbeat.client_id);
  updated.anything |= update(member.client_host, heartbeat.client_host);
  updated.anything |= update(member.assignor, heartbeat.assignor);
  updated.anything |= update(member.session_timeout_ms, heartbeat.session_timeout_ms);
  if (heartbeat.rebalance_timeout_ms >= 0)
    updated.anything |= update(member.rebalance_timeout_ms, heartbeat.rebalance_timeout_ms);
  return updated;
}

/// Nothing is said but "I live", and the group wants nothing of the member.
bool is_plain(const ConsumerGroup& group, const ConsumerMember& member,
              const Heartbeat& heartbeat) {
  return !heartbeat.topics && !heartbeat.regex && !heartbeat.assignor && !heartbeat.rack_id &&
         !member.classic && member.id == heartbeat.member_id &&
         heartbeat.member_epoch == member.epoch && member.state == MemberState::stable &&
         member.epoch == group.target_epoch() && member.client_id == heartbeat.client_id &&
         member.client_host == heartbeat.client_host &&
         member.session_timeout_ms == heartbeat.session_timeout_ms &&
         (heartbeat.rebalance_timeout_ms < 0 ||
          heartbeat.rebalance_timeout_ms == member.rebalance_timeout_ms);
}

}  // namespace

HeartbeatEffect judge(const ConsumerGroup& group, const Heartbeat& heartbeat,
                      const ClassicMemberPart* classic, const TopicNameOf& name_of) {
  std::optional<PartitionList> owned = owned_of(heartbeat);
  Found found = find_member(group, heartbeat, classic != nullptr, owned);
  if (found.refusal != Refusal::none) return refused(found.refusal);
  bool is_new = found.member == nullptr;
  if (is_new && group.members().size() >= static_cast<std::size_t>(heartbeat.members_max))
    return refused(Refusal::group_full);
  if (!is_new && classic == nullptr && is_plain(group, *found.member, heartbeat)) return {};

  HeartbeatEffect effect;
  ConsumerMember member = is_new ? ConsumerMember() : *found.member;
  bool moved_in = !is_new && member.id != heartbeat.member_id;
  if (moved_in) {
    effect.replaces = member.id;
    member.epoch = 0;
    member.previous_epoch = 0;
    // Nobody is left who could give these up.
    member.revoking.clear();
    for (HeldPartition& held : member.assigned) held.epoch = 0;
  }
  if (member.away()) member.epoch = 0;
  member.id = heartbeat.member_id;
  Updated updated = update_member(member, heartbeat);
  // A join of the classic protocol is worth an entry in any case, and so is its end.
  if (classic != nullptr || member.classic) updated.anything = true;
  member.classic.reset();
  if (classic != nullptr) member.classic = *classic;
  effect.bumps = is_new || updated.subscription;
  bool stepped =
      advance(group, member, owned ? &*owned : nullptr, updated.subscription && !is_new, name_of);
  if (is_new || moved_in || updated.anything || stepped) effect.member = std::move(member);
  return effect;
}

Position sign_for_join(const ConsumerGroup* group, const Heartbeat& join) {
  const ConsumerMember* member = group == nullptr ? nullptr : present_member(*group, join);
  return member == nullptr ? Position(0) : member->last_sign;
}

ClaimedConsumer find_claimed(const ConsumerGroup& group, std::string_view id,
                             const std::optional<std::string>& instance) {
  const ConsumerMember* member = instance ? group.find_static(*instance) : group.find(id);
  if (member == nullptr) return {Refusal::unknown_member, nullptr};
  if (instance && !id.empty() && member->id != id) return {Refusal::fenced_instance, nullptr};
  return {Refusal::none, member};
}

Refusal check_classic_member(const ConsumerGroup& group, const ClaimedConsumer& claimed,
                             std::int32_t generation, bool syncs) {
  if (claimed.refusal != Refusal::none) return claimed.refusal;
  const ConsumerMember& member = *claimed.member;
  if (!member.classic) return Refusal::unknown_member;
  if (member.epoch != generation) return Refusal::illegal_generation;
  bool behind = member.epoch < group.target_epoch();
  if (syncs)
    return behind && member.state != MemberState::unrevoked ? Refusal::rebalance_in_progress
                                                            : Refusal::none;
  bool released = member.state == MemberState::unreleased &&
                  std::ranges::any_of(member.target, [&](const PartitionRef& at) {
                    return find_held(member.assigned, at) == nullptr && !group.held(at);
                  });
  return behind || released || member.state == MemberState::unrevoked
             ? Refusal::rebalance_in_progress
             : Refusal::none;
}

bool advance(const ConsumerGroup& group, ConsumerMember& member, const PartitionList* owned,
             bool subscription_changed, const TopicNameOf& name_of) {
  ReconcileInput input;
  input.target_epoch = group.target_epoch();
  input.owned = owned;
  input.subscription_changed = subscription_changed;
  input.subscribed = [&](const TopicId& id) {
    std::string_view name = name_of(id);
    return !name.empty() && group.subscribes(member, name);
  };
  input.held = [&](const PartitionRef& at) { return group.held(at); };
  std::optional<MemberStep> step = reconcile(member, input);
  if (!step) return false;
  member.previous_epoch = member.epoch;
  member.epoch = step->epoch;
  member.state = step->state;
  member.assigned = std::move(step->assigned);
  member.revoking = std::move(step->revoking);
  return true;
}

Refusal check_member_epoch(const ConsumerGroup& group, std::string_view id,
                           const std::optional<std::string>& instance, std::int32_t epoch,
                           const PartitionRef* committed) {
  const ConsumerMember* member = group.find(id);
  if (member == nullptr) {
    bool fenced = instance && group.find_static(*instance) != nullptr;
    return fenced ? Refusal::fenced_instance : Refusal::unknown_member;
  }
  if (epoch == member->epoch) return Refusal::none;
  Refusal stale = member->classic ? Refusal::illegal_generation : Refusal::stale_member_epoch;
  if (committed == nullptr || epoch > member->epoch) return stale;
  const HeldPartition* held = find_held(member->assigned, *committed);
  if (held == nullptr) held = find_held(member->revoking, *committed);
  return held != nullptr && epoch >= held->epoch ? Refusal::none : stale;
}

}  // namespace weir::state
