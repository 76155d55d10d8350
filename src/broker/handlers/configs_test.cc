// DescribeConfigs, AlterConfigs, IncrementalAlterConfigs.
#include <gtest/gtest.h>

#include "broker/handlers/handlers.h"
#include "broker/kafka_error.h"
#include "broker/testing/rig.h"
#include "wire/alter_configs.h"
#include "wire/describe_configs.h"
#include "wire/incremental_alter_configs.h"

namespace weir::broker::handlers {
namespace {

using testing::RawClient;
using testing::Rig;
using Described = wire::DescribeConfigsResponse;
using Row = Described::DescribeConfigsResourceResult;

constexpr std::int8_t kTopic = 2;
constexpr std::int8_t kBroker = 4;
enum Op : std::int8_t { kSet, kDelete, kAppend, kSubtract };

class Configs : public ::testing::Test {
 protected:
  Rig rig{handler_table(), {.given = {{"log.retention.bytes", "5000"}}}};
  TopicId topic = rig.engine.state.add_topic("t", 1, {{"max.message.bytes", "777"}});
  RawClient client = rig.connect();

  Described::DescribeConfigsResult describe(std::int8_t type, std::string name,
                                            std::optional<std::vector<std::string>> keys = {}) {
    wire::DescribeConfigsRequest request{.include_synonyms = true, .include_documentation = true};
    request.resources.push_back({.resource_type = type,
                                 .resource_name = std::move(name),
                                 .configuration_keys = std::move(keys)});
    return client.call<Described>(request, 4).results.at(0);
  }
  Row row(std::int8_t type, std::string name, std::string key) {
    auto result = describe(type, std::move(name), std::vector{key});
    EXPECT_EQ(result.configs.size(), 1u) << key;
    return result.configs.empty() ? Row() : result.configs[0];
  }
  std::int16_t alter(std::int8_t type, std::string name, std::string key, Op op,
                     std::optional<std::string> value, bool validate = false) {
    wire::IncrementalAlterConfigsRequest request{.validate_only = validate};
    request.resources.push_back({.resource_type = type, .resource_name = std::move(name)});
    request.resources[0].configs.push_back(
        {.name = std::move(key), .config_operation = op, .value = std::move(value)});
    auto response = client.call<wire::IncrementalAlterConfigsResponse>(request, 1);
    message = response.responses.at(0).error_message.value_or("");
    return response.responses.at(0).error_code;
  }
  const std::string* set(const char* key) {
    return state::find_config(rig.engine.state.find("t")->configs, key);
  }
  std::string message;
};

TEST_F(Configs, DescribeListsEveryTopicConfigWithItsSource) {
  auto result = describe(kTopic, "t");
  EXPECT_EQ(result.error_code, 0);
  EXPECT_EQ(result.configs.size(), 38u);
  Row own = row(kTopic, "t", "max.message.bytes");
  EXPECT_EQ(own.value, "777");
  EXPECT_EQ(own.config_source, 1);
  EXPECT_EQ(own.config_type, 3);
  EXPECT_FALSE(own.read_only);
  EXPECT_TRUE(own.documentation.has_value());
  ASSERT_EQ(own.synonyms.size(), 2u);
  EXPECT_EQ(own.synonyms[0].name, "max.message.bytes");
  EXPECT_EQ(own.synonyms[1].name, "message.max.bytes");
  EXPECT_EQ(own.synonyms[1].source, 5);
  Row given = row(kTopic, "t", "retention.bytes");
  EXPECT_EQ(given.value, "5000");
  EXPECT_EQ(given.config_source, 4) << "given at the start of the broker";
  Row plain = row(kTopic, "t", "retention.ms");
  EXPECT_EQ(plain.value, "604800000");
  EXPECT_EQ(plain.config_source, 5);
  EXPECT_TRUE(plain.synonyms.empty());
}

TEST_F(Configs, DescribeListsEveryBrokerConfig) {
  auto result = describe(kBroker, "1");
  EXPECT_EQ(result.configs.size(), 350u);
  Row fixed = row(kBroker, "1", "num.partitions");
  EXPECT_EQ(fixed.value, "1");
  EXPECT_TRUE(fixed.read_only);
  EXPECT_EQ(fixed.config_source, 5);
  Row id = row(kBroker, "1", "node.id");
  EXPECT_EQ(id.config_source, 4);
  EXPECT_EQ(id.value, "1");
  EXPECT_TRUE(row(kBroker, "1", "ssl.key.password").is_sensitive);
  EXPECT_TRUE(describe(kBroker, "").configs.empty()) << "nothing is set for all brokers";
  EXPECT_EQ(describe(kBroker, "9").error_code, code(KafkaError::invalid_request));
  EXPECT_EQ(describe(kTopic, "zz").error_code, code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(describe(77, "x").error_code, code(KafkaError::invalid_request));
}

TEST_F(Configs, SetAndDelete) {
  EXPECT_EQ(alter(kTopic, "t", "retention.ms", kSet, "60000"), 0);
  EXPECT_EQ(*set("retention.ms"), "60000");
  EXPECT_EQ(row(kTopic, "t", "retention.ms").value, "60000");
  EXPECT_EQ(alter(kTopic, "t", "retention.ms", kDelete, std::nullopt), 0);
  EXPECT_EQ(set("retention.ms"), nullptr);
  EXPECT_EQ(*set("max.message.bytes"), "777") << "others stay";
}

TEST_F(Configs, AppendAndSubtractOnLists) {
  EXPECT_EQ(alter(kTopic, "t", "cleanup.policy", kAppend, "compact"), 0);
  EXPECT_EQ(*set("cleanup.policy"), "delete,compact") << "appended to the default";
  EXPECT_EQ(alter(kTopic, "t", "cleanup.policy", kAppend, "compact"), 0);
  EXPECT_EQ(*set("cleanup.policy"), "delete,compact");
  EXPECT_EQ(alter(kTopic, "t", "cleanup.policy", kSubtract, "delete"), 0);
  EXPECT_EQ(*set("cleanup.policy"), "compact");
  EXPECT_EQ(alter(kTopic, "t", "retention.ms", kAppend, "1"), code(KafkaError::invalid_config));
}

TEST_F(Configs, ErrorsNameTheKey) {
  EXPECT_EQ(alter(kTopic, "t", "retention.ms", kSet, "-5"), code(KafkaError::invalid_config));
  EXPECT_NE(message.find("retention.ms"), std::string::npos);
  EXPECT_EQ(alter(kTopic, "t", "no.such", kSet, "1"), code(KafkaError::invalid_config));
  EXPECT_NE(message.find("no.such"), std::string::npos);
  EXPECT_EQ(alter(kTopic, "t", "retention.ms", kSet, std::nullopt),
            code(KafkaError::invalid_request));
  EXPECT_EQ(alter(kTopic, "zz", "retention.ms", kSet, "1"),
            code(KafkaError::unknown_topic_or_partition));
  EXPECT_EQ(alter(kBroker, "1", "num.partitions", kSet, "3"), code(KafkaError::invalid_request));
  EXPECT_NE(message.find("num.partitions"), std::string::npos);
  EXPECT_EQ(alter(kBroker, "1", "log.retention.ms", kSet, "x"), code(KafkaError::invalid_request));
  EXPECT_EQ(alter(kBroker, "", "ssl.keystore.location", kSet, "/x"),
            code(KafkaError::invalid_request));
}

TEST_F(Configs, BrokerConfigsAreTheDefaultsOfTopics) {
  EXPECT_EQ(alter(kBroker, "", "log.retention.ms", kSet, "1000"), 0);
  Row changed = row(kTopic, "t", "retention.ms");
  EXPECT_EQ(changed.value, "1000");
  EXPECT_EQ(changed.config_source, 3);
  EXPECT_EQ(alter(kBroker, "1", "log.retention.ms", kSet, "2000"), 0);
  EXPECT_EQ(row(kTopic, "t", "retention.ms").value, "2000");
  EXPECT_EQ(row(kBroker, "1", "log.retention.ms").config_source, 2);
  EXPECT_EQ(describe(kBroker, "").configs.size(), 1u);
}

TEST_F(Configs, ValidateOnlyChangesNothing) {
  EXPECT_EQ(alter(kTopic, "t", "retention.ms", kSet, "60000", true), 0);
  EXPECT_EQ(set("retention.ms"), nullptr);
  EXPECT_EQ(alter(kTopic, "t", "retention.ms", kSet, "x", true), code(KafkaError::invalid_config));
}

TEST_F(Configs, AChangeInBetweenIsNotLost) {
  int raced = 0;
  rig.engine.before_alter = [&] {
    if (raced++ > 0) return;
    auto* info = rig.engine.state.find("t");
    testing::FakeCatalog::change(info->configs, "cleanup.policy", "compact");
    ++info->config_version;
  };
  EXPECT_EQ(alter(kTopic, "t", "cleanup.policy", kAppend, "delete"), 0);
  EXPECT_EQ(raced, 2);
  EXPECT_EQ(*set("cleanup.policy"), "compact,delete") << "computed again from the newer value";
}

TEST_F(Configs, EndlessRacesEndRetriably) {
  rig.engine.before_alter = [&] { ++rig.engine.state.find("t")->config_version; };
  EXPECT_EQ(alter(kTopic, "t", "retention.ms", kSet, "1"), code(KafkaError::request_timed_out));
}

TEST_F(Configs, AlterConfigsReplacesAll) {
  wire::AlterConfigsRequest request;
  request.resources.push_back({.resource_type = kTopic, .resource_name = "t"});
  request.resources[0].configs.push_back({.name = "retention.ms", .value = "5"});
  EXPECT_EQ(client.call<wire::AlterConfigsResponse>(request, 2).responses.at(0).error_code, 0);
  EXPECT_EQ(*set("retention.ms"), "5");
  EXPECT_EQ(set("max.message.bytes"), nullptr);
}

TEST_F(Configs, RepeatedKeysAndResourcesAreInvalid) {
  wire::IncrementalAlterConfigsRequest request;
  request.resources.push_back({.resource_type = kTopic, .resource_name = "t"});
  request.resources[0].configs = {{.name = "retention.ms", .value = "1"},
                                  {.name = "retention.ms", .value = "2"}};
  auto response = client.call<wire::IncrementalAlterConfigsResponse>(request, 1);
  EXPECT_EQ(response.responses[0].error_code, code(KafkaError::invalid_request));
  request.resources[0].configs.pop_back();
  request.resources.push_back(request.resources[0]);
  response = client.call<wire::IncrementalAlterConfigsResponse>(request, 1);
  EXPECT_EQ(response.responses[0].error_code, code(KafkaError::invalid_request));
  EXPECT_EQ(response.responses[1].error_code, code(KafkaError::invalid_request));
  request.resources.pop_back();
  request.resources[0].configs[0].config_operation = 9;
  response = client.call<wire::IncrementalAlterConfigsResponse>(request, 1);
  EXPECT_EQ(response.responses[0].error_code, code(KafkaError::invalid_request));
}

}  // namespace
}  // namespace weir::broker::handlers
