#include <gtest/gtest.h>

#include "broker/handlers/handlers.h"
#include "broker/kafka_error.h"
#include "broker/testing/rig.h"
#include "wire/api_versions.h"

namespace weir::broker::handlers {
namespace {

using testing::Rig;
using Request = wire::ApiVersionsRequest;
using Response = wire::ApiVersionsResponse;

Request request() { return {.client_software_name = "test", .client_software_version = "1.0"}; }

TEST(ApiVersions, AdvertisesExactlyWhatTheTableServes) {
  Rig rig(handler_table());
  auto client = rig.connect();
  for (std::int16_t v = Request::kVersionMin; v <= Request::kVersionMax; ++v) {
    Response response = client.call<Response>(request(), v);
    EXPECT_EQ(response.error_code, 0);
    ASSERT_EQ(response.api_keys.size(), handler_table().rows.size());
    for (std::size_t i = 0; i < response.api_keys.size(); ++i)
      EXPECT_EQ(response.api_keys[i].api_key, handler_table().rows[i].key);
  }
}

TEST(ApiVersions, ListsProduceFromZeroThoughItIsRefused) {
  Rig rig(handler_table());
  auto client = rig.connect();
  Response response = client.call<Response>(request(), 3);
  EXPECT_EQ(response.api_keys[0].api_key, 0);
  EXPECT_EQ(response.api_keys[0].min_version, 0);
  EXPECT_EQ(response.api_keys[0].max_version, 13);
  client.send(std::string_view("\0\0\0\x0a\0\0\0\2\0\0\0\1\0\0", 14));
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(rig.log.count("unsupported version 2 of Produce"), 1u);
}

TEST(ApiVersions, AVersionAboveOursIsAnsweredInVersionZeroWithItsOneRow) {
  Rig rig(handler_table());
  auto client = rig.connect();
  // Key 18, version 99, correlation 7, client id "x", empty tags, and a body of another world.
  client.send(std::string_view("\0\0\0\x0f\0\x12\0\x63\0\0\0\7\0\1x\0\xff\xff\xff", 19));
  auto frame = client.next_frame();
  ASSERT_TRUE(frame);
  serial::Reader reader(*frame);
  EXPECT_EQ(reader.int32("correlation"), 7);
  Response response;
  ASSERT_TRUE(decode(response, reader, 0));
  EXPECT_EQ(response.error_code, code(KafkaError::unsupported_version));
  ASSERT_EQ(response.api_keys.size(), 1u);
  EXPECT_EQ(response.api_keys[0].api_key, 18);
  EXPECT_EQ(response.api_keys[0].max_version, Request::kVersionMax);
  // The connection stays.
  EXPECT_EQ(client.call<Response>(request(), 3).error_code, 0);
}

TEST(ApiVersions, AdvertisesTheFeaturesWhoseApisAreServed) {
  Rig rig(handler_table());
  auto client = rig.connect();
  EXPECT_TRUE(client.call<Response>(request(), 2).supported_features.empty());
  Response response = client.call<Response>(request(), 3);
  ASSERT_EQ(response.supported_features.size(), response.finalized_features.size());
  std::map<std::string, int> levels;
  for (const auto& feature : response.finalized_features)
    levels[feature.name] = feature.max_version_level;
  EXPECT_EQ(levels["metadata.version"], 33);
  EXPECT_EQ(levels["weir.version"], 1);
  EXPECT_EQ(levels.contains("group.version"), handler_table().find(68) != nullptr);
  EXPECT_EQ(levels.contains("transaction.version"), handler_table().find(26) != nullptr);
  EXPECT_EQ(response.finalized_features_epoch, 41) << "the folded position";
}

TEST(ApiVersions, NoDefaultTaggedFieldIsSent) {
  Rig rig(handler_table());
  rig.engine.level = FeatureLevel(0);
  auto client = rig.connect();
  client.send(request(), 3);
  auto frame = client.next_frame();
  ASSERT_TRUE(frame);
  // Three tagged fields, 0 to 2, as Kafka sends them; the last one ends with its own empty tags.
  const std::string text(as_text(frame->view()));
  EXPECT_NE(text.find(std::string("\0\0\0\0\3\0", 6)), std::string::npos);
  EXPECT_EQ(frame->view().back(), std::byte{0});
}

TEST(ApiVersions, BadSoftwareNamesAreInvalid) {
  Rig rig(handler_table());
  auto client = rig.connect();
  for (std::string name : {"", "-a", "a b", "a\"b"}) {
    Request bad{.client_software_name = name, .client_software_version = "1"};
    EXPECT_EQ(client.call<Response>(bad, 3).error_code, code(KafkaError::invalid_request)) << name;
  }
}

}  // namespace
}  // namespace weir::broker::handlers
