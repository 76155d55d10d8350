// CreateTopics, CreatePartitions, DeleteTopics, DeleteRecords, DescribeLogDirs.
#include <gtest/gtest.h>

#include "broker/handlers/handlers.h"
#include "broker/kafka_error.h"
#include "broker/testing/rig.h"
#include "wire/create_partitions.h"
#include "wire/create_topics.h"
#include "wire/delete_records.h"
#include "wire/delete_topics.h"
#include "wire/describe_log_dirs.h"

namespace weir::broker::handlers {
namespace {

using testing::RawClient;
using testing::Rig;
using Create = wire::CreateTopicsRequest;
using Created = wire::CreateTopicsResponse;

Create::CreatableTopic topic_of(std::string name, std::int32_t partitions = 1,
                                std::int16_t replication = 1) {
  return {.name = std::move(name), .num_partitions = partitions, .replication_factor = replication};
}

class Topics : public ::testing::Test {
 protected:
  Rig rig{handler_table()};
  RawClient client = rig.connect();

  std::int16_t create(Create::CreatableTopic topic) {
    Create request;
    request.topics.push_back(std::move(topic));
    return client.call<Created>(request, 7).topics.at(0).error_code;
  }
};

TEST_F(Topics, CreateAnswersTheEffectiveConfigsInEveryVersion) {
  for (std::int16_t v = Create::kVersionMin; v <= Create::kVersionMax; ++v) {
    Create request;
    request.topics.push_back(topic_of("t" + std::to_string(v), -1, -1));
    request.topics[0].configs.push_back({.name = "retention.ms", .value = "1234"});
    Created response = client.call<Created>(request, v);
    const auto& row = response.topics.at(0);
    EXPECT_EQ(row.error_code, 0);
    EXPECT_FALSE(row.error_message.has_value());
    if (v < 5) continue;
    EXPECT_EQ(row.num_partitions, 1);
    EXPECT_EQ(row.replication_factor, 1);
    ASSERT_TRUE(row.configs.has_value());
    const auto at =
        std::ranges::find(*row.configs, "retention.ms", &Created::CreatableTopicConfigs::name);
    ASSERT_NE(at, row.configs->end());
    EXPECT_EQ(at->value, "1234");
    EXPECT_EQ(at->config_source, 1);
    if (v >= 7) {
      EXPECT_EQ(row.topic_id, rig.engine.state.find("t" + std::to_string(v))->id);
    }
  }
}

TEST_F(Topics, NamesAreChecked) {
  for (std::string name : {"", ".", "..", "a b", "a/b"})
    EXPECT_EQ(create(topic_of(name)), code(KafkaError::invalid_topic_exception)) << name;
  EXPECT_EQ(create(topic_of(std::string(250, 'a'))), code(KafkaError::invalid_topic_exception));
  EXPECT_EQ(create(topic_of("__consumer_offsets")), code(KafkaError::invalid_topic_exception));
  EXPECT_EQ(create(topic_of("__transaction_state")), code(KafkaError::invalid_topic_exception));
}

TEST_F(Topics, CountsAreChecked) {
  EXPECT_EQ(create(topic_of("p", 0)), code(KafkaError::invalid_partitions));
  EXPECT_EQ(create(topic_of("p", -2)), code(KafkaError::invalid_partitions));
  EXPECT_EQ(create(topic_of("r", 1, 0)), code(KafkaError::invalid_replication_factor));
  EXPECT_EQ(create(topic_of("r3", 1, 3)), 0) << "any factor from 1 is accepted";
}

TEST_F(Topics, ConfigsAreCheckedAndTheKeyIsNamed) {
  const auto with = [&](std::string key, std::optional<std::string> value) {
    Create request;
    request.topics.push_back(topic_of("c"));
    request.topics[0].configs.push_back({.name = std::move(key), .value = std::move(value)});
    return client.call<Created>(request, 7).topics.at(0);
  };
  auto row = with("no.such.key", "1");
  EXPECT_EQ(row.error_code, code(KafkaError::invalid_config));
  EXPECT_NE(row.error_message->find("no.such.key"), std::string::npos);
  row = with("retention.ms", "soon");
  EXPECT_EQ(row.error_code, code(KafkaError::invalid_config));
  EXPECT_NE(row.error_message->find("retention.ms"), std::string::npos);
  EXPECT_EQ(with("cleanup.policy", "compact,purge").error_code, code(KafkaError::invalid_config));
  EXPECT_EQ(with("retention.ms", std::nullopt).error_code, code(KafkaError::invalid_config));
  EXPECT_EQ(rig.engine.state.topic_count(), 0u);
  EXPECT_EQ(with("cleanup.policy", "compact,delete").error_code, 0);
}

TEST_F(Topics, ExistingCollidingAndRepeatedNames) {
  EXPECT_EQ(create(topic_of("t")), 0);
  EXPECT_EQ(create(topic_of("t")), code(KafkaError::topic_already_exists));
  Create request;
  for (const char* name : {"x", "y.z", "x", "y_z"}) request.topics.push_back(topic_of(name));
  Created response = client.call<Created>(request, 7);
  EXPECT_EQ(response.topics[0].error_code, code(KafkaError::invalid_request));
  EXPECT_EQ(response.topics[1].error_code, 0);
  EXPECT_EQ(response.topics[2].error_code, code(KafkaError::invalid_request));
  EXPECT_EQ(response.topics[3].error_code, code(KafkaError::invalid_topic_exception));
}

TEST_F(Topics, ManualAssignmentsSayHowManyAndNothingElse) {
  auto topic = topic_of("m", -1, -1);
  topic.assignments = {{0, {1, 2}}, {1, {2, 1}}};
  EXPECT_EQ(create(topic), 0);
  EXPECT_EQ(rig.engine.state.find("m")->partitions, 2);
  EXPECT_EQ(rig.engine.state.find("m")->replication_factor, 2);
  topic.name = "n";
  topic.num_partitions = 2;
  EXPECT_EQ(create(topic), code(KafkaError::invalid_request));
  topic.num_partitions = -1;
  topic.assignments = {{0, {1}}, {2, {1}}};
  EXPECT_EQ(create(topic), code(KafkaError::invalid_replica_assignment));
  topic.assignments = {{0, {1, 1}}};
  EXPECT_EQ(create(topic), code(KafkaError::invalid_replica_assignment));
  topic.assignments = {{0, {}}};
  EXPECT_EQ(create(topic), code(KafkaError::invalid_replica_assignment));
}

TEST_F(Topics, ValidateOnlyChecksEverythingAndMakesNothing) {
  rig.engine.state.add_topic("a.b", 1);
  Create request{.validate_only = true};
  for (const char* name : {"fine", "a.b", "a_b"}) request.topics.push_back(topic_of(name));
  Created response = client.call<Created>(request, 7);
  EXPECT_EQ(response.topics[0].error_code, 0);
  EXPECT_EQ(response.topics[1].error_code, code(KafkaError::topic_already_exists));
  EXPECT_EQ(response.topics[2].error_code, code(KafkaError::invalid_topic_exception));
  EXPECT_EQ(rig.engine.state.topic_count(), 1u);
  EXPECT_EQ(rig.engine.barriers, 1);
}

TEST_F(Topics, FifteenThousandTopicsInOneRequest) {
  Create request;
  for (int i = 0; i < 15'000; ++i) request.topics.push_back(topic_of("t" + std::to_string(i)));
  Created response = client.call<Created>(request, 7);
  ASSERT_EQ(response.topics.size(), 15'000u);
  for (const auto& row : response.topics) ASSERT_EQ(row.error_code, 0);
  EXPECT_EQ(rig.engine.state.topic_count(), 15'000u);
}

TEST_F(Topics, PipelinedCreationsShareCommits) {
  rig.engine.held = true;
  for (int i = 0; i < 200; ++i) {
    Create request;
    request.topics.push_back(topic_of("t" + std::to_string(i)));
    client.send(request, 4);
  }
  rig.world.run_for(1s);
  EXPECT_EQ(rig.engine.state.topic_count(), 200u) << "all wait for their commit at once";
  rig.engine.release();
  for (int i = 0; i < 200; ++i) EXPECT_EQ(client.receive<Created>(4).topics[0].error_code, 0);
}

TEST_F(Topics, AStoreFailureIsRetriable) {
  rig.engine.failure = ErrorCode::unavailable;
  EXPECT_EQ(create(topic_of("t")), code(KafkaError::request_timed_out));
}

TEST_F(Topics, DeleteByNameAndByIdAndUnknownOnes) {
  rig.engine.state.add_topic("a", 1);
  const TopicId b = rig.engine.state.add_topic("b", 1);
  wire::DeleteTopicsRequest request{.timeout_ms = 1000};
  TopicId other = b;
  other.bytes[2] = 3;
  request.topics = {{.name = "a"}, {.topic_id = b}, {.name = "zz"}, {.topic_id = other}, {}};
  auto response = client.call<wire::DeleteTopicsResponse>(request, 6);
  ASSERT_EQ(response.responses.size(), 5u);
  EXPECT_EQ(response.responses[0].error_code, 0);
  EXPECT_EQ(response.responses[1].error_code, 0);
  EXPECT_EQ(response.responses[1].name, "b");
  EXPECT_EQ(response.responses[2].error_code, code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(response.responses[3].error_code, code(KafkaError::unknown_topic_id));
  EXPECT_EQ(response.responses[4].error_code, code(KafkaError::invalid_request));
  EXPECT_EQ(rig.engine.state.topic_count(), 0u);
  EXPECT_EQ(rig.engine.barriers, 1);
}

TEST_F(Topics, DeleteInOldVersionsAndATopicNamedTwice) {
  rig.engine.state.add_topic("a", 1);
  wire::DeleteTopicsRequest request{.topic_names = {"a", "a"}, .timeout_ms = 1000};
  auto response = client.call<wire::DeleteTopicsResponse>(request, 1);
  EXPECT_EQ(response.responses[0].error_code, code(KafkaError::invalid_request));
  EXPECT_EQ(response.responses[1].error_code, code(KafkaError::invalid_request));
  request.topic_names.pop_back();
  EXPECT_EQ(client.call<wire::DeleteTopicsResponse>(request, 5).responses[0].error_code, 0);
}

TEST(TopicOptions, DeletionCanBeDisabled) {
  Rig rig(handler_table(), {.given = {{"delete.topic.enable", "false"}}});
  rig.engine.state.add_topic("a", 1);
  auto client = rig.connect();
  wire::DeleteTopicsRequest request{.topic_names = {"a"}, .timeout_ms = 1000};
  EXPECT_EQ(client.call<wire::DeleteTopicsResponse>(request, 5).responses[0].error_code,
            code(KafkaError::topic_deletion_disabled));
}

TEST_F(Topics, PartitionsOnlyGrow) {
  const TopicId id = rig.engine.state.add_topic("t", 3);
  const auto grow = [&](std::string name, std::int32_t count, bool validate = false) {
    wire::CreatePartitionsRequest request{.timeout_ms = 1000, .validate_only = validate};
    request.topics.push_back(
        {.name = std::move(name), .count = count, .assignments = std::nullopt});
    return client.call<wire::CreatePartitionsResponse>(request, 3).results.at(0).error_code;
  };
  EXPECT_EQ(grow("t", 2), code(KafkaError::invalid_partitions));
  EXPECT_EQ(grow("t", 3), code(KafkaError::invalid_partitions));
  EXPECT_EQ(grow("zz", 3), code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(grow("t", 5, true), 0);
  EXPECT_EQ(rig.engine.state.find(id)->partitions, 3);
  EXPECT_EQ(grow("t", 5), 0);
  EXPECT_EQ(rig.engine.state.find(id)->partitions, 5);
}

TEST_F(Topics, AssignmentsMustNameTheNewPartitions) {
  rig.engine.state.add_topic("t", 1);
  wire::CreatePartitionsRequest request{.timeout_ms = 1000};
  request.topics.push_back({.name = "t", .count = 3});
  request.topics[0].assignments = {{{.broker_ids = {1}}}};
  EXPECT_EQ(client.call<wire::CreatePartitionsResponse>(request, 3).results.at(0).error_code,
            code(KafkaError::invalid_replica_assignment));
  request.topics[0].assignments->push_back({.broker_ids = {1}});
  EXPECT_EQ(client.call<wire::CreatePartitionsResponse>(request, 3).results.at(0).error_code, 0);
}

TEST_F(Topics, DeleteRecordsMovesTheStart) {
  const TopicId id = rig.engine.state.add_topic("t", 1);
  rig.engine.state.add_topic("kv", 1, {{"cleanup.policy", "compact"}});
  *rig.engine.state.log({id, PartitionIndex(0)}) = {.end = Offset(10), .last_stable = Offset(10)};
  const auto remove = [&](std::string name, std::int32_t partition, std::int64_t offset) {
    wire::DeleteRecordsRequest request{.timeout_ms = 1000};
    request.topics.push_back({.name = std::move(name), .partitions = {{partition, offset}}});
    return client.call<wire::DeleteRecordsResponse>(request, 2).topics.at(0).partitions.at(0);
  };
  EXPECT_EQ(remove("t", 0, 4).low_watermark, 4);
  EXPECT_EQ(remove("t", 0, 11).error_code, code(KafkaError::offset_out_of_range));
  EXPECT_EQ(remove("t", 0, -2).error_code, code(KafkaError::offset_out_of_range));
  EXPECT_EQ(remove("t", 0, 11).low_watermark, -1);
  EXPECT_EQ(remove("t", 0, -1).low_watermark, 10) << "-1 is the high watermark";
  EXPECT_EQ(remove("t", 7, 0).error_code, code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(remove("zz", 0, 0).error_code, code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(remove("kv", 0, 0).error_code, code(KafkaError::policy_violation));
}

TEST_F(Topics, DescribeLogDirsGivesRealSizes) {
  const TopicId id = rig.engine.state.add_topic("t", 2);
  rig.engine.state.log({id, PartitionIndex(1)})->bytes = 4711;
  wire::DescribeLogDirsRequest request;
  request.topics.reset();
  auto response = client.call<wire::DescribeLogDirsResponse>(request, 4);
  ASSERT_EQ(response.results.size(), 1u);
  EXPECT_EQ(response.results[0].topics.at(0).partitions.at(1).partition_size, 4711);
  request.topics = {{.topic = "t", .partitions = {1, 9}}, {.topic = "zz", .partitions = {0}}};
  response = client.call<wire::DescribeLogDirsResponse>(request, 1);
  EXPECT_EQ(response.results[0].topics.size(), 1u);
  EXPECT_EQ(response.results[0].topics[0].partitions.size(), 1u);
}

}  // namespace
}  // namespace weir::broker::handlers
