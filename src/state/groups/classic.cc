#include "state/groups/classic.h"

#include <algorithm>
#include <limits>
#include <map>

namespace weir::state {
namespace {

/// Metadata of Kafka's consumers: version, then the names of topics (ConsumerProtocolSubscription).
/// Nothing if it is something else.
bool add_topics(Bytes metadata, std::set<std::string, std::less<>>& topics) {
  std::size_t at = 2;
  const auto number = [&](std::size_t bytes) -> std::int64_t {
    if (metadata.size() < at + bytes) return -1;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value = value << 8 | std::to_integer<std::int64_t>(metadata[at + i]);
    at += bytes;
    return value;
  };
  const std::int64_t count = number(4);
  if (count < 0 || static_cast<std::uint64_t>(count) > metadata.size() / 2) return false;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t size = number(2);
    if (size < 0 || metadata.size() - at < static_cast<std::uint64_t>(size)) return false;
    topics.emplace(as_text(metadata.subspan(at, static_cast<std::size_t>(size))));
    at += static_cast<std::size_t>(size);
  }
  return true;
}

/// The smallest id among the members that have joined (or among all, but for pending ones). The
/// order of a group's list is not the same everywhere.
std::string first_member(const GroupTable& groups, const Group& unit, bool only_joined) {
  std::string_view first;
  for (Slot slot : unit.members) {
    const GroupMember& member = groups.member(slot);
    if (member.pending() || (only_joined && !member.joined())) continue;
    if (first.empty() || member->id < first) first = member->id;
  }
  return std::string(first);
}

/// The leader stays if it has joined.
void elect_leader(FoldContext& context, Slot group) {
  GroupTable& groups = context.tables.groups;
  const Group& unit = groups.group(group);
  const GroupMember* leader = groups.find_member(unit, unit->leader);
  if (leader != nullptr && leader->joined()) return;
  const std::string id = first_member(groups, unit, true);
  if (id.empty()) return;
  groups.edit(context.ledger(), group, [&](GroupValues& values) { values.leader = id; });
}

}  // namespace

std::int32_t next_generation(std::int32_t generation) {
  return generation == std::numeric_limits<std::int32_t>::max() ? 1 : generation + 1;
}

void rebalance(FoldContext& context, Slot group, std::int32_t initial_delay_ms) {
  GroupTable& groups = context.tables.groups;
  const GroupPhase phase = groups.group(group)->phase;
  if (phase != GroupPhase::preparing) {
    groups.edit(context.ledger(), group, [&](GroupValues& values) {
      values.phase = GroupPhase::preparing;
      values.phase_since = context.position();
      values.initial_delay_ms = phase == GroupPhase::empty ? initial_delay_ms : 0;
    });
  }
  maybe_complete_join(context, group);
}

void maybe_complete_join(FoldContext& context, Slot group) {
  const Group& unit = context.tables.groups.group(group);
  if (unit->phase != GroupPhase::preparing || unit->initial_delay_ms > 0) return;
  if (unit.counts.pending == 0 && unit.counts.joined == unit.counts.members)
    complete_join(context, group);
}

void complete_join(FoldContext& context, Slot group) {
  GroupTable& groups = context.tables.groups;
  Ledger& ledger = context.ledger();
  const Group& unit = groups.group(group);
  for (Slot slot : std::vector<Slot>(unit.members)) {
    const GroupMember& member = groups.member(slot);
    if (!member.joined() && !member.pending() && !member->instance) drop_member(context, slot);
  }
  if (unit.counts.members > 0 && unit.counts.joined == 0) {
    // Only static members that are away: their sessions decide.
    groups.edit(ledger, group, [&](GroupValues& values) {
      values.phase_since = context.position();
      values.initial_delay_ms = 0;
    });
    return;
  }
  elect_leader(context, group);
  const bool empty = unit.counts.members == 0;
  const std::string protocol = empty ? std::string() : chosen_protocol(groups, unit);
  groups.edit(ledger, group, [&](GroupValues& values) {
    values.generation = next_generation(values.generation);
    values.phase = empty ? GroupPhase::empty : GroupPhase::completing;
    values.phase_since = context.position();
    values.initial_delay_ms = 0;
    values.protocol_name = protocol;
    if (!empty) return;
    values.leader.clear();
    values.empty_since_ms = context.entry.header.wall.value;
  });
  for (Slot slot : std::vector<Slot>(unit.members)) {
    if (groups.member(slot).pending()) continue;
    if (groups.member(slot).joined()) groups.sign(ledger, slot, context.position());
    groups.set_progress(ledger, slot, false, false);
  }
}

void drop_member(FoldContext& context, Slot member) {
  GroupTable& groups = context.tables.groups;
  const Slot group = groups.member(member).group;
  const bool led = groups.group(group)->leader == groups.member(member)->id;
  groups.remove_member(context.ledger(), member);
  if (!led) return;
  const std::string id = first_member(groups, groups.group(group), false);
  groups.edit(context.ledger(), group, [&](GroupValues& values) { values.leader = id; });
}

void after_loss(FoldContext& context, Slot group) {
  switch (context.tables.groups.group(group)->phase) {
    case GroupPhase::empty: return;
    case GroupPhase::preparing: return maybe_complete_join(context, group);
    case GroupPhase::completing:
    case GroupPhase::stable: return rebalance(context, group);
  }
}

ClaimedMember find_claimed(const GroupTable& groups, const MemberClaim& claim) {
  if (claim.group == kNoSlot) return {Refusal::unknown_member, kNoSlot};
  if (claim.instance) {
    const Slot slot = groups.find_instance(claim.group, *claim.instance);
    if (slot == kNoSlot) return {Refusal::unknown_member, kNoSlot};
    if (groups.member(slot)->id != claim.id) return {Refusal::fenced_instance, kNoSlot};
    return {Refusal::none, slot};
  }
  const Slot slot = groups.find_member(claim.group, claim.id);
  if (slot == kNoSlot || groups.member(slot).pending()) return {Refusal::unknown_member, kNoSlot};
  return {Refusal::none, slot};
}

Refusal check_member(const GroupTable& groups, const MemberClaim& claim, std::int32_t generation) {
  const ClaimedMember found = find_claimed(groups, claim);
  if (found.refusal != Refusal::none) return found.refusal;
  return groups.group(claim.group)->generation == generation ? Refusal::none
                                                             : Refusal::illegal_generation;
}

bool is_common(const Group& group, std::string_view type,
               const std::vector<std::string_view>& offered) {
  if (type.empty() || offered.empty()) return false;
  if (group.counts.members == 0) return true;
  if (group->protocol_type != type) return false;
  return std::ranges::any_of(offered, [&](std::string_view name) {
    const auto at = group.offers.find(name);
    return at != group.offers.end() && at->second == group.counts.members;
  });
}

std::string chosen_protocol(const GroupTable& groups, const Group& group) {
  std::map<std::string_view, std::uint32_t> votes;
  for (Slot slot : group.members) {
    for (const OfferedProtocol& protocol : groups.member(slot)->protocols) {
      const auto at = group.offers.find(protocol.name);
      if (at == group.offers.end() || at->second != group.counts.members) continue;
      ++votes[at->first];
      break;
    }
  }
  const auto best =
      std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
  return best == votes.end() ? std::string() : std::string(best->first);
}

std::set<std::string, std::less<>> topics_read(const GroupTable& groups, const Group& group) {
  std::set<std::string, std::less<>> topics;
  if (group->protocol_type != "consumer") return topics;
  for (Slot slot : group.members) {
    // Before the first choice of a protocol any one will do: they name the same topics.
    for (const OfferedProtocol& protocol : groups.member(slot)->protocols) {
      if (!group->protocol_name.empty() && protocol.name != group->protocol_name) continue;
      add_topics(protocol.metadata.view(), topics);
      break;
    }
  }
  return topics;
}

}  // namespace weir::state
