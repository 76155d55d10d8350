#include "objstore/url.h"

#include <gtest/gtest.h>

namespace weir::objstore {
namespace {

std::string message(const Result<StoreUrl>& result) {
  EXPECT_FALSE(result);
  return result ? "" : result.error().message;
}

TEST(StoreUrl, TakesAFileUrlApart) {
  auto url = parse_store_url("file:///srv/we%20ir/?sync=none", {});
  ASSERT_TRUE(url) << describe(url.error());
  EXPECT_EQ(url->path, "/srv/we ir");
  auto file = file_url(*url);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path, "/srv/we ir");
  EXPECT_FALSE(file->sync);
  EXPECT_TRUE(file->direct);
  EXPECT_TRUE(file_url(parse_store_url("file:///x", {}).value())->sync);
  EXPECT_TRUE(file_url(parse_store_url("file:///x?direct=auto&sync=full", {}).value())->direct);
  EXPECT_FALSE(file_url(parse_store_url("file:///x?direct=never", {}).value())->direct);
}

TEST(StoreUrl, TakesABucketUrlApart) {
  auto url = parse_store_url(
      "S3://bucket/some/prefix?region=eu-1&endpoint=http://127.0.0.1:9000&path_style=true", {});
  ASSERT_TRUE(url) << describe(url.error());
  EXPECT_EQ(url->scheme, "s3");
  EXPECT_EQ(url->authority, "bucket");
  EXPECT_EQ(url->path, "/some/prefix");
  EXPECT_EQ(url->options.at("endpoint"), "http://127.0.0.1:9000");
  EXPECT_TRUE(parse_store_url("memory://", {}));
  EXPECT_TRUE(parse_store_url("null://", {}));
}

TEST(StoreUrl, ExpandsVariables) {
  Variables variables = {{"HOME", "/home/a"}, {"N", "7"}};
  EXPECT_EQ(parse_store_url("file://${HOME}/d${N}", variables)->path, "/home/a/d7");
  EXPECT_EQ(expand_variables("a$${N}b$N", variables).value(), "a${N}b$N");
  EXPECT_NE(message(parse_store_url("file:///${NONE}", variables)).find("${NONE} is not set"),
            std::string::npos);
  EXPECT_NE(message(parse_store_url("file:///${N", variables)).find("without '}'"),
            std::string::npos);
}

TEST(StoreUrl, SaysWhatIsWrongAndWhatIsKnown) {
  EXPECT_NE(message(parse_store_url("ftp://x", {})).find("known are file, memory, null, s3, gs"),
            std::string::npos);
  EXPECT_NE(message(parse_store_url("/srv/weir", {})).find("SCHEME://"), std::string::npos);
  EXPECT_NE(message(parse_store_url("file://srv/weir", {})).find("three slashes"),
            std::string::npos);
  EXPECT_NE(message(parse_store_url("s3:///x", {})).find("BUCKET"), std::string::npos);
  EXPECT_NE(message(parse_store_url("file:///x?sync", {})).find("name=value"), std::string::npos);
  EXPECT_NE(message(parse_store_url("file:///x?a=1&a=2", {})).find("twice"), std::string::npos);
  EXPECT_NE(message(parse_store_url("file:///x%zz", {})).find("hexadecimal"), std::string::npos);
  EXPECT_NE(message(parse_store_url("file:///x%00", {})).find("hexadecimal"), std::string::npos);
  auto option = file_url(parse_store_url("file:///x?fsync=no", {}).value());
  ASSERT_FALSE(option);
  EXPECT_NE(option.error().message.find("unknown option 'fsync', known are sync, direct"),
            std::string::npos);
  EXPECT_FALSE(file_url(parse_store_url("file:///x?sync=maybe", {}).value()));
  EXPECT_NE(file_url(parse_store_url("file:///x?direct=always", {}).value())
                .error()
                .message.find("direct is 'auto' or 'never', not 'always'"),
            std::string::npos);
  EXPECT_FALSE(file_url(parse_store_url("file:///", {}).value()));
}

TEST(StoreUrl, DoesNotRepeatWhatAVariableHolds) {
  Variables variables = {{"SECRET", "hunter2"}};
  EXPECT_EQ(message(parse_store_url("ftp://${SECRET}", variables)).find("hunter2"),
            std::string::npos);
}

TEST(StoreUrl, DoesNotRepeatWhatAnOptionHolds) {
  for (const char* url :
       {"s3:///x?secret_access_key=hunter2", "s3://b?hunter2", "s3://b?=hunter2",
        "s3://b?a=hunter2&a=hunter2", "s3://b?a=hunter2%zz", "file://b?a=hunter2"})
    EXPECT_EQ(message(parse_store_url(url, {})).find("hunter2"), std::string::npos) << url;
}

}  // namespace
}  // namespace weir::objstore
