#include "engine/consumer_groups.h"

#include <algorithm>

#include "base/narrow.h"
#include "engine/consumer_assignment.h"
#include "engine/limits.h"
#include "state/commands/downgrade_consumer_group.h"
#include "state/commands/fence_consumer_member.h"
#include "state/commands/leave_consumer_group.h"
#include "state/consumer_groups/heartbeat.h"
#include "state/groups/group_table.h"

namespace weir::engine {
namespace {

constexpr Duration kProposeWait = 10s;

state::command::ConsumerGroupHeartbeat command_of(const ConsumerHeartbeat& request) {
  state::command::ConsumerGroupHeartbeat out;
  out.group_id = request.group;
  out.member_id = request.member;
  out.member_epoch = request.epoch;
  out.instance_id = request.instance;
  out.rack_id = request.rack;
  out.client_id = request.client_id;
  out.client_host = request.client_host;
  out.session_timeout_ms = request.settings.session_timeout_ms;
  out.rebalance_timeout_ms = request.rebalance_timeout_ms;
  out.topics = request.topics;
  out.regex = request.regex;
  out.assignor = request.assignor;
  if (request.owned) {
    out.owned.emplace();
    for (const state::PartitionRef& at : *request.owned) {
      if (out.owned->empty() || out.owned->back().topic_id != at.topic)
        out.owned->push_back({.topic_id = at.topic, .partitions = {}});
      out.owned->back().partitions.push_back(at.partition.value);
    }
  }
  out.members_max = request.settings.members_max;
  out.may_upgrade = request.settings.may_upgrade;
  return out;
}

GroupOutcome outcome_of(const Result<state::CommandOutcome>& outcome) {
  GroupOutcome out;
  if (!outcome)
    out.failure = outcome.error();
  else if (outcome->refusal != Refusal::none)
    out.refusal = outcome->refusal;
  else if (!outcome->items.empty())
    out.refusal = outcome->items.front().refusal;
  return out;
}

ConsumerHeartbeatAnswer ended(GroupOutcome why) {
  ConsumerHeartbeatAnswer answer;
  static_cast<GroupOutcome&>(answer) = std::move(why);
  return answer;
}

}  // namespace

ConsumerGroups::ConsumerGroups(Parts parts)
    : parts_(parts), changed_(parts.loop), scope_(parts.loop) {}

const state::ConsumerGroup* ConsumerGroups::find(const std::string& id) const {
  const state::Group* group = parts_.follower.state().groups().find(id);
  return group == nullptr ? nullptr : group->consumer();
}

ConsumerGroups::Look ConsumerGroups::look_at(
    const state::command::ConsumerGroupHeartbeat& command) const {
  const state::State& state = parts_.follower.state();
  const state::ConsumerGroup* group = find(command.group_id);
  if (group == nullptr) {
    if (command.member_epoch == 0) return {Refusal::none, true};
    return {Refusal::group_not_found, false};
  }
  state::HeartbeatEffect effect =
      state::judge(*group, command, nullptr, [&](const TopicId& id) -> std::string_view {
        const state::TopicInfo* topic = state.topic(id);
        return topic == nullptr ? std::string_view() : std::string_view(topic->name);
      });
  Look look{effect.refusal, effect.member.has_value(), false};
  const state::ConsumerMember* member = group->find(command.member_id);
  if (command.owned && member != nullptr && !look.changes) {
    std::size_t holds = 0;
    for (const auto& topic : *command.owned)
      for (std::int32_t partition : topic.partitions) {
        const state::PartitionRef at{topic.topic_id, PartitionIndex(partition)};
        look.differs |= find_held(member->assigned, at) == nullptr;
        ++holds;
      }
    look.differs |= holds != member->assigned.size();
  }
  return look;
}

ConsumerGroups::Work& ConsumerGroups::work_of(const std::string& group) {
  if (works_.size() >= kGroupWorksMax && !works_.contains(group))
    std::erase_if(works_, [](const auto& item) { return !item.second.assigning; });
  return works_[group];
}

rt::Task<ConsumerHeartbeatAnswer> ConsumerGroups::heartbeat(ConsumerHeartbeat request,
                                                            MonoTime deadline) {
  state::command::ConsumerGroupHeartbeat command = command_of(request);
  Look look = look_at(command);
  // What it gave up is said once, and must not be lost at a broker that is behind.
  if (look.refusal != Refusal::none || look.differs) {
    Result<void> barrier = co_await parts_.follower.barrier(deadline);
    if (!barrier) co_return ended({.failure = barrier.error()});
    look = look_at(command);
    if (look.refusal != Refusal::none) co_return ended({.refusal = look.refusal});
  }
  parts_.liveness.heard(request.group, request.member);
  // Every join is written: it ends the guard of those of its member that are still on their way.
  if (look.changes || request.epoch == 0) {
    if (request.epoch == 0)
      command.guard_sign =
          narrow<std::int64_t>(state::sign_for_join(find(request.group), command).value);
    Proposal proposal = make_proposal(command);
    // What it says of its partitions is true for a while only.
    proposal.dies_with_incarnation = true;
    GroupOutcome outcome =
        outcome_of(co_await parts_.proposer.propose(std::move(proposal), deadline));
    if (!outcome.ok()) co_return ended(outcome);
  }
  Work& work = work_of(request.group);
  work.settings = request.settings;
  // An assignment that it waited for may have moved the member under the same epoch.
  bool waits = needs_assignment(request.group, work);
  if (waits) {
    work.waiting.push_back(request.member);
    start_assigning(request.group, work);
    if (!co_await wait_for_assignment(request.group, request.member, true, deadline))
      co_return ended(
          {.failure = Error{ErrorCode::timed_out, "the group's assignment was not ready in time"}});
  }
  if (co_await fence_if_late(request.group, request.member, deadline))
    co_return ended({.refusal = Refusal::fenced_member_epoch});
  co_return answer(request, look.changes || waits);
}

ConsumerHeartbeatAnswer ConsumerGroups::answer(const ConsumerHeartbeat& request,
                                               bool changed) const {
  ConsumerHeartbeatAnswer out;
  const state::ConsumerGroup* group = find(request.group);
  const state::ConsumerMember* member = group == nullptr ? nullptr : group->find(request.member);
  if (member == nullptr) {
    // It was fenced between its command and now.
    out.refusal = Refusal::unknown_member;
    return out;
  }
  if (member->epoch == 0 && group->target_epoch() == 0) {
    out.failure = Error{ErrorCode::unavailable, "the group has no assignment yet"};
    return out;
  }
  out.epoch = member->epoch;
  if (!changed && !request.full() && member->epoch == request.epoch) return out;
  out.assignment.emplace();
  for (const state::HeldPartition& held : member->assigned)
    if (parts_.follower.state().topic(held.at.topic) != nullptr) out.assignment->push_back(held.at);
  return out;
}

rt::Task<bool> ConsumerGroups::fence_if_late(std::string group, std::string id, MonoTime deadline) {
  auto work = works_.find(group);
  const state::ConsumerGroup* found = find(group);
  const state::ConsumerMember* member = found == nullptr ? nullptr : found->find(id);
  if (work == works_.end() || member == nullptr) co_return false;
  bool late = member->state == state::MemberState::unrevoked ||
              (member->classic && member->epoch < found->target_epoch());
  if (!late) {
    work->second.late.erase(id);
    co_return false;
  }
  // Who left while it was late is not seen here again.
  if (work->second.late.size() > found->members().size())
    std::erase_if(work->second.late,
                  [&](const auto& item) { return found->find(item.first) == nullptr; });
  MonoTime now = parts_.loop.now();
  auto [since, fresh] = work->second.late.try_emplace(id, member->epoch, now);
  if (since->second.first != member->epoch) since->second = {member->epoch, now};
  if (member->rebalance_timeout_ms < 0 ||
      now - since->second.second < std::chrono::milliseconds(member->rebalance_timeout_ms))
    co_return false;
  work->second.late.erase(id);
  state::command::FenceConsumerMember command;
  command.group_id = group;
  command.member_id = id;
  command.member_epoch = member->epoch;
  parts_.logger.info("fencing_group_member", {{"group", group}, {"member", id}});
  auto outcome = co_await parts_.proposer.propose(make_proposal(command), deadline);
  co_return outcome.has_value() && outcome->refusal == Refusal::none;
}

rt::Task<GroupOutcome> ConsumerGroups::leave(MemberId from, bool temporary,
                                             ConsumerGroupSettings settings, MonoTime deadline) {
  const auto look = [&] {
    const state::ConsumerGroup* group = find(from.group);
    if (group == nullptr) return Refusal::group_not_found;
    return state::find_claimed(*group, from.member, from.instance).refusal;
  };
  if (look() != Refusal::none) {
    Result<void> barrier = co_await parts_.follower.barrier(deadline);
    if (!barrier) co_return GroupOutcome{.failure = barrier.error()};
    Refusal refusal = look();
    if (refusal != Refusal::none) co_return GroupOutcome{.refusal = refusal};
  }
  state::command::LeaveConsumerGroup command;
  command.group_id = from.group;
  command.members.push_back(
      {.member_id = from.member, .instance_id = from.instance, .temporary = temporary});
  GroupOutcome outcome =
      outcome_of(co_await parts_.proposer.propose(make_proposal(command), deadline));
  if (!outcome.ok() || temporary) co_return outcome;
  work_of(from.group).settings = settings;
  after_leave(from.group);
  co_return outcome;
}

// --- assignments ---

bool ConsumerGroups::needs_assignment(const std::string& id, const Work& work) const {
  const state::ConsumerGroup* group = find(id);
  if (group == nullptr || group->members().empty()) return false;
  return group->epoch() > group->target_epoch() || work.checked != topics_version_;
}

void ConsumerGroups::start_assigning(const std::string& group, Work& work) {
  if (work.assigning || stopping_) return;
  work.assigning = true;
  scope_.spawn(assign(group));
}

rt::Task<void> ConsumerGroups::assign(std::string id) {
  for (int tries = 0; tries < kAssignTriesMax && !stopping_; ++tries) {
    Work& work = works_.at(id);
    const state::ConsumerGroup* group = find(id);
    if (group == nullptr || !needs_assignment(id, work)) break;
    ConsumerGroupSettings settings = work.settings.value_or(ConsumerGroupSettings());
    MonoTime due = work.last_assigned + std::chrono::milliseconds(settings.assignment_interval_ms);
    if (group->target_epoch() != 0 && work.last_assigned != MonoTime{} && parts_.loop.now() < due) {
      // Whoever comes meanwhile is part of it.
      while (!stopping_ && parts_.loop.now() < due) co_await changed_.wait_until(due);
      continue;
    }
    std::uint64_t version = topics_version_;
    const state::State& state = parts_.follower.state();
    auto command = plan_assignment(state, *state.groups().find(id), settings.default_assignor);
    if (!command) {
      work.checked = version;
      break;
    }
    std::vector<std::string> advanced = std::exchange(work.waiting, {});
    command->advance = advanced;
    auto outcome =
        co_await parts_.proposer.propose(make_proposal(*command), parts_.loop.now() + kProposeWait);
    if (!outcome) break;
    if (outcome->refusal != Refusal::none) {
      // Others were faster, or the group has changed: look again.
      std::vector<std::string>& waiting = works_.at(id).waiting;
      waiting.insert(waiting.end(), advanced.begin(), advanced.end());
      continue;
    }
    works_.at(id).last_assigned = parts_.loop.now();
    works_.at(id).checked = version;
  }
  works_.at(id).assigning = false;
  works_.at(id).waiting.clear();
  changed_.notify_all();
}

rt::Task<bool> ConsumerGroups::wait_for_assignment(std::string id, std::string member, bool queued,
                                                   MonoTime deadline) {
  MonoTime enough = std::min(deadline, parts_.loop.now() + kAssignWaitMax);
  while (!stopping_) {
    const state::ConsumerGroup* group = find(id);
    auto work = works_.find(id);
    if (group == nullptr || work == works_.end()) co_return true;
    std::vector<std::string>& waiting = work->second.waiting;
    auto place = std::ranges::find(waiting, member);
    // Once a command names the member, only the command's fate says at which epoch it is.
    bool named = queued && place == waiting.end();
    bool ready = group->epoch() == group->target_epoch() && work->second.checked == topics_version_;
    bool over =
        ready || !work->second.assigning || parts_.loop.now() >= (named ? deadline : enough);
    if (over) {
      if (place != waiting.end()) waiting.erase(place);
      co_return ready || !work->second.assigning || !named;
    }
    co_await changed_.wait_until(named ? deadline : enough);
  }
  co_return false;
}

void ConsumerGroups::on_folded(const state::EntryView& entry, const state::Folded&) {
  bool groups = false;
  for (const state::CommandGroup& group : entry.groups)
    for (const state::EncodedCommand& command : group.commands) {
      // CreateTopics, DeleteTopics, CreatePartitions; the commands of consumer groups.
      if (command.type >= 6 && command.type <= 8) ++topics_version_;
      groups = groups || (command.type >= 20 && command.type <= 39);
    }
  if (groups) changed_.notify_all();
}

void ConsumerGroups::stop() {
  stopping_ = true;
  changed_.notify_all();
}

}  // namespace weir::engine
