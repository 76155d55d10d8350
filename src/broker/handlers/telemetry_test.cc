// GetTelemetrySubscriptions and PushTelemetry, with subscriptions made through the config APIs.
#include <gtest/gtest.h>

#include "broker/handlers/handlers.h"
#include "broker/kafka_error.h"
#include "broker/telemetry/testing/otlp_writer.h"
#include "broker/testing/rig.h"
#include "codec/codec.h"
#include "wire/api_versions.h"
#include "wire/describe_configs.h"
#include "wire/get_telemetry_subscriptions.h"
#include "wire/incremental_alter_configs.h"
#include "wire/push_telemetry.h"

namespace weir::broker::handlers {
namespace {

using testing::RawClient;
using testing::Rig;
using Subscribed = wire::GetTelemetrySubscriptionsResponse;
using telemetry::testing::metric;
using telemetry::testing::metrics_data;

constexpr std::int8_t kClientMetrics = 16;

class Telemetry : public ::testing::Test {
 protected:
  std::int16_t set(std::string name, std::string key, std::optional<std::string> value) {
    wire::IncrementalAlterConfigsRequest request;
    request.resources.push_back(
        {.resource_type = kClientMetrics, .resource_name = std::move(name)});
    request.resources[0].configs.push_back(
        {.name = std::move(key),
         .config_operation = static_cast<std::int8_t>(value ? 0 : 1),
         .value = std::move(value)});
    auto response = client.call<wire::IncrementalAlterConfigsResponse>(request, 1);
    message = response.responses.at(0).error_message.value_or("");
    return response.responses.at(0).error_code;
  }
  Subscribed ask(Uuid instance = {}) {
    wire::GetTelemetrySubscriptionsRequest request{.client_instance_id = instance};
    return client.call<Subscribed>(request, 0);
  }
  std::int16_t push(const Subscribed& to, const std::string& content,
                    codec::Codec codec = codec::Codec::none, bool terminating = false) {
    wire::PushTelemetryRequest request{.client_instance_id = to.client_instance_id,
                                       .subscription_id = to.subscription_id,
                                       .terminating = terminating,
                                       .compression_type = static_cast<std::int8_t>(codec)};
    request.metrics = SharedBytes::copy_of(codec::compress(codec, as_bytes(content))->data());
    return client.call<wire::PushTelemetryResponse>(request, 0).error_code;
  }
  bool shows(std::string_view part) { return rig.metrics.render().find(part) != std::string::npos; }

  Rig rig{handler_table(), {.given = {{"telemetry.max.bytes", "100000"}}}};
  RawClient client = rig.connect();
  std::string message;
};

TEST_F(Telemetry, WithoutSubscriptionsNothingIsAskedFor) {
  const Subscribed answer = ask();
  EXPECT_EQ(answer.error_code, 0);
  EXPECT_FALSE(answer.client_instance_id.is_nil());
  EXPECT_TRUE(answer.requested_metrics.empty());
  EXPECT_EQ(answer.push_interval_ms, 300'000);
  EXPECT_EQ(answer.telemetry_max_bytes, 100'000);
  EXPECT_EQ(answer.accepted_compression_types, (std::vector<std::int8_t>{4, 3, 1, 2}));
  EXPECT_TRUE(answer.delta_temporality);
}

TEST_F(Telemetry, TheUnionOfMatchingSubscriptionsIsAskedForAtTheShortestInterval) {
  EXPECT_EQ(set("a", "metrics", "one.,two."), 0);
  EXPECT_EQ(set("a", "interval.ms", "20000"), 0);
  EXPECT_EQ(set("b", "metrics", "two.,three."), 0);
  EXPECT_EQ(set("b", "interval.ms", "5000"), 0);
  EXPECT_EQ(set("c", "metrics", "four."), 0);
  EXPECT_EQ(set("c", "match", "client_id=other"), 0);
  const Subscribed answer = ask();
  EXPECT_EQ(answer.requested_metrics, (std::vector<std::string>{"one.", "three.", "two."}));
  EXPECT_EQ(answer.push_interval_ms, 5'000);
  client.client_id = "other";
  EXPECT_EQ(ask().requested_metrics, (std::vector<std::string>{"four.", "one.", "three.", "two."}));
  EXPECT_EQ(set("c", "metrics", "*"), 0);
  EXPECT_EQ(ask().requested_metrics, std::vector<std::string>{"*"});
  EXPECT_EQ(set("b", "metrics", std::nullopt), 0);
  EXPECT_EQ(set("b", "interval.ms", std::nullopt), 0);
  EXPECT_EQ(ask().push_interval_ms, 20'000) << "without any config a subscription is gone";
}

TEST_F(Telemetry, PushedMetricsAreShownWhateverTheirCodec) {
  EXPECT_EQ(set("a", "metrics", "*"), 0);
  EXPECT_EQ(set("a", "interval.ms", "1000"), 0);
  for (codec::Codec codec : {codec::Codec::none, codec::Codec::gzip, codec::Codec::snappy,
                             codec::Codec::lz4, codec::Codec::zstd}) {
    const std::string name = "m." + std::string(codec::to_string(codec));
    EXPECT_EQ(push(ask(), metrics_data(metric(name, 4.25)), codec), 0) << name;
    EXPECT_TRUE(shows("metric=\"" + name + "\"} 4.25\n")) << rig.metrics.render();
  }
  EXPECT_TRUE(shows("client_id=\"test\""));
}

TEST_F(Telemetry, AnOutdatedSubscriptionMustBeAskedForAgain) {
  const Subscribed old = ask();
  EXPECT_EQ(set("a", "metrics", "x."), 0);
  EXPECT_EQ(push(old, ""), code(KafkaError::unknown_subscription_id));
  const Subscribed fresh = ask(old.client_instance_id);
  EXPECT_EQ(fresh.error_code, 0) << "at once";
  EXPECT_EQ(fresh.client_instance_id, old.client_instance_id);
  EXPECT_NE(fresh.subscription_id, old.subscription_id);
  EXPECT_EQ(push(fresh, metrics_data(metric("x.y", 1))), 0);
}

TEST_F(Telemetry, WhatCannotBeTakenIsRefused) {
  const auto refused = [&](KafkaError error, std::int16_t answer) {
    EXPECT_EQ(answer, code(error));
  };
  refused(KafkaError::invalid_record, push(ask(), "no message"));
  refused(KafkaError::telemetry_too_large, push(ask(), std::string(100'001, 'x')));
  const Subscribed odd = ask();
  wire::PushTelemetryRequest unknown{.client_instance_id = odd.client_instance_id,
                                     .subscription_id = odd.subscription_id,
                                     .compression_type = 9};
  refused(KafkaError::unsupported_compression_type,
          client.call<wire::PushTelemetryResponse>(unknown, 0).error_code);
  refused(KafkaError::invalid_request, push(Subscribed(), ""));
  const Subscribed to = ask();
  EXPECT_EQ(push(to, ""), 0);
  refused(KafkaError::throttling_quota_exceeded, push(to, ""));
  refused(KafkaError::throttling_quota_exceeded, ask(to.client_instance_id).error_code);
  EXPECT_EQ(push(to, "", codec::Codec::none, true), 0);
  refused(KafkaError::invalid_request, push(to, "", codec::Codec::none, true));
}

TEST_F(Telemetry, ABombIsRefusedWithinTheLimit) {
  const std::string bomb(kTelemetryPlainBytesMax + 1, '\0');
  EXPECT_EQ(push(ask(), bomb, codec::Codec::zstd), code(KafkaError::telemetry_too_large));
}

TEST_F(Telemetry, SubscriptionsAreCheckedAndDescribed) {
  EXPECT_EQ(set("s", "interval.ms", "5"), code(KafkaError::invalid_request));
  EXPECT_NE(message.find("interval.ms"), std::string::npos);
  EXPECT_EQ(set("s", "colour", "red"), code(KafkaError::invalid_request));
  EXPECT_EQ(message, "Unknown client metrics configuration: colour");
  EXPECT_EQ(set("s", "match", "foo"), code(KafkaError::invalid_config));
  EXPECT_NE(message.find("Illegal client matching pattern: foo"), std::string::npos);
  EXPECT_EQ(set("", "metrics", "*"), code(KafkaError::invalid_request));
  const auto describe = [&](std::string name) {
    wire::DescribeConfigsRequest request{.include_synonyms = true};
    request.resources.push_back({.resource_type = kClientMetrics,
                                 .resource_name = std::move(name),
                                 .configuration_keys = std::nullopt});
    return client.call<wire::DescribeConfigsResponse>(request, 4).results.at(0);
  };
  EXPECT_TRUE(describe("s").configs.empty());
  EXPECT_EQ(set("s", "metrics", "*"), 0);
  const auto found = describe("s");
  EXPECT_EQ(found.error_code, 0);
  ASSERT_EQ(found.configs.size(), 3u);
  EXPECT_EQ(found.configs[0].value, "300000");
  EXPECT_EQ(found.configs[0].config_source, 5);
  EXPECT_EQ(found.configs[2].name, "metrics");
  EXPECT_EQ(found.configs[2].config_source, 7);
}

}  // namespace
}  // namespace weir::broker::handlers
