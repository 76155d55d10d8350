#include <gtest/gtest.h>

#include "broker/handlers/handlers.h"
#include "broker/kafka_error.h"
#include "broker/testing/rig.h"
#include "wire/describe_cluster.h"
#include "wire/describe_topic_partitions.h"
#include "wire/find_coordinator.h"
#include "wire/metadata.h"

namespace weir::broker::handlers {
namespace {

using testing::RawClient;
using testing::Rig;
using Request = wire::MetadataRequest;
using Response = wire::MetadataResponse;

Request named(std::vector<std::string> names, bool create = false) {
  Request out{.allow_auto_topic_creation = create};
  for (std::string& name : names) out.topics->push_back({.name = std::move(name)});
  return out;
}

class Metadata : public ::testing::Test {
 protected:
  Rig rig{handler_table()};
  RawClient client = rig.connect();
  std::int16_t error_of(const std::string& name, bool create = false, std::int16_t version = 9) {
    return client.call<Response>(named({name}, create), version).topics.at(0).error_code;
  }
};

TEST_F(Metadata, NamesBrokersTopicsAndLeadersInEveryVersion) {
  const TopicId id = rig.engine.state.add_topic("t", 2);
  for (std::int16_t v = Request::kVersionMin; v <= Request::kVersionMax; ++v) {
    Response response = client.call<Response>(named({"t"}, v < 4), v);
    ASSERT_EQ(response.brokers.size(), 1u);
    EXPECT_EQ(response.brokers[0].host, "broker1");
    EXPECT_EQ(response.brokers[0].port, 9092);
    if (v >= 1) {
      EXPECT_EQ(response.controller_id, 1);
    }
    if (v >= 2) {
      EXPECT_EQ(response.cluster_id, "test-cluster");
    }
    ASSERT_EQ(response.topics.size(), 1u);
    const auto& topic = response.topics[0];
    EXPECT_EQ(topic.error_code, 0);
    EXPECT_EQ(topic.name, "t");
    if (v >= 10) {
      EXPECT_EQ(topic.topic_id, id);
    }
    ASSERT_EQ(topic.partitions.size(), 2u);
    for (const auto& partition : topic.partitions) {
      EXPECT_EQ(partition.leader_id, 1) << "never -1";
      EXPECT_EQ(partition.replica_nodes, partition.isr_nodes);
      if (v >= 7) {
        EXPECT_EQ(partition.leader_epoch, rig.engine.state.placement_epoch().value);
      }
    }
    if (v >= 8) {
      EXPECT_EQ(topic.topic_authorized_operations, INT32_MIN);
    }
  }
}

TEST_F(Metadata, NullMeansAllAndEmptyMeansNone) {
  rig.engine.state.add_topic("a", 1);
  rig.engine.state.add_topic("b", 1);
  Request all;
  all.topics.reset();
  EXPECT_EQ(client.call<Response>(all, 9).topics.size(), 2u);
  EXPECT_EQ(client.call<Response>(Request{}, 0).topics.size(), 2u) << "empty was all in version 0";
  EXPECT_EQ(client.call<Response>(Request{}, 9).topics.size(), 0u);
}

TEST_F(Metadata, AnUnknownTopicIsSaidAfterABarrier) {
  EXPECT_EQ(error_of("nope"), code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(rig.engine.barriers, 1);
}

TEST_F(Metadata, ABarrierThatFailsIsRetriableAndNeverUnknownTopic) {
  rig.engine.failure = ErrorCode::timed_out;
  EXPECT_EQ(error_of("nope"), code(KafkaError::leader_not_available));
}

TEST_F(Metadata, CreatesTopicsWithTheBrokersDefaults) {
  rig.engine.state.change_broker_config(NodeId(-1), "num.partitions", std::nullopt);
  EXPECT_EQ(error_of("fresh", true), 0);
  EXPECT_EQ(rig.engine.state.find("fresh")->partitions, 1);
  EXPECT_EQ(error_of("fresh"), 0);
  Response both = client.call<Response>(named({"x1", "x2"}, true), 9);
  EXPECT_EQ(both.topics[0].error_code + both.topics[1].error_code, 0);
}

TEST_F(Metadata, CreatesNothingThatIsNotAllowed) {
  EXPECT_EQ(error_of("nope", false), code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(error_of("", true), code(KafkaError::invalid_topic_exception));
  EXPECT_EQ(error_of("a b", true), code(KafkaError::invalid_topic_exception));
  EXPECT_EQ(error_of("..", true), code(KafkaError::invalid_topic_exception));
  EXPECT_EQ(error_of(std::string(250, 'x'), true), code(KafkaError::invalid_topic_exception));
  EXPECT_EQ(error_of("__consumer_offsets", true), code(KafkaError::unknown_topic_or_partition));
  rig.engine.state.add_topic("a.b", 1);
  EXPECT_EQ(error_of("a_b", true), code(KafkaError::invalid_topic_exception));
  EXPECT_EQ(rig.engine.state.topic_count(), 1u);
}

TEST(MetadataOptions, AutoCreationCanBeSwitchedOff) {
  Rig rig(handler_table(), {.given = {{"auto.create.topics.enable", "false"}}});
  auto client = rig.connect();
  Response response = client.call<Response>(named({"nope"}, true), 9);
  EXPECT_EQ(response.topics[0].error_code, code(KafkaError::unknown_topic_or_partition));
}

TEST(MetadataOptions, NumPartitionsGivenAtTheStartCounts) {
  Rig rig(handler_table(),
          {.given = {{"num.partitions", "7"}, {"default.replication.factor", "2"}}});
  auto client = rig.connect();
  Response response = client.call<Response>(named({"n"}, true), 9);
  EXPECT_EQ(response.topics[0].partitions.size(), 7u);
  EXPECT_EQ(response.topics[0].partitions[0].replica_nodes.size(), 2u);
}

TEST_F(Metadata, TopicsByIdAndUnknownIds) {
  const TopicId id = rig.engine.state.add_topic("t", 1);
  Request request;
  request.topics->push_back({.topic_id = id, .name = std::nullopt});
  TopicId other = id;
  other.bytes[4] = 0x55;
  request.topics->push_back({.topic_id = other, .name = std::nullopt});
  Response response = client.call<Response>(request, 12);
  EXPECT_EQ(response.topics[0].name, "t");
  EXPECT_EQ(response.topics[1].error_code, code(KafkaError::unknown_topic_id));
  EXPECT_FALSE(response.topics[1].name.has_value());
}

TEST_F(Metadata, ATopicNamedTwiceIsAnsweredOnce) {
  rig.engine.state.add_topic("t", 1);
  EXPECT_EQ(client.call<Response>(named({"t", "t"}), 9).topics.size(), 1u);
}

TEST_F(Metadata, LeadersAreInTheZoneOfTheClient) {
  rig.engine.state.add_broker(2, "a");
  rig.engine.state.add_broker(3, "b");
  rig.engine.state.add_topic("t", 20);
  const auto leaders = [&](const std::string& client_id) {
    auto other = rig.connect();
    other.client_id = client_id;
    std::set<std::int32_t> out;
    for (const auto& p : other.call<Response>(named({"t"}), 9).topics[0].partitions)
      out.insert(p.leader_id);
    return out;
  };
  EXPECT_EQ(leaders("app,zone=a"), (std::set<std::int32_t>{2}));
  EXPECT_EQ(leaders("ws_az=b"), (std::set<std::int32_t>{3}));
  EXPECT_GT(leaders("plain").size(), 1u);
  EXPECT_GT(leaders("zone=nowhere").size(), 1u) << "a hint never fails a request";
  Response response = client.call<Response>(named({"t"}), 9);
  EXPECT_EQ(response.brokers[1].rack, "a");
}

TEST_F(Metadata, TheReplicationFactorAskedForIsReported) {
  rig.engine.state.add_topic("t", 1);
  rig.engine.state.find("t")->replication_factor = 3;
  Response response = client.call<Response>(named({"t"}), 9);
  EXPECT_EQ(response.topics[0].partitions[0].replica_nodes.size(), 3u);
  EXPECT_EQ(response.topics[0].partitions[0].isr_nodes.size(), 3u);
}

TEST_F(Metadata, DescribeClusterShowsRacksAndTheControllerIsTheAnsweringBroker) {
  rig.engine.state.add_broker(2, "a");
  auto response = client.call<wire::DescribeClusterResponse>(wire::DescribeClusterRequest{}, 1);
  EXPECT_EQ(response.controller_id, 1);
  ASSERT_EQ(response.brokers.size(), 2u);
  EXPECT_EQ(response.brokers[1].rack, "a");
  response = client.call<wire::DescribeClusterResponse>(
      wire::DescribeClusterRequest{.endpoint_type = 2}, 1);
  EXPECT_EQ(response.error_code, code(KafkaError::mismatched_endpoint_type));
}

TEST_F(Metadata, FindCoordinatorForManyKeysAndEachType) {
  for (std::int8_t type : {0, 1}) {
    auto response = client.call<wire::FindCoordinatorResponse>(
        wire::FindCoordinatorRequest{.key_type = type, .coordinator_keys = {"a", "b"}}, 4);
    ASSERT_EQ(response.coordinators.size(), 2u);
    EXPECT_EQ(response.coordinators[1].key, "b");
    EXPECT_EQ(response.coordinators[1].node_id, 1);
    EXPECT_EQ(response.coordinators[1].host, "broker1");
  }
  auto old =
      client.call<wire::FindCoordinatorResponse>(wire::FindCoordinatorRequest{.key = "g"}, 0);
  EXPECT_EQ(old.error_code, 0);
  EXPECT_EQ(old.port, 9092);
  auto bad = client.call<wire::FindCoordinatorResponse>(
      wire::FindCoordinatorRequest{.key_type = 9, .coordinator_keys = {"a"}}, 4);
  EXPECT_EQ(bad.coordinators[0].error_code, code(KafkaError::invalid_request));
}

TEST_F(Metadata, DescribeTopicPartitionsPagesWithACursor) {
  rig.engine.state.add_topic("a", 3);
  rig.engine.state.add_topic("b", 3);
  wire::DescribeTopicPartitionsRequest request{.response_partition_limit = 2};
  std::vector<std::string> seen;
  for (int pages = 0; pages < 10; ++pages) {
    auto response = client.call<wire::DescribeTopicPartitionsResponse>(request, 0);
    for (const auto& topic : response.topics)
      for (const auto& p : topic.partitions)
        seen.push_back(*topic.name + std::to_string(p.partition_index));
    if (!response.next_cursor) break;
    request.cursor = {.topic_name = response.next_cursor->topic_name,
                      .partition_index = response.next_cursor->partition_index};
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"a0", "a1", "a2", "b0", "b1", "b2"}));
  auto unknown = client.call<wire::DescribeTopicPartitionsResponse>(
      wire::DescribeTopicPartitionsRequest{.topics = {{.name = "zz"}}}, 0);
  EXPECT_EQ(unknown.topics[0].error_code, code(KafkaError::unknown_topic_or_partition));
}

}  // namespace
}  // namespace weir::broker::handlers
