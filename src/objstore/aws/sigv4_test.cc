// Known answers: AWS's published test suite for version 4 ("AKIDEXAMPLE", service "service") and
// the examples of the Amazon S3 API reference, "Authenticating Requests: Using the Authorization
// Header".
#include "objstore/aws/sigv4.h"

#include <gtest/gtest.h>

namespace weir::objstore::aws {
namespace {

constexpr std::string_view kEmptyHash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// 2015-08-30T12:36:00Z
constexpr WallMillis kSuiteTime{1'440'938'160'000};
/// 2013-05-24T00:00:00Z
constexpr WallMillis kExampleTime{1'369'353'600'000};

std::string signature_of(const http::ClientRequest& request) {
  for (const auto& [name, value] : request.headers)
    if (name == "authorization") return value.substr(value.rfind("Signature=") + 10);
  return "none";
}

std::string field_of(const http::ClientRequest& request, std::string_view wanted) {
  for (const auto& [name, value] : request.headers)
    if (name == wanted) return value;
  return "none";
}

struct Vector {
  std::string name;
  http::Method method;
  std::string target;
  http::HeaderFields headers;
  std::string body;
  std::string token;
  std::string signature;
};

std::string suite_signature(const Vector& vector) {
  Credentials credentials{.access_key_id = "AKIDEXAMPLE",
                          .secret_access_key = Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
                          .session_token = Secret(vector.token),
                          .expires_at = {}};
  http::ClientRequest request{.method = vector.method,
                              .url = "https://example.amazonaws.com" + vector.target,
                              .headers = vector.headers};
  std::string hash(kEmptyHash);
  if (!vector.body.empty())
    hash = payload_hash(BytesChain(SharedBytes::copy_of(as_bytes(vector.body))));
  sign(request, {.credentials = credentials,
                 .region = "us-east-1",
                 .service = "service",
                 .now = kSuiteTime,
                 .payload = hash,
                 .send_payload_hash = !vector.body.empty()});
  return signature_of(request);
}

const std::string kUnreserved =
    "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const std::vector<Vector> kSuite = {
    {"get-vanilla",
     http::Method::get,
     "/",
     {},
     "",
     "",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-vanilla without a path",
     http::Method::get,
     "",
     {},
     "",
     "",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-vanilla-empty-query-key",
     http::Method::get,
     "/?Param1=value1",
     {},
     "",
     "",
     "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
    {"get-vanilla-query-order-key-case",
     http::Method::get,
     "/?Param2=value2&Param1=value1",
     {},
     "",
     "",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-vanilla-query-order-encoded",
     http::Method::get,
     "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
     {},
     "",
     "",
     "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"},
    {"get-vanilla-query-unreserved",
     http::Method::get,
     "/?" + kUnreserved + "=" + kUnreserved,
     {},
     "",
     "",
     "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
    {"get-vanilla-utf8-query",
     http::Method::get,
     "/?%E1%88%B4=bar",
     {},
     "",
     "",
     "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
    {"get-unreserved",
     http::Method::get,
     "/" + kUnreserved,
     {},
     "",
     "",
     "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
    {"get-utf8",
     http::Method::get,
     "/%E1%88%B4",
     {},
     "",
     "",
     "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
    {"get-space-unnormalized",
     http::Method::get,
     "/example%20space/",
     {},
     "",
     "",
     "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"},
    {"get-slashes-unnormalized",
     http::Method::get,
     "//example//",
     {},
     "",
     "",
     "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5"},
    {"get-header-key-duplicate",
     http::Method::get,
     "/",
     {{"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}},
     "",
     "",
     "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
    {"get-header-value-order",
     http::Method::get,
     "/",
     {{"My-Header1", "value4"},
      {"My-Header1", "value1"},
      {"My-Header1", "value3"},
      {"My-Header1", "value2"}},
     "",
     "",
     "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
    {"get-header-value-trim",
     http::Method::get,
     "/",
     {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
     "",
     "",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
    {"post-header-key-sort",
     http::Method::post,
     "/",
     {{"My-Header1", "value1"}},
     "",
     "",
     "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
    {"post-header-value-case",
     http::Method::post,
     "/",
     {{"My-Header1", "VALUE1"}},
     "",
     "",
     "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
    {"post-vanilla",
     http::Method::post,
     "/",
     {},
     "",
     "",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"post-vanilla-query",
     http::Method::post,
     "/?Param1=value1",
     {},
     "",
     "",
     "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
    {"post-x-www-form-urlencoded",
     http::Method::post,
     "/",
     {{"Content-Type", "application/x-www-form-urlencoded"}, {"Content-Length", "13"}},
     "Param1=value1",
     "",
     "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"},
    {"post-x-www-form-urlencoded-parameters",
     http::Method::post,
     "/",
     {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"},
      {"Content-Length", "13"}},
     "Param1=value1",
     "",
     "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422"},
    {"get-vanilla-with-session-token",
     http::Method::get,
     "/",
     {},
     "",
     "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267",
     "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"},
    {"post-sts-header-before",
     http::Method::post,
     "/",
     {},
     "",
     "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpS"
     "PfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDY"
     "wT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqK"
     "mlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==",
     "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
};

TEST(SigV4, GivesThePublishedSignatures) {
  for (const Vector& vector : kSuite)
    EXPECT_EQ(suite_signature(vector), vector.signature) << vector.name;
}

struct Example {
  http::Method method;
  std::string target;
  http::HeaderFields headers;
  std::string body;
  std::string signature;
};

TEST(SigV4, GivesTheSignaturesOfTheS3Reference) {
  using http::Method;
  const std::vector<Example> examples = {
      {Method::get,
       "/test.txt",
       {{"Range", "bytes=0-9"}},
       "",
       "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
      {Method::put,
       "/test%24file.text",
       {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
       "Welcome to Amazon S3.",
       "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
      {Method::get,
       "/?lifecycle",
       {},
       "",
       "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
      {Method::get,
       "/?max-keys=2&prefix=J",
       {},
       "",
       "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
  };
  Credentials credentials{.access_key_id = "AKIAIOSFODNN7EXAMPLE",
                          .secret_access_key = Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
                          .session_token = {},
                          .expires_at = {}};
  for (const Example& example : examples) {
    http::ClientRequest request{.method = example.method,
                                .url = "https://examplebucket.s3.amazonaws.com" + example.target,
                                .headers = example.headers};
    std::string hash = payload_hash(example.body.empty()
                                        ? BytesChain()
                                        : BytesChain(SharedBytes::copy_of(as_bytes(example.body))));
    sign(request, {.credentials = credentials,
                   .region = "us-east-1",
                   .service = "s3",
                   .now = kExampleTime,
                   .payload = hash});
    EXPECT_EQ(signature_of(request), example.signature) << example.target;
    EXPECT_EQ(field_of(request, "x-amz-content-sha256"), hash);
  }
}

TEST(SigV4, SendsScopeNamesAndTokenButNeverTheKey) {
  Credentials credentials{.access_key_id = "AKID",
                          .secret_access_key = Secret("very-secret"),
                          .session_token = Secret("token"),
                          .expires_at = {}};
  http::ClientRequest request{.method = http::Method::put,
                              .url = "http://localhost:9000/b/k",
                              .headers = {{"If-None-Match", "*"}}};
  sign(request, {.credentials = credentials,
                 .region = "eu-west-1",
                 .service = "s3express",
                 .now = kExampleTime,
                 .payload = kUnsignedPayload,
                 .token_header = "x-amz-s3session-token"});
  EXPECT_EQ(field_of(request, "x-amz-date"), "20130524T000000Z");
  EXPECT_EQ(field_of(request, "x-amz-content-sha256"), "UNSIGNED-PAYLOAD");
  EXPECT_EQ(field_of(request, "x-amz-s3session-token"), "token");
  EXPECT_TRUE(field_of(request, "authorization")
                  .starts_with("AWS4-HMAC-SHA256 Credential=AKID/20130524/eu-west-1/s3express/"
                               "aws4_request, SignedHeaders=host;if-none-match;"
                               "x-amz-content-sha256;x-amz-date;x-amz-s3session-token, "
                               "Signature="));
  for (const auto& [name, value] : request.headers)
    EXPECT_EQ(value.find("very-secret"), std::string::npos) << name;
}

TEST(SigV4, EverythingSignedChangesTheSignature) {
  Credentials credentials{.access_key_id = "A",
                          .secret_access_key = Secret("s"),
                          .session_token = {},
                          .expires_at = {}};
  struct Change {
    std::string url = "http://h/p?q=1";
    std::string region = "r";
    std::string service = "s3";
    WallMillis now{1};
    std::string payload = "x";
    std::string header = "v";
  };
  auto signature = [&](const Change& change) {
    http::ClientRequest request{.url = change.url, .headers = {{"a", change.header}}};
    sign(request, {.credentials = credentials,
                   .region = change.region,
                   .service = change.service,
                   .now = change.now,
                   .payload = change.payload});
    return signature_of(request);
  };
  std::string base = signature({});
  EXPECT_EQ(signature({}), base);
  EXPECT_NE(signature({.url = "http://h/p?q=2"}), base);
  EXPECT_NE(signature({.url = "http://i/p?q=1"}), base);
  EXPECT_NE(signature({.region = "r2"}), base);
  EXPECT_NE(signature({.service = "sts"}), base);
  EXPECT_NE(signature({.now = WallMillis{1001}}), base);
  EXPECT_NE(signature({.payload = "y"}), base);
  EXPECT_NE(signature({.header = "w"}), base);
}

TEST(SigV4, EscapesOncePerByte) {
  EXPECT_EQ(uri_escape("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(uri_escape("a/b c+d%\xc3\xa9"), "a%2Fb%20c%2Bd%25%C3%A9");
  EXPECT_EQ(uri_escape("a/b c", Slash::keep), "a/b%20c");
}

TEST(SigV4, WritesTimesOfAnyYear) {
  EXPECT_EQ(signing_time(WallMillis{0}), "19700101T000000Z");
  EXPECT_EQ(signing_time(WallMillis{951'782'399'999}), "20000228T235959Z");
  EXPECT_EQ(signing_time(WallMillis{951'782'400'000}), "20000229T000000Z");
  EXPECT_EQ(signing_time(WallMillis{4'102'444'799'000}), "20991231T235959Z");
}

}  // namespace
}  // namespace weir::objstore::aws
