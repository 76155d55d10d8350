// Groups, the part about committed offsets, and listing, describing and deleting groups.
#include <algorithm>
#include <map>

#include "engine/groups.h"
#include "engine/limits.h"
#include "state/commands/commit_offsets.h"
#include "state/commands/delete_groups.h"
#include "state/commands/delete_offsets.h"
#include "state/consumer_groups/consumer_group.h"
#include "state/groups/hooks.h"
#include "state/groups/offset_table.h"
#include "state/tables.h"

namespace weir::engine {

using state::Refusal;

namespace {

/// Items in the order in which the fold answers them: by topic as they first appear.
std::vector<std::size_t> by_topic(const std::vector<state::PartitionRef>& items) {
  std::map<TopicId, std::size_t> first;
  for (std::size_t i = 0; i < items.size(); ++i) first.try_emplace(items[i].topic, i);
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return first.at(items[i].topic); });
  return order;
}

/// Gives the outcomes of a command's items to the requests that they belong to.
void spread(const Result<state::CommandOutcome>& outcome, const std::vector<std::size_t>& order,
            std::vector<GroupOutcome>& outcomes) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    GroupOutcome& out = outcomes[order[i]];
    if (!outcome) {
      out.failure = outcome.error();
    } else if (outcome->refusal != Refusal::none || i >= outcome->items.size()) {
      out.refusal = outcome->refusal == Refusal::none ? Refusal::malformed : outcome->refusal;
    } else {
      out.refusal = outcome->items[i].refusal;
    }
  }
}

std::string state_name(const state::Group& group) {
  if (group.consumer() != nullptr) {
    switch (group.consumer()->state()) {
      case state::ConsumerGroupState::empty: return "Empty";
      case state::ConsumerGroupState::assigning: return "Assigning";
      case state::ConsumerGroupState::reconciling: return "Reconciling";
      case state::ConsumerGroupState::stable: return "Stable";
    }
  }
  switch (group->phase) {
    case state::GroupPhase::empty: return "Empty";
    case state::GroupPhase::preparing: return "PreparingRebalance";
    case state::GroupPhase::completing: return "CompletingRebalance";
    case state::GroupPhase::stable: return "Stable";
  }
  return "Unknown";
}

GroupListing listing_of(const state::Group& group) {
  return {group->id, group->kind, group->protocol_type, state_name(group)};
}

CommittedOffset committed(const state::PartitionRef& at, const state::GroupOffset& offset) {
  return {at, offset->offset, offset->leader_epoch, offset->metadata, false};
}

}  // namespace

rt::Task<std::vector<GroupOutcome>> Groups::commit_offsets(MemberId from,
                                                           std::vector<OffsetToCommit> offsets,
                                                           MonoTime deadline) {
  std::vector<GroupOutcome> outcomes(offsets.size());
  std::vector<state::PartitionRef> items;
  items.reserve(offsets.size());
  for (const OffsetToCommit& offset : offsets) items.push_back(offset.at);
  const std::vector<std::size_t> order = by_topic(items);
  // Whoever is no member may commit only where there is none.
  if (from.generation < 0) co_await liveness_.settle({from.group});
  state::command::CommitOffsets command;
  command.group_id = std::move(from.group);
  command.member_id = std::move(from.member);
  command.instance_id = std::move(from.instance);
  command.generation = from.generation;
  command.commit_ms = parts_.loop.wall_now().value;
  for (std::size_t i : order) {
    OffsetToCommit& offset = offsets[i];
    if (command.topics.empty() || command.topics.back().topic_id != offset.at.topic)
      command.topics.push_back({offset.at.topic, {}});
    command.topics.back().partitions.push_back({offset.at.partition.value, offset.offset,
                                                offset.leader_epoch, std::move(offset.metadata)});
  }
  Proposal proposal = make_proposal(command);
  // A member that was not answered commits through another broker, and goes on from there.
  proposal.dies_with_incarnation = true;
  spread(co_await propose(std::move(proposal), deadline), order, outcomes);
  co_return outcomes;
}

FetchedOffsets Groups::read_offsets(const OffsetsQuery& query) const {
  FetchedOffsets out;
  const state::Tables& tables = state().tables();
  const state::Slot slot = tables.groups.find_slot(query.group);
  if (slot == state::kNoSlot) {
    if (query.member_epoch >= 0) out.refusal = Refusal::group_not_found;
    if (!query.partitions || !out.ok()) return out;
    for (const state::PartitionRef& at : *query.partitions)
      out.offsets.push_back({at, -1, -1, "", false});
    return out;
  }
  const state::Group& group = tables.groups.group(slot);
  if (group.consumer() != nullptr && query.member)
    out.refusal = state::check_consumer_fetch(group, *query.member, query.member_epoch);
  if (!out.ok()) return out;
  if (!query.partitions) {
    tables.offsets.visit(group, [&](const state::GroupOffset& offset) {
      out.offsets.push_back(committed(offset.at(), offset));
    });
    std::ranges::sort(out.offsets, {}, &CommittedOffset::at);
    return out;
  }
  for (const state::PartitionRef& at : *query.partitions) {
    const state::Slot partition = tables.topics.partition_slot(at);
    const state::GroupOffset* offset =
        partition == state::kNoSlot ? nullptr : tables.offsets.find(slot, partition);
    out.offsets.push_back(offset == nullptr ? CommittedOffset{at, -1, -1, "", false}
                                            : committed(at, *offset));
  }
  return out;
}

std::size_t Groups::offsets_bytes(const OffsetsQuery& query) const {
  // The texts twice: while they are encoded they are in memory in both forms.
  constexpr std::size_t kEach = 2 * sizeof(CommittedOffset) + 64;
  std::size_t bytes = query.partitions ? query.partitions->size() * kEach : 0;
  const state::Tables& tables = state().tables();
  const state::Slot slot = tables.groups.find_slot(query.group);
  if (slot == state::kNoSlot) return bytes;
  if (!query.partitions) {
    tables.offsets.visit(tables.groups.group(slot), [&](const state::GroupOffset& offset) {
      bytes += kEach + 2 * offset->metadata.size();
    });
    return bytes;
  }
  for (const state::PartitionRef& at : *query.partitions) {
    const state::Slot partition = tables.topics.partition_slot(at);
    if (partition == state::kNoSlot) continue;
    if (const state::GroupOffset* offset = tables.offsets.find(slot, partition))
      bytes += 2 * (*offset)->metadata.size();
  }
  return bytes;
}

rt::Task<std::vector<GroupOutcome>> Groups::delete_offsets(
    std::string group, std::vector<state::PartitionRef> partitions, MonoTime deadline) {
  std::vector<GroupOutcome> outcomes(partitions.size());
  const std::vector<std::size_t> order = by_topic(partitions);
  co_await liveness_.settle({group});
  state::command::DeleteOffsets command;
  command.group_id = std::move(group);
  for (std::size_t i : order) {
    if (command.topics.empty() || command.topics.back().topic_id != partitions[i].topic)
      command.topics.push_back({partitions[i].topic, {}});
    command.topics.back().partitions.push_back(partitions[i].partition.value);
  }
  spread(co_await propose(make_proposal(command), deadline), order, outcomes);
  co_return outcomes;
}

rt::Task<std::vector<GroupOutcome>> Groups::delete_groups(std::vector<std::string> groups,
                                                          MonoTime deadline) {
  std::vector<GroupOutcome> outcomes(groups.size());
  std::vector<std::size_t> order(groups.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  co_await liveness_.settle(groups);
  state::command::DeleteGroups command;
  command.group_ids = std::move(groups);
  spread(co_await propose(make_proposal(command), deadline), order, outcomes);
  co_return outcomes;
}

DescribedGroup Groups::describe(const std::string& id) const {
  DescribedGroup out;
  out.listing.group = id;
  const state::GroupTable& table = state().groups();
  const state::Group* group = table.find(id);
  if (group == nullptr || group->consumer() != nullptr) {
    out.refusal = Refusal::group_not_found;
    return out;
  }
  out.listing = listing_of(*group);
  // As Kafka: what members say and have is shown of a group that has settled.
  const bool stable = (*group)->phase == state::GroupPhase::stable;
  if (stable) out.protocol_name = (*group)->protocol_name;
  for (state::Slot slot : group->members) {
    const state::GroupMember& member = table.member(slot);
    if (member.pending()) continue;
    DescribedMember& shown = out.members.emplace_back();
    shown.id = member->id;
    shown.instance = member->instance;
    shown.client_id = member->client_id;
    shown.client_host = member->client_host;
    if (!stable) continue;
    shown.assignment = member->assignment;
    for (const state::OfferedProtocol& protocol : member->protocols)
      if (protocol.name == (*group)->protocol_name) shown.metadata = protocol.metadata;
  }
  std::ranges::sort(out.members, {}, &DescribedMember::id);
  return out;
}

rt::Task<std::vector<DescribedGroup>> Groups::describe_groups(std::vector<std::string> groups,
                                                              MonoTime deadline) {
  std::vector<DescribedGroup> out(groups.size());
  auto proved = co_await parts_.follower.barrier(deadline);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    out[i].listing.group = groups[i];
    if (proved)
      out[i] = describe(groups[i]);
    else
      out[i].failure = proved.error();
  }
  co_return out;
}

rt::Task<Result<std::vector<GroupListing>>> Groups::list_groups(MonoTime deadline) {
  WEIR_CO_TRY(co_await parts_.follower.barrier(deadline));
  std::vector<GroupListing> out;
  state().groups().visit("", [&](const state::Group& group) {
    out.push_back(listing_of(group));
    return true;
  });
  co_return out;
}

}  // namespace weir::engine
