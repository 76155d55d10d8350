#include "objstore/s3/s3_options.h"

#include <gtest/gtest.h>

namespace weir::objstore::s3 {
namespace {

Result<S3Options> read(const std::string& text, const Variables& variables = {}) {
  auto url = parse_store_url(text, {});
  if (!url) return std::unexpected(url.error());
  return s3_options(*url, variables, {"access_key_id", "profile"});
}

S3Options good(const std::string& text, const Variables& variables = {}) {
  auto options = read(text, variables);
  EXPECT_TRUE(options) << text << ": " << describe(options.error());
  return options.value_or(S3Options{});
}

std::string refused(const std::string& text) {
  auto options = read(text);
  EXPECT_FALSE(options) << text;
  if (options) return "";
  EXPECT_EQ(options.error().code, ErrorCode::invalid_argument);
  return options.error().message;
}

TEST(S3Options, NamesAmazonsAddresses) {
  EXPECT_EQ(good("s3://bucket/a/b/?region=eu-west-1").base_url(),
            "https://bucket.s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(good("s3://bucket?region=cn-north-1").base_url(),
            "https://bucket.s3.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(good("s3://bucket?region=eu-west-1&dual_stack=true").base_url(),
            "https://bucket.s3.dualstack.eu-west-1.amazonaws.com");
  EXPECT_EQ(good("s3://bucket?region=us-east-1&fips=true&dual_stack=true").base_url(),
            "https://bucket.s3-fips.dualstack.us-east-1.amazonaws.com");
  EXPECT_EQ(good("s3://bucket?region=eu-west-1&path_style=true").base_url(),
            "https://s3.eu-west-1.amazonaws.com/bucket");
  EXPECT_EQ(good("s3://dotted.bucket?region=eu-west-1").base_url(),
            "https://s3.eu-west-1.amazonaws.com/dotted.bucket");
}

TEST(S3Options, NamesTheZonalAddressOfADirectoryBucket) {
  S3Options options = good("s3://logs--euw1-az1--x-s3/p?region=eu-west-1");
  EXPECT_TRUE(options.is_directory_bucket());
  EXPECT_EQ(options.zone, "euw1-az1");
  EXPECT_EQ(options.base_url(),
            "https://logs--euw1-az1--x-s3.s3express-euw1-az1.eu-west-1.amazonaws.com");
  refused("s3://logs--euw1-az1--x-s3/p?region=eu-west-1&tags=a%3Db");
  refused("s3://logs--euw1-az1--x-s3/p?region=eu-west-1&storage_class=STANDARD");
  refused("s3://logs--euw1-az1--x-s3/p?region=eu-west-1&path_style=true");
}

TEST(S3Options, ReachesAnEndpointByPathUnlessItIsToldOtherwise) {
  EXPECT_EQ(good("s3://bucket?endpoint=http://localhost:9000/").base_url(),
            "http://localhost:9000/bucket");
  EXPECT_EQ(good("s3://bucket?endpoint=http://localhost:9000&path_style=false").base_url(),
            "http://bucket.localhost:9000");
  EXPECT_EQ(good("s3://bucket?endpoint=http://localhost:9000").region, "us-east-1");
}

TEST(S3Options, TakesRegionAndEndpointFromTheEnvironment) {
  EXPECT_EQ(good("s3://bucket", {{"AWS_REGION", "eu-west-1"}}).region, "eu-west-1");
  EXPECT_EQ(good("s3://bucket", {{"AWS_DEFAULT_REGION", "eu-west-2"}}).region, "eu-west-2");
  EXPECT_EQ(good("s3://bucket?region=x", {{"AWS_REGION", "eu-west-1"}}).region, "x");
  EXPECT_EQ(good("s3://bucket", {{"AWS_ENDPOINT_URL_S3", "http://h:1"}}).endpoint, "http://h:1");
  EXPECT_EQ(good("s3://bucket", {{"AWS_ENDPOINT_URL", "http://h:2"}}).endpoint, "http://h:2");
}

TEST(S3Options, ReadsTheRest) {
  S3Options options = good(
      "s3://bucket/pre/fix?region=r&ca_file=/ca.pem&proxy=none&checksum=none&payload=signed&"
      "sse=aws:kms&sse_kms_key_id=key&sse_bucket_key=true&storage_class=INTELLIGENT_TIERING&"
      "tags=a%3Db%26c%3Dd&access_key_id=k&profile=p");
  EXPECT_EQ(options.prefix, "pre/fix");
  EXPECT_EQ(options.ca_file, "/ca.pem");
  EXPECT_EQ(options.proxy, "");
  EXPECT_FALSE(options.checksum);
  EXPECT_EQ(options.payload, PayloadSigning::always);
  EXPECT_EQ(options.sse, "aws:kms");
  EXPECT_EQ(options.sse_kms_key_id, "key");
  EXPECT_TRUE(options.sse_bucket_key);
  EXPECT_EQ(options.storage_class, "INTELLIGENT_TIERING");
  EXPECT_EQ(options.tags, "a=b&c=d");
  EXPECT_EQ(options.describe(), "s3://bucket/pre/fix");
  EXPECT_EQ(good("s3://bucket?region=r").proxy, std::nullopt);
  EXPECT_EQ(good("s3://bucket?region=r&proxy=http://p:1").proxy, "http://p:1");
}

TEST(S3Options, SaysWhatIsWrong) {
  EXPECT_NE(refused("s3://bucket").find("?region=eu-west-1"), std::string::npos);
  EXPECT_NE(refused("s3://bucket?region=r&retion=x").find("'retion'"), std::string::npos);
  EXPECT_NE(refused("s3://bucket?region=r&path_style=yes").find("true, false"), std::string::npos);
  EXPECT_NE(refused("s3://bucket?region=r&sse=none").find("AES256"), std::string::npos);
  EXPECT_NE(refused("s3://bucket?region=r&sse_kms_key_id=k").find("sse=aws:kms"),
            std::string::npos);
  EXPECT_NE(refused("s3://bucket?endpoint=localhost:9000").find("http://HOST"), std::string::npos);
  EXPECT_NE(refused("s3://bucket?endpoint=http://h/path").find("without a path"),
            std::string::npos);
  EXPECT_EQ(refused("s3://bucket?endpoint=http://u:secret@h").find("secret"), std::string::npos);
  for (const char* url :
       {"s3://b?region=r", "s3://bu cket?region=r", "s3://a..b?region=r", "s3://bucket?region=a/b",
        "s3://bucket/a//b?region=r", "s3://bucket/../x?region=r", "s3://bucket/a%00?region=r"})
    refused(url);
}

}  // namespace
}  // namespace weir::objstore::s3
