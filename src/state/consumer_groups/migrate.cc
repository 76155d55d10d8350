// Live groups that change between the classic and the consumer protocol (docs of KIP-848, "online
// migration"): the members stay, and so does what they hold.
#include <algorithm>

#include "state/commands/downgrade_consumer_group.h"
#include "state/consumer_groups/embedded.h"
#include "state/consumer_groups/migration.h"
#include "state/consumer_groups/parts.h"
#include "state/groups/classic.h"
#include "state/limits.h"

namespace weir::state {
namespace {

/// What the member offered for the group's protocol; its first offer before one was chosen.
const SharedBytes* metadata_of(const GroupMemberValues& member, const std::string& protocol) {
  for (const OfferedProtocol& offer : member.protocols)
    if (offer.name == protocol) return &offer.metadata;
  return member.protocols.empty() ? nullptr : &member.protocols.front().metadata;
}

/// Of a member of the classic group, or nothing if it does not speak the embedded protocol.
std::optional<ConsumerMember> converted(const FoldContext& context, const Group& group,
                                        const GroupMember& member) {
  const SharedBytes* metadata = metadata_of(member.values(), group->protocol_name);
  if (metadata == nullptr) return std::nullopt;
  std::optional<EmbeddedSubscription> subscription = parse_subscription(*metadata);
  std::optional<NamedPartitions> assignment = parse_assignment(member->assignment);
  if (!subscription || !assignment || subscription->topics.size() > kTopicsPerConsumerMax)
    return std::nullopt;
  ConsumerMember out;
  out.id = member->id;
  out.instance = member->instance;
  out.rack = subscription->rack;
  out.client_id = member->client_id;
  out.client_host = member->client_host;
  out.rebalance_timeout_ms = member->rebalance_timeout_ms;
  out.topics = std::move(subscription->topics);
  std::ranges::sort(out.topics);
  auto rest = std::ranges::unique(out.topics);
  out.topics.erase(rest.begin(), rest.end());
  out.session_timeout_ms = member->session_timeout_ms;
  out.classic = ClassicMemberPart();
  for (const OfferedProtocol& offer : member->protocols)
    out.classic->offers.push_back({offer.name, offer.metadata});
  out.epoch = group->generation;
  out.previous_epoch = group->generation;
  out.last_sign = member.last_sign();
  for (const auto& [name, partitions] : *assignment) {
    const Topic* topic = context.tables.topics.find(name);
    for (std::int32_t partition : partitions)
      if (topic != nullptr && partition >= 0)
        out.target.push_back({topic->info().id, PartitionIndex(partition)});
  }
  normalise(out.target);
  return out;
}

SharedBytes encode_held(const ConsumerMember& member, const TopicNameOf& name_of) {
  NamedPartitions named;
  TopicId last;
  for (const HeldPartition& held : member.assigned) {
    std::string_view name = name_of(held.at.topic);
    if (name.empty()) continue;
    if (named.empty() || held.at.topic != last) named.push_back({std::string(name), {}});
    last = held.at.topic;
    named.back().second.push_back(held.at.partition.value);
  }
  std::int16_t version = 0;
  if (member.classic && !member.classic->offers.empty()) {
    auto subscription = parse_subscription(member.classic->offers.front().metadata);
    if (subscription) version = std::min<std::int16_t>(subscription->version, kEmbeddedVersionMax);
  }
  return encode_assignment(version, named);
}

/// The protocol that every member offers and that comes first with the first of them.
std::string common_protocol(const ConsumerGroup& group) {
  const auto& first = group.members().begin()->second.classic->offers;
  for (const ClassicOffer& offer : first) {
    bool common = std::ranges::all_of(group.members(), [&](const auto& item) {
      return std::ranges::any_of(item.second.classic->offers, [&](const ClassicOffer& other) {
        return other.name == offer.name;
      });
    });
    if (common) return offer.name;
  }
  return first.empty() ? std::string() : first.front().name;
}

GroupMemberValues classic_values(const FoldContext& context, const ConsumerMember& member) {
  GroupMemberValues out;
  out.id = member.id;
  out.instance = member.instance;
  out.client_id = member.client_id;
  out.client_host = member.client_host;
  out.session_timeout_ms = member.session_timeout_ms;
  out.rebalance_timeout_ms = member.rebalance_timeout_ms;
  for (const ClassicOffer& offer : member.classic->offers)
    out.protocols.push_back({offer.name, offer.metadata});
  out.assignment = encode_held(member, topic_names(context.tables));
  return out;
}

}  // namespace

SharedBytes classic_assignment(const Catalog& topics, const ConsumerMember& member) {
  return encode_held(member, [&](const TopicId& id) -> std::string_view {
    const TopicInfo* topic = topics.topic(id);
    return topic == nullptr ? std::string_view() : std::string_view(topic->name);
  });
}

Refusal upgrade_group(FoldContext& context, Slot slot) {
  GroupTable& groups = context.tables.groups;
  const Group& group = groups.group(slot);
  auto consumer = std::make_unique<ConsumerGroup>();
  consumer->set_epoch(group->generation);
  consumer->set_target_epoch(group->generation);
  for (Slot at : group.members) {
    if (groups.member(at).pending()) continue;
    std::optional<ConsumerMember> member = converted(context, group, groups.member(at));
    if (!member) return Refusal::group_exists;
    // Client-side assignors may have given one partition to two; the first one keeps it.
    for (const PartitionRef& held : member->target)
      if (!consumer->held(held)) member->assigned.push_back({held, group->generation});
    if (!consumer->put(std::move(*member))) return Refusal::group_exists;
  }
  groups.drop_classic_members(context.ledger(), slot);
  groups.edit(context.ledger(), slot, [](GroupValues& values) {
    GroupValues fresh;
    fresh.id = values.id;
    values = std::move(fresh);
  });
  groups.set_kind(context.ledger(), slot, GroupKind::consumer);
  groups.edit_consumer(context.ledger(), slot,
                       [&](ConsumerGroup& inside) { inside = std::move(*consumer); });
  return Refusal::none;
}

void fold(FoldContext& context, const command::DowngradeConsumerGroup& command, Verdict& verdict) {
  GroupTable& groups = context.tables.groups;
  Slot slot = groups.find_slot(command.group_id);
  if (slot == kNoSlot || groups.group(slot)->kind != GroupKind::consumer)
    return verdict.refuse(Refusal::group_not_found);
  const ConsumerGroup& group = *groups.group(slot).consumer();
  if (group.epoch() != command.group_epoch || !group.all_classic())
    return verdict.refuse(Refusal::guard_mismatch);
  std::vector<std::pair<GroupMemberValues, Position>> members;
  for (const auto& [id, member] : group.members())
    members.emplace_back(classic_values(context, member), member.last_sign);
  std::string protocol = common_protocol(group);
  // What members know; the group epoch has risen since, when the last one left.
  std::int32_t generation = group.target_epoch();
  groups.edit_consumer(context.ledger(), slot, [](ConsumerGroup& inside) { inside = {}; });
  groups.set_kind(context.ledger(), slot, GroupKind::classic);
  groups.edit(context.ledger(), slot, [&](GroupValues& values) {
    values.generation = generation;
    values.phase = GroupPhase::stable;
    values.phase_since = context.position();
    values.protocol_type = "consumer";
    values.protocol_name = protocol;
    values.leader = members.front().first.id;
  });
  for (auto& [values, sign] : members)
    groups.add_member(context.ledger(), slot, std::move(values), sign);
  rebalance(context, slot);
  verdict.item(Refusal::none, generation);
}

}  // namespace weir::state
