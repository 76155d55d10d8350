#include "wire/headers.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::wire {
namespace {

SharedBytes encoded(const RequestHeader& header) {
  serial::Writer writer;
  encode_request_header(header, writer);
  const Result<BytesChain> chain = writer.finish();
  EXPECT_TRUE(chain);
  return chain->flatten();
}

TEST(Headers, ClassicRequestHeaderEndsAtTheClientId) {
  const SharedBytes bytes = encoded(
      {.request_api_key = 3, .request_api_version = 8, .correlation_id = 5, .client_id = "me"});
  EXPECT_EQ(to_hex(bytes.view()),
            "0003"
            "0008"
            "00000005"
            "00026d65");
}

TEST(Headers, FlexibleRequestHeaderHasTagsButAClassicClientId) {
  const SharedBytes bytes = encoded(
      {.request_api_key = 3, .request_api_version = 9, .correlation_id = 5, .client_id = "me"});
  EXPECT_EQ(to_hex(bytes.view()),
            "0003"
            "0009"
            "00000005"
            "00026d65"
            "00");
  serial::Reader reader(bytes);
  const Result<RequestStart> start = decode_request_start(reader);
  ASSERT_TRUE(start) << start.error().message;
  EXPECT_EQ(start->api->name, "Metadata");
  EXPECT_TRUE(start->version_served());
  EXPECT_EQ(start->header.client_id, "me");
  EXPECT_TRUE(reader.expect_end());
}

TEST(Headers, UnservedVersionsStillHaveAHeader) {
  serial::Writer writer;
  encode(RequestHeader{.request_api_key = 18, .request_api_version = 99, .correlation_id = 1},
         writer, 2);
  serial::Reader reader(writer.finish()->flatten());
  const Result<RequestStart> start = decode_request_start(reader);
  ASSERT_TRUE(start) << start.error().message;
  EXPECT_FALSE(start->version_served());
  EXPECT_EQ(start->header.correlation_id, 1);
}

TEST(Headers, UnknownKeysAndShortInputAreErrors) {
  serial::Reader unknown(encoded({.request_api_key = 3, .request_api_version = 1}).slice(1, 9));
  EXPECT_TRUE(decode_request_start(unknown).error().is(ErrorCode::unsupported));
  serial::Reader cut(encoded({.request_api_key = 3, .request_api_version = 1}).slice(0, 3));
  EXPECT_TRUE(decode_request_start(cut).error().is(ErrorCode::corrupt));
  serial::Reader half(encoded({.request_api_key = 3, .request_api_version = 9}).slice(0, 9));
  EXPECT_TRUE(decode_request_start(half).error().is(ErrorCode::corrupt));
}

TEST(Headers, ApiVersionsIsAnsweredWithTheOldestHeader) {
  serial::Writer writer;
  encode_response_header(*find_api(18), 4, 7, writer);
  EXPECT_EQ(to_hex(writer.finish()->flatten().view()), "00000007");
  encode_response_header(*find_api(1), 17, 7, writer);
  const SharedBytes bytes = writer.finish()->flatten();
  EXPECT_EQ(to_hex(bytes.view()), "0000000700");
  serial::Reader reader(bytes);
  EXPECT_EQ(decode_response_header(*find_api(1), 17, reader).value(), 7);
}

TEST(Headers, TheTableIsSortedAndFindsOnlyWhatItHas) {
  for (std::size_t i = 1; i < api_table().size(); ++i) {
    EXPECT_LT(api_table()[i - 1].key, api_table()[i].key);
  }
  EXPECT_EQ(find_api(-1), nullptr);
  EXPECT_EQ(find_api(4), nullptr) << "LeaderAndIsr is gone";
  EXPECT_EQ(find_api(32767), nullptr);
}

}  // namespace
}  // namespace weir::wire
