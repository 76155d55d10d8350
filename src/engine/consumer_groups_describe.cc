// ConsumerGroups, the part that describes.
#include "engine/consumer_assignment.h"
#include "engine/consumer_groups.h"
#include "state/groups/group_table.h"

namespace weir::engine {
namespace {

std::string state_name(state::ConsumerGroupState state) {
  switch (state) {
    case state::ConsumerGroupState::empty: return "Empty";
    case state::ConsumerGroupState::assigning: return "Assigning";
    case state::ConsumerGroupState::reconciling: return "Reconciling";
    case state::ConsumerGroupState::stable: return "Stable";
  }
  return "Unknown";
}

ConsumerMemberDescription described(const state::ConsumerMember& member) {
  ConsumerMemberDescription out;
  out.id = member.id;
  out.instance = member.instance;
  out.rack = member.rack;
  out.epoch = member.epoch;
  out.client_id = member.client_id;
  out.client_host = member.client_host;
  out.topics = member.topics;
  if (!member.regex.empty()) out.regex = member.regex;
  for (const state::HeldPartition& held : member.assigned) out.assigned.push_back(held.at);
  out.target = member.target;
  out.classic = member.classic.has_value();
  return out;
}

}  // namespace

std::string consumer_group_state(const state::ConsumerGroup& group) {
  return state_name(group.state());
}

rt::Task<std::vector<ConsumerGroupDescription>> ConsumerGroups::describe(
    std::vector<std::string> groups, std::string default_assignor, MonoTime deadline) {
  std::vector<ConsumerGroupDescription> out;
  Result<void> barrier = co_await parts_.follower.barrier(deadline);
  for (std::string& id : groups) {
    ConsumerGroupDescription& one = out.emplace_back();
    one.group = id;
    const state::ConsumerGroup* group = barrier ? find(id) : nullptr;
    if (!barrier) one.failure = barrier.error();
    if (barrier && group == nullptr) one.refusal = Refusal::group_not_found;
    if (group == nullptr) continue;
    one.state = consumer_group_state(*group);
    one.epoch = group->epoch();
    one.target_epoch = group->target_epoch();
    one.assignor = preferred_assignor(*group, default_assignor);
    for (const auto& [name, member] : group->members()) one.members.push_back(described(member));
  }
  co_return out;
}

}  // namespace weir::engine
