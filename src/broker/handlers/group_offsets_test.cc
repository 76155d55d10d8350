// Offsets of groups, and groups as tools see them, version by version.
#include "broker/handlers/testing/group_apis.h"

namespace weir::broker::handlers {
namespace {

using Join = wire::JoinGroupResponse;
using K = KafkaError;

class GroupOffsetApis : public GroupApis {};

TEST_F(GroupOffsetApis, OffsetsComeBackAsCommittedInEveryVersion) {
  for (std::int16_t v = 2; v <= 10; ++v) {
    wire::OffsetCommitRequest request = commit_request(v);
    if (v < 6) request.topics[0].partitions[0].committed_leader_epoch = -1;
    EXPECT_EQ(commit(request, v), 0) << v;
  }
  for (std::int16_t v = 2; v <= 7; ++v) {
    const auto answer = fetch_all(v);
    ASSERT_EQ(answer.topics.size(), 1u) << v;
    EXPECT_EQ(answer.topics[0].name, "t");
    EXPECT_EQ(answer.topics[0].partitions.at(0).committed_offset, 10);
    EXPECT_EQ(answer.topics[0].partitions.at(0).metadata, "note");
    EXPECT_EQ(answer.topics[0].partitions.at(0).committed_leader_epoch, v >= 5 ? 4 : -1);
  }
  for (std::int16_t v = 8; v <= 10; ++v) {
    const auto answer = fetch_all(v);
    ASSERT_EQ(answer.groups.at(0).topics.size(), 1u) << v;
    if (v < 10) {
      EXPECT_EQ(answer.groups[0].topics[0].name, "t");
    } else {
      EXPECT_EQ(answer.groups[0].topics[0].topic_id, topic_);
    }
    EXPECT_EQ(answer.groups[0].topics[0].partitions.at(0).committed_offset, 10);
  }
}

TEST_F(GroupOffsetApis, OffsetFetchAnswersSeveralGroupsAndWhatIsUnknown) {
  commit(commit_request(5));
  wire::OffsetFetchRequest request;
  request.groups.push_back({.group_id = "g"});
  request.groups[0].topics = {
      {{.name = "t", .partition_indexes = {0, 1, 9}}, {.name = "none", .partition_indexes = {0}}}};
  request.groups.push_back({.group_id = "other"});
  request.groups[1].topics = {{{.name = "t", .partition_indexes = {0}}}};
  request.groups.push_back({.group_id = ""});
  const auto answer = client_->call<wire::OffsetFetchResponse>(request, 9);
  ASSERT_EQ(answer.groups.size(), 3u);
  const auto& topics = answer.groups[0].topics;
  ASSERT_EQ(topics.size(), 2u);
  EXPECT_EQ(topics[0].partitions.at(0).committed_offset, 5);
  EXPECT_EQ(topics[0].partitions.at(1).committed_offset, -1);
  EXPECT_EQ(topics[0].partitions.at(2).committed_offset, -1);
  EXPECT_EQ(topics[1].partitions.at(0).committed_offset, -1);
  EXPECT_EQ(topics[1].partitions.at(0).error_code, 0);
  EXPECT_EQ(answer.groups[1].topics.at(0).partitions.at(0).committed_offset, -1);
  EXPECT_EQ(answer.groups[2].error_code, code(K::invalid_group_id));

  wire::OffsetFetchRequest by_id;
  by_id.groups.push_back({.group_id = "g"});
  by_id.groups[0].topics = {
      {{.topic_id = rig_->node.random().id128<TopicId>(), .partition_indexes = {0}}}};
  EXPECT_EQ(client_->call<wire::OffsetFetchResponse>(by_id, 10)
                .groups.at(0)
                .topics.at(0)
                .partitions.at(0)
                .error_code,
            code(K::unknown_topic_id));
}

TEST_F(GroupOffsetApis, CommitsAreFencedByGenerationAndMember) {
  EXPECT_EQ(commit(commit_request(1, "m", 3), 8), code(K::illegal_generation));
  EXPECT_EQ(commit(commit_request(1, "m", 3), 9), code(K::group_id_not_found));
  const std::string member = settle();
  EXPECT_EQ(commit(commit_request(1, member, 1)), 0);
  EXPECT_EQ(commit(commit_request(1, member, 2)), code(K::illegal_generation));
  EXPECT_EQ(commit(commit_request(1, "stranger", 1)), code(K::unknown_member_id));
  EXPECT_EQ(commit(commit_request(1)), code(K::unknown_member_id)) << "the group has members";
  const Join again = join(join_request(member), 9);
  EXPECT_EQ(again.generation_id, 2);
  EXPECT_EQ(commit(commit_request(1, member, 2)), code(K::rebalance_in_progress));
}

TEST_F(GroupOffsetApis, CommitsOfWhatDoesNotExistAreRefusedOneByOne) {
  wire::OffsetCommitRequest request = commit_request(1);
  request.topics[0].partitions.push_back({.partition_index = 9, .committed_offset = 1});
  request.topics[0].partitions.push_back(
      {.partition_index = 1, .committed_offset = 2, .committed_metadata = std::string(5'000, 'x')});
  request.topics.push_back({.name = "none"});
  request.topics[1].partitions.push_back({.partition_index = 0, .committed_offset = 1});
  const auto answer = client_->call<wire::OffsetCommitResponse>(request, 9);
  const auto& partitions = answer.topics.at(0).partitions;
  EXPECT_EQ(partitions.at(0).error_code, 0);
  EXPECT_EQ(partitions.at(1).error_code, code(K::unknown_topic_or_partition));
  EXPECT_EQ(partitions.at(2).error_code, code(K::offset_metadata_too_large));
  EXPECT_EQ(answer.topics.at(1).partitions.at(0).error_code, code(K::unknown_topic_or_partition));
  request.topics[0].topic_id = rig_->node.random().id128<TopicId>();
  EXPECT_EQ(commit(request, 10), code(K::unknown_topic_id));
}

TEST_F(GroupOffsetApis, DescribeGroupsShowsMembersAndWhatIsUnknown) {
  const std::string member = settle();
  for (std::int16_t v = 0; v <= 6; ++v) {
    wire::DescribeGroupsRequest request{.groups = {"g", "none"},
                                        .include_authorized_operations = v >= 3};
    const auto answer = client_->call<wire::DescribeGroupsResponse>(request, v);
    ASSERT_EQ(answer.groups.size(), 2u);
    EXPECT_EQ(answer.groups[0].group_state, "Stable");
    EXPECT_EQ(answer.groups[0].protocol_type, "consumer");
    EXPECT_EQ(answer.groups[0].protocol_data, "range");
    ASSERT_EQ(answer.groups[0].members.size(), 1u);
    EXPECT_EQ(answer.groups[0].members[0].member_id, member);
    EXPECT_EQ(answer.groups[0].members[0].client_id, "test");
    EXPECT_TRUE(answer.groups[0].members[0].client_host.starts_with("/"));
    EXPECT_EQ(as_text(answer.groups[0].members[0].member_metadata.view()), "meta");
    EXPECT_EQ(as_text(answer.groups[0].members[0].member_assignment.view()), "assigned");
    EXPECT_EQ(answer.groups[1].group_state, "Dead");
    EXPECT_EQ(answer.groups[1].error_code, v < 6 ? 0 : code(K::group_id_not_found));
    if (v >= 3) {
      EXPECT_GT(answer.groups[0].authorized_operations, 0);
    }
  }
}

TEST_F(GroupOffsetApis, ListGroupsFiltersByStateAndType) {
  settle();
  wire::OffsetCommitRequest simple = commit_request(1);
  simple.group_id = "simple";
  commit(simple);
  const auto list = [&](std::vector<std::string> states, std::vector<std::string> types,
                        std::int16_t version) {
    wire::ListGroupsRequest request{.states_filter = std::move(states),
                                    .types_filter = std::move(types)};
    std::vector<std::string> names;
    for (const auto& group : client_->call<wire::ListGroupsResponse>(request, version).groups)
      names.push_back(group.group_id);
    return names;
  };
  const std::vector<std::string> both = {"g", "simple"};
  for (std::int16_t v = 0; v <= 5; ++v) EXPECT_EQ(list({}, {}, v), both) << v;
  EXPECT_EQ(list({"stable"}, {}, 4), std::vector<std::string>{"g"});
  EXPECT_EQ(list({"Empty"}, {}, 5), std::vector<std::string>{"simple"});
  EXPECT_EQ(list({}, {"Classic"}, 5), both);
  EXPECT_EQ(list({}, {"consumer"}, 5), std::vector<std::string>{});
  EXPECT_EQ(list({"Strange"}, {}, 5), std::vector<std::string>{});
}

TEST_F(GroupOffsetApis, DeleteGroupsTakesEmptyOnes) {
  const std::string member = settle();
  wire::DeleteGroupsRequest request{.groups_names = {"g", "none", ""}};
  for (std::int16_t v = 0; v <= 3; ++v) {
    const auto answer = client_->call<wire::DeleteGroupsResponse>(request, v);
    ASSERT_EQ(answer.results.size(), 3u);
    EXPECT_EQ(answer.results[0].error_code, code(K::non_empty_group));
    EXPECT_EQ(answer.results[1].error_code, code(K::group_id_not_found));
    EXPECT_EQ(answer.results[2].error_code, code(K::invalid_group_id));
  }
  wire::LeaveGroupRequest leave{.group_id = "g", .member_id = member};
  client_->call<wire::LeaveGroupResponse>(leave, 0);
  EXPECT_EQ(client_->call<wire::DeleteGroupsResponse>(request, 3).results[0].error_code, 0);
}

TEST_F(GroupOffsetApis, OffsetDeleteRefusesWhatIsRead) {
  wire::OffsetDeleteRequest request{.group_id = "g"};
  request.topics.push_back({"t", {{0}, {9}}});
  EXPECT_EQ(client_->call<wire::OffsetDeleteResponse>(request, 0).error_code,
            code(K::group_id_not_found));
  commit(commit_request(1));
  const auto gone = client_->call<wire::OffsetDeleteResponse>(request, 0);
  EXPECT_EQ(gone.error_code, 0);
  EXPECT_EQ(gone.topics.at(0).partitions.at(0).error_code, 0);
  EXPECT_EQ(gone.topics.at(0).partitions.at(1).error_code, code(K::unknown_topic_or_partition));
  EXPECT_TRUE(fetch_all().groups.at(0).topics.empty());

  wire::JoinGroupRequest reader = join_request();
  reader.protocols[0].metadata =
      SharedBytes::copy_of(as_bytes(std::string_view("\0\1\0\0\0\1\0\1t\xff\xff\xff\xff", 13)));
  join(reader, 3);
  EXPECT_EQ(client_->call<wire::OffsetDeleteResponse>(request, 0)
                .topics.at(0)
                .partitions.at(0)
                .error_code,
            code(K::group_subscribed_to_topic));
}

TEST_F(GroupOffsetApis, FindCoordinatorAnswersManyKeys) {
  wire::FindCoordinatorRequest request{.key_type = 0, .coordinator_keys = {"a", "b", "c"}};
  for (std::int16_t v = 4; v <= 6; ++v) {
    const auto answer = client_->call<wire::FindCoordinatorResponse>(request, v);
    ASSERT_EQ(answer.coordinators.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(answer.coordinators[i].key, request.coordinator_keys[i]);
      EXPECT_EQ(answer.coordinators[i].error_code, 0);
      EXPECT_EQ(answer.coordinators[i].host, "broker");
    }
  }
}

}  // namespace
}  // namespace weir::broker::handlers
