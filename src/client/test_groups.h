// TestGroups: the group coordinator of a TestBroker, as small as a client can bear.
//
// Nothing is parked: a join is answered at once, and a member that syncs before its leader did is
// told to join again, until the leader has assigned. A test may look at and change everything.
#pragma once

#include <map>
#include <string>

#include "client/calls.h"
#include "client/consumer.h"

namespace weir::client {

struct TestGroup {
  std::int32_t generation = 0;
  bool synced = false;
  std::map<std::string, SharedBytes> subscriptions;
  std::map<std::string, SharedBytes> assignments;
  std::map<TopicPartition, std::int64_t> offsets;
};

class TestGroups {
 public:
  static constexpr std::int16_t kIllegalGeneration = 22;
  static constexpr std::int16_t kUnknownMember = 25;
  static constexpr std::int16_t kRebalance = 27;
  static constexpr std::int16_t kNonEmpty = 68;
  static constexpr std::int16_t kNotFound = 69;
  static constexpr std::int16_t kMemberIdRequired = 79;

  std::map<std::string, TestGroup> all;
  /// So many next calls to the coordinator are told that it is another broker.
  int not_coordinator = 0;
  int commits = 0;
  int lookups = 0;

  wire::FindCoordinatorResponse find(const wire::FindCoordinatorRequest&) {
    ++lookups;
    return {.node_id = 1, .host = "broker", .port = 9092};
  }

  wire::JoinGroupResponse join(const wire::JoinGroupRequest& request) {
    wire::JoinGroupResponse response;
    response.protocol_name = request.protocols.at(0).name;
    if (moved(response.error_code)) return response;
    if (request.member_id.empty()) {
      response.error_code = kMemberIdRequired;
      response.member_id = "m-" + std::to_string(++members_made_);
      return response;
    }
    TestGroup& group = all[request.group_id];
    auto [at, added] =
        group.subscriptions.insert_or_assign(request.member_id, request.protocols.at(0).metadata);
    if (added) rebalance(group);
    response.generation_id = group.generation;
    response.member_id = at->first;
    response.leader = group.subscriptions.begin()->first;
    if (response.leader != at->first) return response;
    for (const auto& [id, metadata] : group.subscriptions)
      response.members.push_back({.member_id = id, .metadata = metadata});
    return response;
  }

  wire::SyncGroupResponse sync(const wire::SyncGroupRequest& request) {
    wire::SyncGroupResponse response;
    TestGroup& group = all[request.group_id];
    response.error_code = check(group, request.member_id, request.generation_id);
    if (response.error_code != 0) return response;
    if (request.member_id == group.subscriptions.begin()->first) {
      group.synced = true;
      for (const auto& item : request.assignments)
        group.assignments[item.member_id] = item.assignment;
    }
    if (group.synced)
      response.assignment = group.assignments[request.member_id];
    else
      response.error_code = kRebalance;
    return response;
  }

  wire::HeartbeatResponse heartbeat(const wire::HeartbeatRequest& request) {
    wire::HeartbeatResponse response;
    if (!moved(response.error_code))
      response.error_code = check(all[request.group_id], request.member_id, request.generation_id);
    return response;
  }

  wire::LeaveGroupResponse leave(const wire::LeaveGroupRequest& request) {
    TestGroup& group = all[request.group_id];
    if (group.subscriptions.erase(request.member_id) == 0) return {.error_code = kUnknownMember};
    rebalance(group);
    return {};
  }

  wire::OffsetCommitResponse commit(const wire::OffsetCommitRequest& request) {
    ++commits;
    TestGroup& group = all[request.group_id];
    std::int16_t code = 0;
    if (!moved(code)) {
      code = check(group, request.member_id, request.generation_id_or_member_epoch);
      if (group.subscriptions.empty() && request.generation_id_or_member_epoch < 0) code = 0;
    }
    wire::OffsetCommitResponse response;
    for (const auto& topic : request.topics) {
      auto& out = response.topics.emplace_back();
      out.name = topic.name;
      for (const auto& asked : topic.partitions) {
        out.partitions.push_back({.partition_index = asked.partition_index, .error_code = code});
        if (code == 0)
          group.offsets[{topic.name, PartitionIndex(asked.partition_index)}] =
              asked.committed_offset;
      }
    }
    return response;
  }

  wire::OffsetFetchResponse fetch(const wire::OffsetFetchRequest& request) {
    wire::OffsetFetchResponse response;
    for (const auto& [at, offset] : all[request.group_id].offsets) {
      auto& topic = response.topics.emplace_back();
      topic.name = at.topic;
      topic.partitions.push_back(
          {.partition_index = at.partition.value, .committed_offset = offset});
    }
    return response;
  }

  wire::ListGroupsResponse list(const wire::ListGroupsRequest&) {
    wire::ListGroupsResponse response;
    for (const auto& [name, group] : all)
      response.groups.push_back({.group_id = name,
                                 .protocol_type = "consumer",
                                 .group_state = state_of(group),
                                 .group_type = "classic"});
    return response;
  }

  wire::DescribeGroupsResponse describe(const wire::DescribeGroupsRequest& request) {
    wire::DescribeGroupsResponse response;
    for (const std::string& name : request.groups) {
      auto& out = response.groups.emplace_back();
      out.group_id = name;
      out.group_state = "Dead";
      auto found = all.find(name);
      if (found == all.end()) continue;
      out.group_state = state_of(found->second);
      out.protocol_type = "consumer";
      out.protocol_data = "range";
      for (const auto& [id, metadata] : found->second.subscriptions)
        out.members.push_back({.member_id = id,
                               .client_id = "test",
                               .client_host = "/10.0.0.1",
                               .member_metadata = metadata,
                               .member_assignment = found->second.assignments[id]});
    }
    return response;
  }

  wire::ConsumerGroupDescribeResponse describe_consumer(
      const wire::ConsumerGroupDescribeRequest& request) {
    wire::ConsumerGroupDescribeResponse response;
    for (const std::string& name : request.group_ids)
      response.groups.push_back({.error_code = kNotFound, .group_id = name});
    return response;
  }

  wire::DeleteGroupsResponse remove(const wire::DeleteGroupsRequest& request) {
    wire::DeleteGroupsResponse response;
    for (const std::string& name : request.groups_names) {
      auto& out = response.results.emplace_back();
      out.group_id = name;
      auto found = all.find(name);
      out.error_code = found == all.end()                     ? kNotFound
                       : !found->second.subscriptions.empty() ? kNonEmpty
                                                              : std::int16_t{0};
      if (out.error_code == 0) all.erase(found);
    }
    return response;
  }

  /// Gives `answer` the function that serves an API; nothing for the APIs of others.
  template <class Answer>
  std::optional<BytesChain> serve(std::int16_t key, Answer answer) {
    switch (key) {
      case 8: return answer(&TestGroups::commit);
      case 9: return answer(&TestGroups::fetch);
      case 10: return answer(&TestGroups::find);
      case 11: return answer(&TestGroups::join);
      case 12: return answer(&TestGroups::heartbeat);
      case 13: return answer(&TestGroups::leave);
      case 14: return answer(&TestGroups::sync);
      case 15: return answer(&TestGroups::describe);
      case 16: return answer(&TestGroups::list);
      case 42: return answer(&TestGroups::remove);
      case 69: return answer(&TestGroups::describe_consumer);
      default: return std::nullopt;
    }
  }

 private:
  static std::string state_of(const TestGroup& group) {
    if (group.subscriptions.empty()) return "Empty";
    return group.synced ? "Stable" : "PreparingRebalance";
  }
  static void rebalance(TestGroup& group) {
    ++group.generation;
    group.synced = false;
    group.assignments.clear();
  }
  static std::int16_t check(const TestGroup& group, const std::string& member,
                            std::int32_t generation) {
    if (!group.subscriptions.contains(member)) return kUnknownMember;
    if (generation > group.generation) return kIllegalGeneration;
    return generation == group.generation ? std::int16_t{0} : kRebalance;
  }
  bool moved(std::int16_t& code) {
    constexpr std::int16_t kNotCoordinator = 16;
    if (not_coordinator == 0) return false;
    --not_coordinator;
    code = kNotCoordinator;
    return true;
  }

  int members_made_ = 0;
};

}  // namespace weir::client
