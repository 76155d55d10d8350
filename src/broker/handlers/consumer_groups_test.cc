// ConsumerGroupHeartbeat, ConsumerGroupDescribe and offsets with member epochs: what clients are
// told, version by version.
#include "broker/handlers/testing/group_apis.h"
#include "wire/consumer_group_describe.h"
#include "wire/consumer_group_heartbeat.h"
#include "wire/describe_configs.h"
#include "wire/incremental_alter_configs.h"

namespace weir::broker::handlers {
namespace {

using Beat = wire::ConsumerGroupHeartbeatRequest;
using Answer = wire::ConsumerGroupHeartbeatResponse;
using K = KafkaError;

class ConsumerGroupApis : public GroupApis {
 protected:
  static Beat joining(const std::string& member) {
    Beat out{.group_id = "g", .member_id = member, .member_epoch = 0};
    out.rebalance_timeout_ms = 60'000;
    out.subscribed_topic_names = {{"t"}};
    out.topic_partitions.emplace();
    return out;
  }
  static Beat beating(const std::string& member, std::int32_t epoch) {
    return {.group_id = "g", .member_id = member, .member_epoch = epoch};
  }
  Answer call(const Beat& request, std::int16_t version = 1) {
    return client_->call<Answer>(request, version);
  }
  std::int16_t error(const Beat& request, std::int16_t version = 1) {
    Answer answer = call(request, version);
    EXPECT_EQ(answer.error_code == 0, !answer.error_message.has_value());
    return answer.error_code;
  }
  std::size_t partitions_of(const Answer& answer) {
    std::size_t count = 0;
    if (answer.assignment)
      for (const auto& topic : answer.assignment->topic_partitions) {
        EXPECT_EQ(topic.topic_id, topic_);
        count += topic.partitions.size();
      }
    return count;
  }
  wire::ConsumerGroupDescribeResponse::DescribedGroup describe(const std::string& group,
                                                               std::int16_t version = 1) {
    wire::ConsumerGroupDescribeRequest request{.group_ids = {group},
                                               .include_authorized_operations = true};
    return client_->call<wire::ConsumerGroupDescribeResponse>(request, version).groups.at(0);
  }
  std::int16_t set_group_config(const std::string& key, const std::string& value) {
    wire::IncrementalAlterConfigsRequest request;
    auto& resource = request.resources.emplace_back();
    resource.resource_type = 32;
    resource.resource_name = "g";
    resource.configs.push_back({.name = key, .config_operation = 0, .value = value});
    return client_->call<wire::IncrementalAlterConfigsResponse>(request, 1)
        .responses.at(0)
        .error_code;
  }
};

TEST_F(ConsumerGroupApis, JoinHeartbeatAndLeave) {
  Answer joined = call(joining("m"));
  EXPECT_EQ(joined.error_code, 0);
  EXPECT_EQ(joined.member_id, "m");
  EXPECT_EQ(joined.member_epoch, 1);
  EXPECT_EQ(joined.heartbeat_interval_ms, 5'000);
  EXPECT_EQ(partitions_of(joined), 2u);
  Answer beat = call(beating("m", 1));
  EXPECT_EQ(beat.member_epoch, 1);
  EXPECT_FALSE(beat.assignment.has_value()) << "it knows";
  Beat full = beating("m", 1);
  full.rebalance_timeout_ms = 60'000;
  full.subscribed_topic_names = {{"t"}};
  full.topic_partitions.emplace().push_back({.topic_id = topic_, .partitions = {0, 1}});
  EXPECT_EQ(partitions_of(call(full)), 2u) << "it asks for everything";
  Answer left = call(beating("m", -1));
  EXPECT_EQ(left.error_code, 0);
  EXPECT_EQ(left.member_epoch, -1);
  EXPECT_EQ(error(beating("m", 1)), code(K::unknown_member_id));
}

TEST_F(ConsumerGroupApis, Version0LeavesTheMemberIdToTheBroker) {
  Answer joined = call(joining(""), 0);
  EXPECT_EQ(joined.error_code, 0);
  ASSERT_TRUE(joined.member_id.has_value());
  EXPECT_FALSE(joined.member_id->empty());
  EXPECT_EQ(error(beating(*joined.member_id, 1), 0), 0);
  EXPECT_EQ(error(joining(""), 1), code(K::invalid_request));
}

TEST_F(ConsumerGroupApis, WhatARequestMayNotSayIsNamed) {
  Beat request = joining("m");
  request.group_id = "";
  EXPECT_EQ(error(request), code(K::invalid_request));
  request = joining("m");
  request.instance_id = "";
  EXPECT_EQ(error(request), code(K::invalid_request));
  request = joining("m");
  request.rack_id = "";
  EXPECT_EQ(error(request), code(K::invalid_request));
  request = joining("m");
  request.rebalance_timeout_ms = -1;
  EXPECT_EQ(error(request), code(K::invalid_request));
  request = joining("m");
  request.topic_partitions = std::nullopt;
  EXPECT_EQ(error(request), code(K::invalid_request));
  request = joining("m");
  request.subscribed_topic_names = std::nullopt;
  EXPECT_EQ(error(request), code(K::invalid_request));
  EXPECT_EQ(error(beating("m", -2)), code(K::invalid_request));
  EXPECT_EQ(error(beating("m", -3)), code(K::invalid_request));
  EXPECT_EQ(error(beating("", 3)), code(K::invalid_request));
  request = joining(std::string(5'000, 'm'));
  EXPECT_EQ(error(request), code(K::invalid_request));
  request = joining("m");
  request.server_assignor = "sticky";
  EXPECT_EQ(error(request), code(K::unsupported_assignor));
  request.server_assignor = "range";
  EXPECT_EQ(error(request), 0);
  EXPECT_EQ(describe("g").assignor_name, "range");
}

TEST_F(ConsumerGroupApis, RefusalsOfTheGroupHaveKafkasCodes) {
  EXPECT_EQ(error(beating("m", 3)), code(K::group_id_not_found));
  EXPECT_EQ(error(beating("m", -1)), code(K::group_id_not_found));
  ASSERT_EQ(error(joining("m")), 0);
  EXPECT_EQ(error(beating("m", 7)), code(K::fenced_member_epoch));
  EXPECT_NE(call(beating("m", 7)).error_message.value_or("").find("join again"), std::string::npos)
      << "what to do, not what we call it";
  EXPECT_EQ(error(beating("x", 1)), code(K::unknown_member_id));
  Beat first = joining("s1");
  first.instance_id = "i";
  ASSERT_EQ(error(first), 0);
  Beat second = joining("s2");
  second.instance_id = "i";
  EXPECT_EQ(error(second), code(K::unreleased_instance_id));
  Beat away = beating("s1", -2);
  away.instance_id = "i";
  EXPECT_EQ(call(away).member_epoch, -2);
  EXPECT_EQ(error(second), 0);
  Beat old = beating("s1", 1);
  old.instance_id = "i";
  EXPECT_EQ(error(old), code(K::fenced_instance_id));
}

TEST_F(ConsumerGroupApis, ExpressionsAreCheckedAndFollowed) {
  Beat request = joining("m");
  request.subscribed_topic_names = std::nullopt;
  request.subscribed_topic_regex = "[";
  EXPECT_EQ(error(request), code(K::invalid_regular_expression));
  request.subscribed_topic_regex = "t|other";
  EXPECT_EQ(partitions_of(call(request)), 2u);
  EXPECT_EQ(describe("g").members.at(0).subscribed_topic_regex, "t|other");
}

TEST_F(ConsumerGroupApis, DescribeShowsMembersWithWhatTheyHaveAndShallHave) {
  Beat request = joining("m");
  request.rack_id = "zone-a";
  ASSERT_EQ(error(request), 0);
  for (std::int16_t v = 0; v <= 1; ++v) {
    auto group = describe("g", v);
    EXPECT_EQ(group.error_code, 0);
    EXPECT_EQ(group.group_state, "Stable");
    EXPECT_EQ(group.group_epoch, 1);
    EXPECT_EQ(group.assignment_epoch, 1);
    EXPECT_EQ(group.assignor_name, "uniform");
    EXPECT_GT(group.authorized_operations, 0);
    ASSERT_EQ(group.members.size(), 1u);
    const auto& member = group.members[0];
    EXPECT_EQ(member.member_id, "m");
    EXPECT_EQ(member.rack_id, "zone-a");
    EXPECT_EQ(member.member_epoch, 1);
    EXPECT_EQ(member.client_id, "test");
    EXPECT_EQ(member.subscribed_topic_names, std::vector<std::string>{"t"});
    ASSERT_EQ(member.assignment.topic_partitions.size(), 1u);
    EXPECT_EQ(member.assignment.topic_partitions[0].topic_name, "t");
    EXPECT_EQ(member.assignment.topic_partitions[0].partitions.size(), 2u);
    EXPECT_EQ(member.target_assignment.topic_partitions.size(), 1u);
    EXPECT_EQ(member.member_type, v == 0 ? -1 : 1);
  }
  EXPECT_EQ(describe("nobody").error_code, code(K::group_id_not_found));
  EXPECT_EQ(describe("").error_code, code(K::invalid_group_id));
  call(beating("m", -1));
  EXPECT_EQ(describe("g").group_state, "Empty");
}

TEST_F(ConsumerGroupApis, CommitsAreCheckedAgainstTheMemberEpoch) {
  ASSERT_EQ(error(joining("m")), 0);
  EXPECT_EQ(commit(commit_request(5, "m", 1)), 0);
  EXPECT_EQ(commit(commit_request(6, "m", 0)), code(K::stale_member_epoch));
  EXPECT_EQ(commit(commit_request(6, "m", 2)), code(K::stale_member_epoch));
  EXPECT_EQ(commit(commit_request(6, "x", 1)), code(K::unknown_member_id));
  EXPECT_EQ(commit(commit_request(6, "", -1)), code(K::unknown_member_id))
      << "a group with members takes no commits of nobody";
  wire::OffsetFetchRequest fetch;
  fetch.groups.push_back({.group_id = "g", .member_id = "m", .member_epoch = 1});
  fetch.groups[0].topics = std::nullopt;
  auto fetched = client_->call<wire::OffsetFetchResponse>(fetch, 9).groups.at(0);
  EXPECT_EQ(fetched.error_code, 0);
  EXPECT_EQ(fetched.topics.at(0).partitions.at(0).committed_offset, 5);
  fetch.groups[0].member_epoch = 4;
  EXPECT_EQ(client_->call<wire::OffsetFetchResponse>(fetch, 9).groups.at(0).error_code,
            code(K::stale_member_epoch));
  fetch.groups[0].member_id = "x";
  EXPECT_EQ(client_->call<wire::OffsetFetchResponse>(fetch, 9).groups.at(0).error_code,
            code(K::unknown_member_id));
  call(beating("m", -1));
  EXPECT_EQ(commit(commit_request(9, "", -1)), 0) << "nobody works in it";
}

TEST_F(ConsumerGroupApis, AGroupsOwnConfigsWinWithinTheBrokersBounds) {
  EXPECT_EQ(set_group_config("consumer.heartbeat.interval.ms", "7000"), 0);
  EXPECT_EQ(call(joining("m")).heartbeat_interval_ms, 7'000);
  EXPECT_EQ(set_group_config("consumer.heartbeat.interval.ms", "70000"), code(K::invalid_config));
  EXPECT_EQ(set_group_config("consumer.session.timeout.ms", "1000"), code(K::invalid_config));
  EXPECT_EQ(set_group_config("consumer.session.timeout.ms", "50000"), 0);
  EXPECT_EQ(set_group_config("no.such.key", "1"), code(K::invalid_config));
  call(beating("m", 1));
  EXPECT_EQ(
      engine_->follower().state().groups().find("g")->consumer()->find("m")->session_timeout_ms,
      50'000);
  wire::DescribeConfigsRequest request;
  request.resources.push_back({.resource_type = 32, .resource_name = "g"});
  request.resources[0].configuration_keys = std::nullopt;
  auto result = client_->call<wire::DescribeConfigsResponse>(request, 4).results.at(0);
  EXPECT_EQ(result.error_code, 0);
  bool found = false;
  for (const auto& row : result.configs) {
    if (row.name != "consumer.heartbeat.interval.ms") continue;
    found = true;
    EXPECT_EQ(row.value, "7000");
    EXPECT_EQ(row.config_source, 8);
  }
  EXPECT_TRUE(found);
}

TEST_F(ConsumerGroupApis, ClassicApisKnowTheGroup) {
  ASSERT_EQ(error(joining("m")), 0);
  wire::ListGroupsRequest list;
  auto listed = client_->call<wire::ListGroupsResponse>(list, 5).groups;
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].group_type, "consumer");
  EXPECT_EQ(listed[0].group_state, "Stable");
  wire::DeleteGroupsRequest remove{.groups_names = {"g"}};
  EXPECT_EQ(client_->call<wire::DeleteGroupsResponse>(remove, 2).results.at(0).error_code,
            code(K::non_empty_group));
  call(beating("m", -1));
  EXPECT_EQ(client_->call<wire::DeleteGroupsResponse>(remove, 2).results.at(0).error_code, 0);
  EXPECT_EQ(describe("g").error_code, code(K::group_id_not_found));
}

}  // namespace
}  // namespace weir::broker::handlers
