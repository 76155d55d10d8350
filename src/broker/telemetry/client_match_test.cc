#include "broker/telemetry/client_match.h"

#include <gtest/gtest.h>

#include "broker/limits.h"

namespace weir::broker::telemetry {
namespace {

const ClientTraits kClient{.client_id = "billing-7",
                           .client_software_name = "apache-kafka-java",
                           .client_source_port = "4711"};

bool matches(const std::vector<std::string>& patterns) {
  Result<ClientMatch> match = ClientMatch::parse(patterns);
  EXPECT_TRUE(match) << match.error().message;
  return match && match->matches(kClient);
}

TEST(ClientMatch, AllRulesMustMatchTheWholeValue) {
  EXPECT_TRUE(matches({}));
  EXPECT_TRUE(matches({"client_id=billing-\\d", "client_software_name=apache.*"}));
  EXPECT_FALSE(matches({"client_id=billing"}));
  EXPECT_FALSE(matches({"client_id=billing.*", "client_source_port=1"}));
  EXPECT_TRUE(matches({"client_instance_id="}));
  EXPECT_FALSE(matches({"client_id=a=b"}));
}

TEST(ClientMatch, WhatIsNoRuleIsRefusedWithKafkasWords) {
  std::vector<std::string> many(kTelemetryMatchRulesMax + 1, "client_id=a");
  for (const std::vector<std::string>& bad :
       {std::vector<std::string>{"foo"}, {"colour=red"}, {"client_id=("}, {"=x"}, many}) {
    Result<ClientMatch> match = ClientMatch::parse(bad);
    ASSERT_FALSE(match) << bad.front();
    EXPECT_EQ(match.error().message, "Illegal client matching pattern: " + bad.front());
  }
}

}  // namespace
}  // namespace weir::broker::telemetry
