#include "client/group_member.h"

#include "base/narrow.h"
#include "client/consumer_protocol.h"
#include "client/group_offsets.h"

namespace weir::client {
namespace {

constexpr std::string_view kProtocolType = "consumer";
constexpr std::string_view kAssignor = "range";

std::int32_t milliseconds(Duration d) { return narrow<std::int32_t>(d / 1ms); }

/// The group has moved on without us: joining again is the answer.
bool must_rejoin(std::int16_t code) {
  return is(code, KafkaCode::rebalance_in_progress) || is(code, KafkaCode::illegal_generation) ||
         is(code, KafkaCode::unknown_member_id);
}

auto own_code() {
  return [](const auto& answer) { return answer.error_code; };
}

}  // namespace

GroupMember::GroupMember(Cluster& cluster, GroupMemberOptions options)
    : options_(std::move(options)), client_(cluster, options_.group) {}

void GroupMember::forget_membership() {
  member_id_.clear();
  generation_ = -1;
}

rt::Task<Result<wire::JoinGroupResponse>> GroupMember::join_once(MonoTime deadline) {
  wire::JoinGroupRequest request;
  request.group_id = options_.group;
  request.session_timeout_ms = milliseconds(options_.session_timeout);
  request.rebalance_timeout_ms = milliseconds(options_.rebalance_timeout);
  request.member_id = member_id_;
  request.protocol_type = kProtocolType;
  request.protocols.push_back(
      {.name = std::string(kAssignor), .metadata = encode_subscription(options_.topics)});
  // The answer comes when all others have joined, too.
  const Duration patience = options_.rebalance_timeout + kRequestTimeout;
  co_return co_await client_.call(std::move(request), {.deadline = deadline, .attempt = patience},
                                  own_code());
}

rt::Task<Result<Assignments>> GroupMember::assign(const wire::JoinGroupResponse& joined,
                                                  MonoTime deadline) {
  Subscriptions members;
  PartitionCounts counts;
  for (const auto& member : joined.members) {
    auto topics = decode_subscription(member.metadata);
    if (!topics) co_return std::unexpected(topics.error());
    for (const std::string& topic : *topics) counts[topic];
    members[member.member_id] = std::move(*topics);
  }
  for (auto& [name, count] : counts) {
    client_.cluster().forget(name);
    auto topic = co_await client_.cluster().topic(name, deadline);
    if (topic)
      count = topic->partitions.size();
    else if (!topic.error().is(ErrorCode::not_found))
      co_return std::unexpected(topic.error());
  }
  co_return assign_ranges(members, counts);
}

rt::Task<Result<wire::SyncGroupResponse>> GroupMember::sync(const wire::JoinGroupResponse& joined,
                                                            MonoTime deadline) {
  wire::SyncGroupRequest request;
  request.group_id = options_.group;
  request.generation_id = generation_;
  request.member_id = member_id_;
  request.protocol_type = std::string(kProtocolType);
  request.protocol_name = std::string(kAssignor);
  if (joined.leader == member_id_) {
    auto assignments = co_await assign(joined, deadline);
    if (!assignments) co_return std::unexpected(assignments.error());
    for (const auto& [member, partitions] : *assignments)
      request.assignments.push_back(
          {.member_id = member, .assignment = encode_assignment(partitions)});
  }
  const Duration patience = options_.rebalance_timeout + kRequestTimeout;
  co_return co_await client_.call(std::move(request), {.deadline = deadline, .attempt = patience},
                                  own_code());
}

rt::Task<Result<std::vector<TopicPartition>>> GroupMember::join(MonoTime deadline) {
  for (int attempt = 0;; ++attempt) {
    auto joined = co_await join_once(deadline);
    if (!joined) co_return std::unexpected(joined.error());
    std::int16_t code = joined->error_code;
    if (is(code, KafkaCode::member_id_required)) {
      member_id_ = joined->member_id;
      continue;
    }
    if (code == 0) {
      member_id_ = joined->member_id;
      generation_ = joined->generation_id;
      auto synced = co_await sync(*joined, deadline);
      if (!synced) co_return std::unexpected(synced.error());
      if (synced->error_code == 0) co_return decode_assignment(synced->assignment);
      code = synced->error_code;
    }
    if (!must_rejoin(code)) co_return std::unexpected(to_error(code));
    if (!is(code, KafkaCode::rebalance_in_progress)) forget_membership();
    if (!co_await client_.cluster().pause(attempt, deadline))
      co_return std::unexpected(to_error(code));
  }
}

rt::Task<Result<bool>> GroupMember::heartbeat(MonoTime deadline) {
  wire::HeartbeatRequest request;
  request.group_id = options_.group;
  request.generation_id = generation_;
  request.member_id = member_id_;
  auto answer = co_await client_.call(std::move(request), {.deadline = deadline}, own_code());
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->error_code == 0) co_return true;
  if (!must_rejoin(answer->error_code)) co_return std::unexpected(to_error(answer->error_code));
  if (!is(answer->error_code, KafkaCode::rebalance_in_progress)) forget_membership();
  co_return false;
}

rt::Task<Result<bool>> GroupMember::commit(const std::map<TopicPartition, Offset>& offsets,
                                           MonoTime deadline) {
  if (offsets.empty()) co_return true;
  auto outcomes = co_await commit_offsets(
      client_, {.generation = generation_, .member_id = member_id_}, offsets, deadline);
  if (!outcomes) co_return std::unexpected(outcomes.error());
  for (const auto& [at, code] : *outcomes) {
    if (must_rejoin(code)) co_return false;
    if (code != 0) co_return std::unexpected(to_error(code));
  }
  co_return true;
}

rt::Task<Result<std::map<TopicPartition, Offset>>> GroupMember::committed(
    std::vector<TopicPartition> partitions, MonoTime deadline) {
  auto all = co_await fetch_offsets(client_, deadline);
  if (!all) co_return std::unexpected(all.error());
  std::map<TopicPartition, Offset> out;
  for (const TopicPartition& at : partitions) {
    auto found = all->find(at);
    if (found != all->end()) out.emplace(at, found->second);
  }
  co_return out;
}

rt::Task<Result<void>> GroupMember::leave(MonoTime deadline) {
  if (member_id_.empty()) co_return Result<void>();
  // Later versions take many members.
  constexpr std::int16_t kOneMemberVersionMax = 2;
  wire::LeaveGroupRequest request;
  request.group_id = options_.group;
  request.member_id = member_id_;
  forget_membership();
  auto answer = co_await client_.call(
      std::move(request), {.deadline = deadline, .version_max = kOneMemberVersionMax}, own_code());
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->error_code != 0 && !must_rejoin(answer->error_code))
    co_return std::unexpected(to_error(answer->error_code));
  co_return Result<void>();
}

}  // namespace weir::client
