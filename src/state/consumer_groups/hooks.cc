#include "state/groups/hooks.h"

#include <algorithm>

#include "state/commands/consumer_group_heartbeat.h"
#include "state/commands/join_group.h"
#include "state/commands/sync_group.h"
#include "state/consumer_groups/embedded.h"
#include "state/consumer_groups/parts.h"
#include "state/groups/classic.h"
#include "state/limits.h"

namespace weir::state {
namespace {

const ConsumerGroup& consumer_of(const FoldContext& context, Slot slot) {
  return *context.tables.groups.group(slot).consumer();
}

/// Whether some protocol of the join is offered by every classic member.
bool has_common_protocol(const ConsumerGroup& group, const command::JoinGroup& join) {
  return std::ranges::any_of(join.protocols, [&](const auto& protocol) {
    return std::ranges::all_of(group.members(), [&](const auto& item) {
      const auto& classic = item.second.classic;
      return !classic || item.second.id == join.member_id ||
             std::ranges::any_of(classic->offers, [&](const ClassicOffer& offer) {
               return offer.name == protocol.name;
             });
    });
  });
}

/// Partitions by name as the rest of the state has them; what does not exist is left out.
std::vector<command::ConsumerGroupHeartbeat::OwnedPartitions> owned_of(
    const Tables& tables, const NamedPartitions& named) {
  std::vector<command::ConsumerGroupHeartbeat::OwnedPartitions> owned;
  for (const auto& [name, partitions] : named)
    if (const Topic* topic = tables.topics.find(name))
      owned.push_back({.topic_id = topic->info().id, .partitions = partitions});
  return owned;
}

bool within_limits(const command::JoinGroup& join) {
  if (join.protocols.size() > kProtocolsPerMemberMax) return false;
  std::size_t bytes = 0;
  bool names = std::ranges::all_of(join.protocols, [&](const auto& protocol) {
    bytes += protocol.metadata.size();
    return protocol.name.size() <= kGroupTextBytesMax;
  });
  return names && bytes <= kMemberBytesMax && join.member_id.size() <= kGroupTextBytesMax &&
         join.new_member_id.size() <= kGroupTextBytesMax &&
         join.client_id.size() <= kGroupTextBytesMax &&
         join.client_host.size() <= kGroupTextBytesMax &&
         (!join.instance_id || join.instance_id->size() <= kGroupTextBytesMax);
}

/// Topics that may be kept; others would not fit into the state.
bool is_subscription(const std::optional<EmbeddedSubscription>& subscription) {
  return subscription && subscription->topics.size() <= kTopicsPerConsumerMax &&
         (!subscription->rack || subscription->rack->size() <= kGroupTextBytesMax) &&
         std::ranges::all_of(subscription->topics, [](const std::string& topic) {
           return topic.size() <= kTopicNameBytesMax;
         });
}

/// A join in the words of the consumer protocol.
command::ConsumerGroupHeartbeat heartbeat_of(const FoldContext& context,
                                             const command::JoinGroup& join,
                                             const EmbeddedSubscription& subscription) {
  command::ConsumerGroupHeartbeat out;
  out.group_id = join.group_id;
  out.member_id = join.member_id.empty() ? join.new_member_id : join.member_id;
  out.instance_id = join.instance_id;
  out.rack_id = subscription.rack;
  out.client_id = join.client_id;
  out.client_host = join.client_host;
  out.session_timeout_ms = join.session_timeout_ms;
  out.rebalance_timeout_ms = join.rebalance_timeout_ms;
  out.topics = subscription.topics;
  out.regex = "";
  out.owned = owned_of(context.tables, subscription.owned);
  out.members_max = std::max(join.group_size_max, 1);
  return out;
}

}  // namespace

void join_consumer_group(FoldContext& context, Slot slot, const command::JoinGroup& command,
                         Verdict& verdict) {
  const ConsumerGroup& group = consumer_of(context, slot);
  if (command.protocols.empty() || command.protocol_type != "consumer" ||
      !has_common_protocol(group, command))
    return verdict.refuse(Refusal::inconsistent_protocol);
  if ((command.member_id.empty() && command.new_member_id.empty()) || !within_limits(command))
    return verdict.refuse(Refusal::malformed);
  if (command.require_known_member && command.member_id.empty() && !command.instance_id)
    return verdict.item(Refusal::none, join_value(JoinResult::member_id_required, 0));
  std::optional<EmbeddedSubscription> subscription =
      parse_subscription(command.protocols.front().metadata);
  if (!is_subscription(subscription)) return verdict.refuse(Refusal::inconsistent_protocol);
  ClassicMemberPart classic;
  for (const auto& protocol : command.protocols)
    classic.offers.push_back({protocol.name, protocol.metadata});
  HeartbeatEffect effect = judge(group, heartbeat_of(context, command, *subscription), &classic,
                                 topic_names(context.tables));
  if (effect.refusal == Refusal::none && !fits(context, group, effect))
    effect.refusal = Refusal::limit_reached;
  if (effect.refusal != Refusal::none) return verdict.refuse(effect.refusal);
  std::int32_t epoch = effect.member->epoch;
  apply_effect(context, slot, std::move(effect));
  verdict.item(Refusal::none, join_value(JoinResult::current, epoch));
}

void sync_consumer_group(FoldContext& context, Slot slot, const command::SyncGroup& command,
                         Verdict& verdict) {
  const ConsumerGroup& group = consumer_of(context, slot);
  ClaimedConsumer claimed = find_claimed(group, command.member_id, command.instance_id);
  Refusal refusal = check_classic_member(group, claimed, command.generation, true);
  if (refusal == Refusal::none && command.protocol_type && *command.protocol_type != "consumer")
    refusal = Refusal::inconsistent_protocol;
  if (refusal != Refusal::none) return verdict.refuse(refusal);
  sign_consumer(context, slot, claimed.member->id);
  verdict.item(Refusal::none);
}

Refusal leave_consumer_group(FoldContext& context, Slot slot, std::string_view member,
                             const std::optional<std::string>& instance) {
  ClaimedConsumer claimed = find_claimed(consumer_of(context, slot), member, instance);
  if (claimed.refusal != Refusal::none) return claimed.refusal;
  drop_consumer(context, slot, std::string(claimed.member->id));
  return Refusal::none;
}

Refusal expire_consumer_member(FoldContext& context, Slot slot, std::string_view id,
                               Position last_sign) {
  const ConsumerMember* member = consumer_of(context, slot).find(id);
  if (member == nullptr) return Refusal::not_found;
  if (member->last_sign != last_sign) return Refusal::guard_mismatch;
  drop_consumer(context, slot, std::string(id));
  return Refusal::none;
}

void vouch_consumer_member(FoldContext& context, Slot slot, std::string_view member) {
  if (consumer_of(context, slot).find(member) != nullptr) sign_consumer(context, slot, member);
}

Refusal check_consumer_commit(FoldContext& context, Slot slot, const CommitClaim& claim,
                              const PartitionRef& at) {
  const ConsumerGroup& group = consumer_of(context, slot);
  // Admin tools commit for a group that nobody works in.
  if (claim.epoch < 0 && group.members().empty()) return Refusal::none;
  Refusal refusal = check_member_epoch(group, claim.member, claim.instance, claim.epoch, &at);
  const ConsumerMember* member = group.find(claim.member);
  if (refusal == Refusal::none && member != nullptr && member->last_sign != context.position())
    sign_consumer(context, slot, claim.member);
  return refusal;
}

Refusal check_consumer_fetch(const Group& group, std::string_view member, std::int32_t epoch) {
  // Whoever does not say who it is may look.
  if (member.empty() && epoch < 0) return Refusal::none;
  return check_member_epoch(*group.consumer(), member, std::nullopt, epoch, nullptr);
}

bool consumer_group_reads(const Tables& tables, const Group& group, const PartitionRef& at) {
  const Topic* topic = tables.topics.find(at.topic);
  return topic != nullptr && group.consumer()->subscribes(topic->info().name);
}

}  // namespace weir::state
