#include "engine/groups.h"

#include <algorithm>

#include "engine/consumer_groups.h"
#include "engine/limits.h"
#include "state/commands/join_group.h"
#include "state/commands/leave_group.h"
#include "state/commands/sync_group.h"
#include "state/groups/classic.h"
#include "state/groups/hooks.h"

namespace weir::engine {

using state::GroupPhase;
using state::Refusal;

namespace {

/// Least and greatest pause of `run`: nothing is measured finer, and peers are noticed within.
constexpr Duration kStepMin = 5ms;
constexpr Duration kStepMax = 1s;
constexpr Duration kProposeWaitMax = 30s;

state::command::JoinGroup command_of(const JoinRequest& request) {
  state::command::JoinGroup command;
  command.group_id = request.group;
  command.member_id = request.member;
  command.new_member_id = request.new_member;
  command.instance_id = request.instance;
  command.require_known_member = request.require_known_member;
  command.client_id = request.client_id;
  command.client_host = request.client_host;
  command.session_timeout_ms = request.session_timeout_ms;
  command.rebalance_timeout_ms = request.rebalance_timeout_ms;
  command.protocol_type = request.protocol_type;
  for (const state::OfferedProtocol& protocol : request.protocols)
    command.protocols.push_back({protocol.name, protocol.metadata});
  command.group_size_max = request.group_size_max;
  command.initial_delay_ms = request.initial_delay_ms;
  return command;
}

Error stopping() { return {ErrorCode::cancelled, "the broker is stopping"}; }

}  // namespace

Groups::Groups(Parts parts, const Options& options)
    : parts_(parts),
      // Twice the rarest pace of ClusterEngine::poll_pace, and a little.
      clock_(parts.loop, parts.follower, options.session_timeout * 2 / 3 + 1s),
      liveness_({parts.loop, parts.follower, parts.proposer, parts.membership, clock_, parts.logger,
                 parts.metrics}),
      timers_({parts.loop, parts.follower, parts.proposer, clock_}),
      offset_expiry_({parts.loop, parts.follower, parts.proposer, parts.logger}, options),
      wake_(parts.loop) {}

// --- time ---

rt::Task<void> Groups::run() {
  while (!stopping_) {
    clock_.advance();
    co_await liveness_.act();
    co_await timers_.act();
    co_await offset_expiry_.act();
    const MonoTime now = parts_.loop.now();
    const MonoTime due =
        std::min({liveness_.next_due(), timers_.next_due(), offset_expiry_.next_due()});
    co_await wake_.wait_until(std::clamp<MonoTime>(due, now + kStepMin, now + kStepMax));
  }
}

void Groups::stop() {
  stopping_ = true;
  wake_.notify_all();
  wake_all();
}

void Groups::on_changed(const state::ChangedGroups& changed) {
  clock_.advance();
  liveness_.on_changed(changed);
  timers_.on_changed(changed);
  if (changed.all) return wake_all();
  for (const std::string& id : changed.groups) {
    const auto [first, last] = waiters_.equal_range(id);
    for (auto at = first; at != last; ++at) at->second->wake.notify_all();
  }
  if (!changed.groups.empty()) wake_.notify_all();
}

void Groups::wake_all() {
  for (auto& [id, waiter] : waiters_) waiter->wake.notify_all();
}

// --- parking ---

/// A request that waits at its group; its member is alive as long. Ends by itself.
struct Groups::Parking {
  Parking(Groups& groups, std::string group_id, std::string member_id, MonoTime until,
          const bool* cancel)
      : owner(groups),
        group(std::move(group_id)),
        member(std::move(member_id)),
        deadline(until),
        cancelled(cancel),
        waiter(groups.parts_.loop),
        at(groups.waiters_.emplace(group, &waiter)) {
    ++owner.parked_;
    owner.liveness_.park(group, member);
  }
  Parking(const Parking&) = delete;
  Parking& operator=(const Parking&) = delete;
  ~Parking() {
    owner.waiters_.erase(at);
    --owner.parked_;
    owner.liveness_.unpark(group, member);
  }

  Groups& owner;
  std::string group;
  std::string member;
  MonoTime deadline;
  const bool* cancelled;
  Waiter waiter;
  std::multimap<std::string, Waiter*, std::less<>>::iterator at;
  std::optional<Error> why;
};

rt::Task<bool> Groups::wait(Parking& parking) {
  const bool in_time = co_await parking.waiter.wake.wait_until(parking.deadline);
  const bool cancelled = parking.cancelled != nullptr && *parking.cancelled;
  if (stopping_ || cancelled) {
    parking.why = stopping();
  } else if (!parts_.follower.halted().empty()) {
    parking.why = Error{ErrorCode::unavailable, parts_.follower.halted()};
  } else if (!in_time) {
    parking.why = Error{ErrorCode::timed_out, "the group did not finish its rebalance in time"};
  }
  co_return !parking.why;
}

rt::Task<Result<state::CommandOutcome>> Groups::propose(Proposal proposal, MonoTime deadline) {
  if (stopping_) co_return std::unexpected(stopping());
  if (proposal.body.size() > kGroupCommandBytesMax)
    co_return fail(ErrorCode::too_large,
                   "a change of a group may take " + std::to_string(kGroupCommandBytesMax) +
                       " bytes; send less metadata, or fewer partitions at a time");
  // A join may wait for minutes, but not for the log: its client would learn nothing of the outage.
  const MonoTime patience = parts_.loop.now() + kProposeWaitMax;
  co_return co_await parts_.proposer.propose(std::move(proposal), std::min(deadline, patience));
}

bool Groups::is_consumer_group(const std::string& id) const {
  const state::Group* group = state().groups().find(id);
  return group != nullptr && group->consumer() != nullptr && consumer_ != nullptr;
}

Refusal Groups::who_is_gone(std::string_view group,
                            const std::optional<std::string>& instance) const {
  const state::GroupTable& table = state().groups();
  const state::Slot slot = table.find_slot(group);
  const bool taken =
      slot != state::kNoSlot && instance && table.find_instance(slot, *instance) != state::kNoSlot;
  return taken ? Refusal::fenced_instance : Refusal::unknown_member;
}

// --- joining ---

void Groups::fill(const state::Group& group, const state::GroupMember& member,
                  JoinAnswer& answer) const {
  answer.generation = group->generation;
  answer.protocol_type = group->protocol_type;
  answer.protocol_name = group->protocol_name;
  answer.leader = group->leader;
  answer.member = member->id;
  if (answer.leader != answer.member) return;
  for (state::Slot slot : group.members) {
    const state::GroupMember& other = state().groups().member(slot);
    if (other.pending()) continue;
    JoinedMember& out = answer.members.emplace_back();
    out.id = other->id;
    out.instance = other->instance;
    for (const state::OfferedProtocol& protocol : other->protocols)
      if (protocol.name == group->protocol_name) out.metadata = protocol.metadata;
  }
}

bool Groups::look_at_join(const JoinRequest& request, const std::string& member,
                          std::int32_t generation, JoinAnswer& answer) const {
  const state::Group* group = state().groups().find(request.group);
  if (group != nullptr && group->consumer() != nullptr) {
    // It became a consumer group while the request waited: joining again says how to go on.
    answer.refusal = Refusal::rebalance_in_progress;
    return true;
  }
  const state::GroupMember* found =
      group == nullptr ? nullptr : state().groups().find_member(*group, member);
  if (found == nullptr || found->pending()) {
    answer.refusal = who_is_gone(request.group, request.instance);
    return true;
  }
  if ((*group)->generation < generation) return false;
  fill(*group, *found, answer);
  return true;
}

rt::Task<JoinAnswer> Groups::join(JoinRequest request, MonoTime deadline, const bool* cancelled) {
  JoinAnswer answer;
  if (parked_ >= kParkedGroupCallsMax) {
    answer.failure = Error{ErrorCode::unavailable, "too many joins wait at this broker"};
    co_return answer;
  }
  auto outcome = co_await propose(make_proposal(command_of(request)), deadline);
  if (!outcome) {
    answer.failure = outcome.error();
    co_return answer;
  }
  answer.refusal = outcome->refusal;
  if (!answer.ok()) co_return answer;
  const std::int64_t value = outcome->items.empty() ? 0 : outcome->items.front().value;
  const state::JoinResult result = state::join_result(value);
  const std::int32_t generation = state::join_generation(value);
  const std::string member = request.member.empty() ? request.new_member : request.member;
  answer.member = member;
  answer.member_id_required = result == state::JoinResult::member_id_required;
  if (answer.member_id_required) co_return answer;
  answer.skip_assignment = result == state::JoinResult::replaced;
  if (is_consumer_group(request.group))
    co_return co_await consumer_->finish_join(std::move(request), member, deadline);

  Parking parking(*this, request.group, member, deadline, cancelled);
  while (!look_at_join(request, member, generation, answer)) {
    if (co_await wait(parking)) continue;
    answer.failure = parking.why;
    break;
  }
  answer.skip_assignment &= answer.leader == answer.member;
  co_return answer;
}

// --- syncing ---

bool Groups::look_at_sync(const MemberId& from, SyncAnswer& answer) const {
  if (is_consumer_group(from.group)) {
    answer.refusal = Refusal::rebalance_in_progress;
    return true;
  }
  const state::Group* group = state().groups().find(from.group);
  const state::GroupMember* member =
      group == nullptr ? nullptr : state().groups().find_member(*group, from.member);
  if (member == nullptr || member->pending()) {
    answer.refusal = who_is_gone(from.group, from.instance);
    return true;
  }
  if ((*group)->generation != from.generation || (*group)->phase == GroupPhase::preparing) {
    answer.refusal = Refusal::rebalance_in_progress;
    return true;
  }
  if ((*group)->phase != GroupPhase::stable) return false;
  answer.protocol_type = (*group)->protocol_type;
  answer.protocol_name = (*group)->protocol_name;
  answer.assignment = (*member)->assignment;
  return true;
}

rt::Task<SyncAnswer> Groups::sync(SyncRequest request, MonoTime deadline, const bool* cancelled) {
  SyncAnswer answer;
  state::command::SyncGroup command;
  command.group_id = request.from.group;
  command.member_id = request.from.member;
  command.instance_id = request.from.instance;
  command.generation = request.from.generation;
  command.protocol_type = std::move(request.protocol_type);
  command.protocol_name = std::move(request.protocol_name);
  for (auto& [member, assignment] : request.assignments)
    command.assignments.push_back({std::move(member), std::move(assignment)});
  auto outcome = co_await propose(make_proposal(command), deadline);
  if (!outcome) {
    answer.failure = outcome.error();
    co_return answer;
  }
  answer.refusal = outcome->refusal;
  if (!answer.ok()) co_return answer;
  if (is_consumer_group(request.from.group))
    co_return consumer_->finish_sync(request.from.group, request.from.member);
  Parking parking(*this, request.from.group, request.from.member, deadline, cancelled);
  while (!look_at_sync(request.from, answer)) {
    if (co_await wait(parking)) continue;
    answer.failure = parking.why;
    break;
  }
  co_return answer;
}

// --- heartbeats and leaving ---

Refusal Groups::judge_heartbeat(const MemberId& from) const {
  if (is_consumer_group(from.group)) return consumer_->judge_classic_heartbeat(from);
  const state::GroupTable& table = state().groups();
  const state::Slot slot = table.find_slot(from.group);
  if (slot == state::kNoSlot) return Refusal::unknown_member;
  const state::Group& group = table.group(slot);
  const Refusal refusal = check_member(table, {slot, from.member, from.instance}, from.generation);
  if (refusal != Refusal::none) return refusal;
  if (group->phase == GroupPhase::empty) return Refusal::unknown_member;
  return group->phase == GroupPhase::preparing ? Refusal::rebalance_in_progress : Refusal::none;
}

rt::Task<GroupOutcome> Groups::heartbeat(MemberId from, MonoTime deadline) {
  GroupOutcome outcome;
  outcome.refusal = judge_heartbeat(from);
  const auto harmless = [&] {
    return outcome.ok() || outcome.refusal == Refusal::rebalance_in_progress;
  };
  if (!harmless()) {
    // What this broker has folded may accept but not refuse. The group may also be of the other
    // kind by then.
    auto proved = co_await parts_.follower.barrier(deadline);
    if (!proved) co_return GroupOutcome{.failure = proved.error()};
    outcome.refusal = judge_heartbeat(from);
  }
  if (!harmless()) co_return outcome;
  liveness_.heard(from.group, from.member);
  if (is_consumer_group(from.group) &&
      co_await consumer_->fence_classic(from.group, from.member, deadline))
    outcome.refusal = Refusal::unknown_member;
  co_return outcome;
}

rt::Task<std::vector<GroupOutcome>> Groups::leave(std::string group, std::vector<LeavingId> members,
                                                  MonoTime deadline) {
  std::vector<GroupOutcome> outcomes(members.size());
  state::command::LeaveGroup command;
  command.group_id = group;
  for (LeavingId& member : members)
    command.members.push_back({std::move(member.member), std::move(member.instance)});
  auto outcome = co_await propose(make_proposal(command), deadline);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcome) {
      outcomes[i].failure = outcome.error();
    } else if (outcome->refusal != Refusal::none || i >= outcome->items.size()) {
      outcomes[i].refusal =
          outcome->refusal == Refusal::none ? Refusal::malformed : outcome->refusal;
    } else {
      outcomes[i].refusal = outcome->items[i].refusal;
    }
  }
  if (is_consumer_group(group)) consumer_->after_leave(group);
  co_return outcomes;
}

}  // namespace weir::engine
