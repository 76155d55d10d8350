// Bytes written out by hand for a few messages, and the rules that a comparison of bytes with
// another implementation would not show.
#include <gtest/gtest.h>

#include <string>

#include "serial/reader.h"
#include "serial/writer.h"
#include "wire/api_versions.h"
#include "wire/delete_topics.h"
#include "wire/fetch.h"
#include "wire/headers.h"
#include "wire/metadata.h"
#include "wire/produce.h"

namespace weir::wire {
namespace {

template <class Message>
std::string hex_of(const Message& message, std::int16_t version) {
  serial::Writer writer;
  encode(message, writer, version);
  const Result<BytesChain> chain = writer.finish();
  return chain ? to_hex(chain->flatten().view()) : "error: " + chain.error().message;
}

SharedBytes bytes_of(std::string_view text) { return SharedBytes::copy_of(as_bytes(text)); }

TEST(Messages, ApiVersionsResponseSendsNoTagThatHoldsItsDefault) {
  ApiVersionsResponse response;
  response.api_keys.push_back({.api_key = 18, .min_version = 0, .max_version = 4});
  // error, count + 1, one key with no tags, throttle time, no tags.
  EXPECT_EQ(hex_of(response, 3),
            "0000"
            "02"
            "001200000004"
            "00"
            "00000000"
            "00");
  EXPECT_EQ(hex_of(response, 0),
            "0000"
            "00000001"
            "001200000004");
  response.finalized_features_epoch = 5;
  EXPECT_EQ(hex_of(response, 3),
            "0000"
            "02"
            "001200000004"
            "00"
            "00000000"
            "01"
            "01"
            "08"
            "0000000000000005");
}

TEST(Messages, NodeEndpointsAreNotSentBeforeTheirVersion) {
  FetchResponse response;
  response.node_endpoints.push_back({.node_id = 1, .host = "h", .port = 9092});
  EXPECT_EQ(hex_of(response, 15),
            "error: FetchResponse.node_endpoints holds a value that version 15 lacks");
  EXPECT_EQ(hex_of(response, 16),
            "00000000"
            "0000"
            "00000000"
            "01"
            "01"
            "00"
            "0d"
            "02"
            "00000001"
            "0268"
            "00002384"
            "00"
            "00");
}

TEST(Messages, NilTopicIdTakesItsBytes) {
  FetchRequest request;
  request.topics.emplace_back();
  const std::string hex = hex_of(request, 13);
  EXPECT_NE(hex.find("02" + std::string(32, '0') +
                     "01"
                     "00"),
            std::string::npos)
      << hex;
}

TEST(Messages, WhatAVersionLacksIsAnErrorUnlessItMayBeIgnored) {
  DeleteTopicsRequest request;
  request.topics.push_back({.name = "a"});
  EXPECT_EQ(hex_of(request, 5),
            "error: DeleteTopicsRequest.topics holds a value that version 5 lacks");
  DeleteTopicsResponse response;
  response.responses.push_back({.name = "a", .error_message = "ignorable"});
  EXPECT_EQ(hex_of(response, 4),
            "00000000"
            "02"
            "0261"
            "0000"
            "00"
            "00");
}

TEST(Messages, NullIsRefusedInVersionsWithoutIt) {
  MetadataRequest request;
  request.topics.reset();
  EXPECT_EQ(hex_of(request, 0),
            "error: MetadataRequest.topics: null is not allowed in this version");
  EXPECT_EQ(hex_of(request, 1), "ffffffff");
}

TEST(Messages, VersionsOutsideTheRangeAreErrorsOnBothSides) {
  EXPECT_EQ(hex_of(FetchRequest(), 3), "error: FetchRequest has no version 3");
  serial::Reader reader(bytes_of("anything"));
  FetchRequest request;
  EXPECT_FALSE(decode(request, reader, 19));
  EXPECT_TRUE(reader.error().is(ErrorCode::unsupported));
}

TEST(Messages, DecodingStartsFromDefaults) {
  MetadataRequest request;
  request.allow_auto_topic_creation = false;
  request.topics.emplace().resize(3);
  serial::Reader reader(SharedBytes::copy_of(as_bytes(std::string_view("\0\0\0\0", 4))));
  ASSERT_TRUE(decode(request, reader, 1));
  EXPECT_EQ(request, MetadataRequest());
}

TEST(Messages, ProducedRecordsAreSlicesOfTheRequest) {
  ProduceRequest request;
  ProduceRequest::TopicProduceData& topic = request.topic_data.emplace_back();
  topic.partition_data.push_back(
      {.index = 3, .records = BytesChain(bytes_of(std::string(1000, 'r')))});
  topic.partition_data.push_back({.index = 4, .records = std::nullopt});
  serial::Writer writer;
  encode(request, writer, 13);
  const SharedBytes frame = writer.finish()->flatten();

  serial::Reader reader(frame);
  ProduceRequest read;
  ASSERT_TRUE(decode(read, reader, 13));
  EXPECT_TRUE(reader.expect_end());
  EXPECT_EQ(read, request);
  const BytesChain& records = *read.topic_data[0].partition_data[0].records;
  const Bytes slice = records.parts().at(0).view();
  EXPECT_GE(slice.data(), frame.view().data());
  EXPECT_LT(slice.data(), frame.view().data() + frame.size());
}

TEST(Messages, FetchedRecordsAreSentByReference) {
  const SharedBytes cached = bytes_of(std::string(4096, 'c'));
  FetchResponse response;
  auto& partition = response.responses.emplace_back().partitions.emplace_back();
  partition.records = BytesChain(cached);
  serial::Writer writer;
  encode(response, writer, 17);
  const Result<BytesChain> chain = writer.finish();
  ASSERT_TRUE(chain);
  ASSERT_EQ(chain->parts().size(), 3U);
  EXPECT_EQ(chain->parts()[1].view().data(), cached.view().data());
}

TEST(Messages, ArraysOfShortElementsStayInsideTheMemoryBudget) {
  // 40 MB of topics without a name: two bytes each on the wire, thirty times that in memory.
  std::string body("\xff\xff\xff\x7f", 4);
  body = std::string("\x80\xb4\xc4\x09", 4) + std::string(40'000'000, '\0');
  serial::Reader reader(SharedBytes::copy_of(as_bytes(body)));
  MetadataRequest request;
  EXPECT_FALSE(decode(request, reader, 9));
  EXPECT_TRUE(reader.error().is(ErrorCode::too_large)) << reader.error().message;
}

}  // namespace
}  // namespace weir::wire
