// The admin APIs that have nothing to do here: elections, reassignments, log directories; and those
// that show or change the cluster as a whole: quorum, features, brokers, config resources.
#include <gtest/gtest.h>

#include "broker/handlers/handlers.h"
#include "broker/kafka_error.h"
#include "broker/testing/rig.h"
#include "wire/alter_partition_reassignments.h"
#include "wire/alter_replica_log_dirs.h"
#include "wire/describe_producers.h"
#include "wire/describe_quorum.h"
#include "wire/elect_leaders.h"
#include "wire/list_config_resources.h"
#include "wire/list_partition_reassignments.h"
#include "wire/unregister_broker.h"
#include "wire/update_features.h"

namespace weir::broker::handlers {
namespace {

using testing::RawClient;
using testing::Rig;

class AdminApis : public ::testing::Test {
 protected:
  AdminApis() { rig.engine.state.add_topic("t", 2); }

  std::int16_t reassign(std::string topic, std::int32_t partition,
                        std::optional<std::vector<std::int32_t>> replicas) {
    wire::AlterPartitionReassignmentsRequest request{.allow_replication_factor_change =
                                                         may_change_factor};
    request.topics.push_back({.name = std::move(topic)});
    request.topics[0].partitions.push_back(
        {.partition_index = partition, .replicas = std::move(replicas)});
    auto response = client.call<wire::AlterPartitionReassignmentsResponse>(request, 1);
    EXPECT_EQ(response.error_code, 0);
    const auto& item = response.responses.at(0).partitions.at(0);
    message = item.error_message.value_or("");
    return item.error_code;
  }
  std::int16_t update(std::string feature, std::int16_t level, std::int8_t type = 1,
                      bool validate_only = false) {
    wire::UpdateFeaturesRequest request{.validate_only = validate_only};
    request.feature_updates.push_back(
        {.feature = std::move(feature), .max_version_level = level, .upgrade_type = type});
    auto response = client.call<wire::UpdateFeaturesResponse>(request, 2);
    message = response.error_message.value_or("");
    return response.error_code;
  }

  Rig rig{handler_table()};
  RawClient client = rig.connect();
  std::string message;
  bool may_change_factor = true;
};

TEST_F(AdminApis, NoElectionIsEverNeeded) {
  for (std::int16_t v = 0; v <= 2; ++v) {
    wire::ElectLeadersRequest request;
    request.topic_partitions.emplace();
    request.topic_partitions->push_back({.topic = "t", .partitions = {1, 2}});
    request.topic_partitions->push_back({.topic = "zz", .partitions = {0}});
    auto response = client.call<wire::ElectLeadersResponse>(request, v);
    ASSERT_EQ(response.replica_election_results.size(), 2u);
    const auto& known = response.replica_election_results[0].partition_result;
    EXPECT_EQ(known.at(0).error_code, code(KafkaError::election_not_needed));
    EXPECT_EQ(known.at(1).error_code, code(KafkaError::unknown_topic_or_partition));
    const auto& unknown = response.replica_election_results[1].partition_result.at(0);
    EXPECT_EQ(unknown.error_message, "No such topic as zz");
    request.topic_partitions.reset();
    response = client.call<wire::ElectLeadersResponse>(request, v);
    EXPECT_TRUE(response.replica_election_results.empty());
  }
  wire::ElectLeadersRequest odd{.election_type = 7};
  EXPECT_EQ(client.call<wire::ElectLeadersResponse>(odd, 2).error_code,
            code(KafkaError::invalid_request));
}

TEST_F(AdminApis, AnUnknownTopicIsSaidAfterABarrierOnly) {
  rig.engine.failure = ErrorCode::unavailable;
  wire::ElectLeadersRequest request;
  request.topic_partitions.emplace();
  request.topic_partitions->push_back({.topic = "zz", .partitions = {0}});
  auto response = client.call<wire::ElectLeadersResponse>(request, 2);
  EXPECT_EQ(response.replica_election_results.at(0).partition_result.at(0).error_code,
            code(KafkaError::request_timed_out));
}

TEST_F(AdminApis, AReassignmentToWhatIsThereIsDone) {
  EXPECT_EQ(reassign("t", 0, {{1}}), 0);
  rig.engine.state.add_broker(2, std::nullopt);
  rig.engine.state.find("t")->replication_factor = 2;
  EXPECT_EQ(reassign("t", 0, {{1, 2}}), 0);
  EXPECT_EQ(reassign("t", 0, {{2, 1}}), 0) << "the order says nothing";
  wire::ListPartitionReassignmentsRequest list;
  auto listed = client.call<wire::ListPartitionReassignmentsResponse>(list, 0);
  EXPECT_EQ(listed.error_code, 0);
  EXPECT_TRUE(listed.topics.empty());
}

TEST_F(AdminApis, AReassignmentToOtherBrokersIsTakenAndHasNoEffect) {
  rig.engine.state.add_broker(2, std::nullopt);
  rig.engine.state.add_broker(3, std::nullopt);
  rig.engine.state.find("t")->replication_factor = 2;
  EXPECT_EQ(reassign("t", 0, {{3, 2}}), 0);
  EXPECT_EQ(reassign("t", 0, {{2}}), 0)
      << "another factor is allowed unless the request forbids it";
  wire::ListPartitionReassignmentsRequest list;
  EXPECT_TRUE(client.call<wire::ListPartitionReassignmentsResponse>(list, 0).topics.empty());
}

TEST_F(AdminApis, AReassignmentThatKafkaRefusesIsRefusedWithTheReason) {
  rig.engine.state.add_broker(2, std::nullopt);
  rig.engine.state.find("t")->replication_factor = 2;
  const std::int16_t invalid = code(KafkaError::invalid_replica_assignment);
  EXPECT_EQ(reassign("t", 0, {{1, 3}}), invalid);
  EXPECT_NE(message.find("no broker 3"), std::string::npos);
  EXPECT_EQ(reassign("t", 0, {{1, -1}}), invalid);
  EXPECT_EQ(reassign("t", 0, {{1, 1}}), invalid);
  EXPECT_EQ(reassign("t", 0, {std::vector<std::int32_t>()}), invalid);
  EXPECT_EQ(reassign("t", 0, std::nullopt), code(KafkaError::no_reassignment_in_progress));
  EXPECT_EQ(reassign("t", 2, {{1, 2}}), code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(reassign("zz", 0, {{1, 2}}), code(KafkaError::unknown_topic_or_partition));
  may_change_factor = false;
  EXPECT_EQ(reassign("t", 0, {{1}}), code(KafkaError::invalid_replication_factor));
  EXPECT_EQ(reassign("t", 0, {{2, 1}}), 0);
}

TEST_F(AdminApis, ProducersAreWhatThePartitionRemembers) {
  const TopicId topic = rig.engine.state.find("t")->id;
  rig.engine.state.add_producer({topic, PartitionIndex(1)}, {.id = ProducerId(7),
                                                             .epoch = ProducerEpoch(2),
                                                             .last_sequence = 41,
                                                             .end = Offset(100),
                                                             .last_timestamp_ms = 1'234});
  wire::DescribeProducersRequest request;
  request.topics.push_back({.name = "t", .partition_indexes = {0, 1, 2}});
  request.topics.push_back({.name = "zz", .partition_indexes = {0}});
  auto response = client.call<wire::DescribeProducersResponse>(request, 0);
  ASSERT_EQ(response.topics.size(), 2u);
  const auto& partitions = response.topics[0].partitions;
  EXPECT_EQ(partitions.at(0).error_code, 0);
  EXPECT_TRUE(partitions[0].active_producers.empty());
  const auto& producer = partitions.at(1).active_producers.at(0);
  EXPECT_EQ(producer.producer_id, 7);
  EXPECT_EQ(producer.producer_epoch, 2);
  EXPECT_EQ(producer.last_sequence, 41);
  EXPECT_EQ(producer.last_timestamp, 1'234);
  EXPECT_EQ(producer.coordinator_epoch, -1);
  EXPECT_EQ(producer.current_txn_start_offset, -1);
  EXPECT_EQ(partitions.at(2).error_code, code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(response.topics[1].partitions.at(0).error_code,
            code(KafkaError::unknown_topic_or_partition));
  rig.engine.failure = ErrorCode::unavailable;
  response = client.call<wire::DescribeProducersResponse>(request, 0);
  EXPECT_EQ(response.topics[0].partitions.at(0).error_code,
            code(KafkaError::not_leader_or_follower))
      << "nothing is told, and nothing called unknown, from a state that may be stale";
}

TEST_F(AdminApis, TheStoreIsTheOnlyLogDirectory) {
  wire::AlterReplicaLogDirsRequest request;
  request.dirs.push_back({.path = "store"});
  request.dirs[0].topics.push_back({.name = "t", .partitions = {0, 9}});
  request.dirs.push_back({.path = "/elsewhere"});
  request.dirs[1].topics.push_back({.name = "t", .partitions = {1}});
  for (std::int16_t v = 1; v <= 2; ++v) {
    auto response = client.call<wire::AlterReplicaLogDirsResponse>(request, v);
    ASSERT_EQ(response.results.size(), 2u);
    EXPECT_EQ(response.results[0].partitions.at(0).error_code, 0);
    EXPECT_EQ(response.results[0].partitions.at(1).error_code,
              code(KafkaError::unknown_topic_or_partition));
    EXPECT_EQ(response.results[1].partitions.at(0).error_code, code(KafkaError::log_dir_not_found));
  }
}

TEST_F(AdminApis, TheQuorumIsTheCommitLogAsThisBrokerSeesIt) {
  rig.engine.state.add_broker(2, std::nullopt);
  wire::DescribeQuorumRequest request;
  request.topics.push_back({.topic_name = "__cluster_metadata"});
  request.topics[0].partitions = {{.partition_index = 0}, {.partition_index = 1}};
  for (std::int16_t v = 0; v <= 2; ++v) {
    auto response = client.call<wire::DescribeQuorumResponse>(request, v);
    EXPECT_EQ(response.error_code, 0);
    const auto& partition = response.topics.at(0).partitions.at(0);
    EXPECT_EQ(partition.error_code, 0);
    EXPECT_EQ(partition.leader_id, 1);
    EXPECT_EQ(partition.leader_epoch, 2);
    EXPECT_EQ(partition.high_watermark, 42);
    ASSERT_EQ(partition.current_voters.size(), 1u);
    EXPECT_EQ(partition.current_voters[0].log_end_offset, 42);
    ASSERT_EQ(partition.observers.size(), 1u);
    EXPECT_EQ(partition.observers[0].replica_id, 2);
    EXPECT_EQ(response.topics[0].partitions.at(1).error_code,
              code(KafkaError::unknown_topic_or_partition));
    EXPECT_EQ(response.nodes.size(), v >= 2 ? 2u : 0u);
  }
}

TEST_F(AdminApis, FeaturesHaveTheLevelsThatTheyHave) {
  EXPECT_EQ(update("metadata.version", 33), 0);
  EXPECT_EQ(update("metadata.version", 30), code(KafkaError::invalid_update_version));
  EXPECT_NE(message.find("versions 33 to 33"), std::string::npos) << message;
  EXPECT_EQ(update("metadata.version", 30, 3), code(KafkaError::invalid_update_version));
  EXPECT_EQ(update("no.such", 1), code(KafkaError::invalid_update_version));
  EXPECT_NE(message.find("does not support this feature"), std::string::npos);
  EXPECT_EQ(update("weir.version", 2), code(KafkaError::invalid_update_version));
  EXPECT_EQ(update("weir.version", 1), 0);
  EXPECT_EQ(update("weir.version", 1, 9), code(KafkaError::invalid_request));
  wire::UpdateFeaturesRequest twice;
  twice.feature_updates = {{.feature = "weir.version", .max_version_level = 1},
                           {.feature = "weir.version", .max_version_level = 1}};
  auto response = client.call<wire::UpdateFeaturesResponse>(twice, 1);
  EXPECT_EQ(response.error_code, code(KafkaError::invalid_request));
  ASSERT_EQ(response.results.size(), 2u) << "versions 0 and 1 answer for each";
  EXPECT_EQ(response.results[1].error_code, code(KafkaError::invalid_request));
}

TEST_F(AdminApis, ADeadBrokerIsUnregistered) {
  const auto unregister = [&](std::int32_t id) {
    wire::UnregisterBrokerRequest request{.broker_id = id};
    return client.call<wire::UnregisterBrokerResponse>(request, 0).error_code;
  };
  rig.engine.state.add_broker(2, std::nullopt);
  EXPECT_EQ(unregister(2), 0);
  EXPECT_EQ(rig.engine.state.brokers().size(), 1u);
  EXPECT_EQ(unregister(2), code(KafkaError::broker_id_not_registered));
  EXPECT_EQ(unregister(1), code(KafkaError::invalid_request)) << "it answers, so it lives";
}

TEST_F(AdminApis, ConfigResourcesAreListedByType) {
  rig.engine.state.add_broker(2, std::nullopt);
  rig.engine.state.change_resource(state::ResourceType::client_metrics, "s", "metrics", "*");
  rig.engine.state.change_resource(state::ResourceType::group, "g", "k", "v");
  const auto list = [&](std::vector<std::int8_t> types, std::int16_t version) {
    wire::ListConfigResourcesRequest request{.resource_types = std::move(types)};
    auto response = client.call<wire::ListConfigResourcesResponse>(request, version);
    std::string names = std::to_string(response.error_code) + ":";
    for (const auto& resource : response.config_resources)
      names += " " + std::to_string(resource.resource_type) + "/" + resource.resource_name;
    return names;
  };
  EXPECT_EQ(list({}, 0), "0: 16/s");
  EXPECT_EQ(list({}, 1), "0: 2/t 4/1 4/2 8/1 8/2 16/s 32/g");
  EXPECT_EQ(list({16, 2}, 1), "0: 2/t 16/s");
  EXPECT_EQ(list({3}, 1), "35:");
}

}  // namespace
}  // namespace weir::broker::handlers
