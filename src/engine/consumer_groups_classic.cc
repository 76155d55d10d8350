// ConsumerGroups, the part for members of the classic protocol in a group of the consumer protocol
// (online migration), and for the way back to a classic group.
#include <algorithm>

#include "engine/consumer_groups.h"
#include "state/commands/downgrade_consumer_group.h"
#include "state/commands/join_group.h"
#include "state/consumer_groups/heartbeat.h"
#include "state/consumer_groups/migration.h"
#include "state/groups/group_table.h"

namespace weir::engine {
namespace {

constexpr Duration kProposeWait = 10s;

state::command::JoinGroup command_of(const JoinRequest& request, const std::string& member) {
  state::command::JoinGroup out;
  out.group_id = request.group;
  out.member_id = member;
  out.new_member_id = member;
  out.instance_id = request.instance;
  out.client_id = request.client_id;
  out.client_host = request.client_host;
  out.session_timeout_ms = request.session_timeout_ms;
  out.rebalance_timeout_ms = request.rebalance_timeout_ms;
  out.protocol_type = request.protocol_type;
  for (const state::OfferedProtocol& protocol : request.protocols)
    out.protocols.push_back({protocol.name, protocol.metadata});
  out.group_size_max = request.group_size_max;
  out.initial_delay_ms = request.initial_delay_ms;
  return out;
}

}  // namespace

rt::Task<JoinAnswer> ConsumerGroups::finish_join(JoinRequest request, std::string id,
                                                 MonoTime deadline) {
  JoinAnswer out;
  Work& work = work_of(request.group);
  if (needs_assignment(request.group, work)) {
    start_assigning(request.group, work);
    co_await wait_for_assignment(request.group, id, false, deadline);
  }
  const state::ConsumerGroup* group = find(request.group);
  const state::ConsumerMember* member = group == nullptr ? nullptr : group->find(id);
  if (member != nullptr && member->epoch < group->target_epoch() &&
      member->state != state::MemberState::unrevoked) {
    // The step itself: what the member still owns stands in its metadata.
    auto outcome =
        co_await parts_.proposer.propose(make_proposal(command_of(request, id)), deadline);
    if (!outcome) {
      out.failure = outcome.error();
      co_return out;
    }
    out.refusal = outcome->refusal;
    if (out.refusal != Refusal::none) co_return out;
    group = find(request.group);
    member = group == nullptr ? nullptr : group->find(id);
  }
  if (member == nullptr || !member->classic) {
    // It became a classic group meanwhile: joining again says how to go on.
    const bool changed = group == nullptr && parts_.follower.state().groups().find(request.group);
    out.refusal = changed ? Refusal::rebalance_in_progress : Refusal::unknown_member;
    co_return out;
  }
  out.member = id;
  out.generation = member->epoch;
  out.protocol_type = "consumer";
  if (!member->classic->offers.empty()) out.protocol_name = member->classic->offers.front().name;
  co_return out;
}

SyncAnswer ConsumerGroups::finish_sync(const std::string& id, const std::string& member_id) const {
  SyncAnswer out;
  const state::ConsumerGroup* group = find(id);
  const state::ConsumerMember* member = group == nullptr ? nullptr : group->find(member_id);
  if (member == nullptr || !member->classic) {
    out.refusal = Refusal::unknown_member;
    return out;
  }
  out.protocol_type = "consumer";
  if (!member->classic->offers.empty()) out.protocol_name = member->classic->offers.front().name;
  out.assignment = state::classic_assignment(parts_.follower.state(), *member);
  return out;
}

Refusal ConsumerGroups::judge_classic_heartbeat(const MemberId& from) const {
  const state::ConsumerGroup* group = find(from.group);
  if (group == nullptr) return Refusal::unknown_member;
  return state::check_classic_member(
      *group, state::find_claimed(*group, from.member, from.instance), from.generation, false);
}

rt::Task<bool> ConsumerGroups::fence_classic(std::string group, std::string member,
                                             MonoTime deadline) {
  after_leave(group);
  co_return co_await fence_if_late(std::move(group), std::move(member), deadline);
}

void ConsumerGroups::after_leave(const std::string& id) {
  Work& work = work_of(id);
  maybe_downgrade(id, work);
  if (!work.downgrading && needs_assignment(id, work)) start_assigning(id, work);
}

/// Only by a broker that knows the policy: one that a member of the consumer protocol has talked
/// to.
void ConsumerGroups::maybe_downgrade(const std::string& id, Work& work) {
  const state::ConsumerGroup* group = find(id);
  bool allowed = work.settings && work.settings->may_downgrade;
  if (group == nullptr || !allowed || !group->all_classic() || stopping_ || work.downgrading)
    return;
  work.downgrading = true;
  scope_.spawn(downgrade(id, group->epoch()));
}

rt::Task<void> ConsumerGroups::downgrade(std::string id, std::int32_t epoch) {
  state::command::DowngradeConsumerGroup command;
  command.group_id = id;
  command.group_epoch = epoch;
  auto outcome =
      co_await parts_.proposer.propose(make_proposal(command), parts_.loop.now() + kProposeWait);
  if (outcome && outcome->refusal == Refusal::none)
    parts_.logger.info("group_downgraded", {{"group", id}});
  auto work = works_.find(id);
  if (work != works_.end()) work->second.downgrading = false;
}

}  // namespace weir::engine
