#include <map>

#include "crypto/digest.h"
#include "http/fake_client_for_test.h"
#include "objstore/aws/default_chain.h"
#include "objstore/aws/metadata_sources.h"
#include "objstore/conformance_harness.h"
#include "rt/sim/file_system.h"

namespace weir::objstore::aws {
namespace {

constexpr std::string_view kMetadataAnswer =
    R"({"Code":"Success","AccessKeyId":"AKID","SecretAccessKey":"hunter2","Token":"tok",)"
    R"("Expiration":"2999-01-01T00:00:00Z"})";

std::string sts_answer(const std::string& action, const std::string& id) {
  return "<" + action + "Response xmlns=\"x\"><" + action + "Result><Credentials><AccessKeyId>" +
         id +
         "</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
         "<Expiration>2999-01-01T00:00:00Z</Expiration></Credentials></" +
         action + "Result></" + action + "Response>";
}

class FakeCommands final : public rt::Commands {
 public:
  Result<std::string> run(const std::string& line, Bounds) override {
    lines.push_back(line);
    return answer;
  }
  std::vector<std::string> lines;
  Result<std::string> answer = std::string(kMetadataAnswer);
};

class SourcesTest : public testing::Test {
 protected:
  void write(const std::string& path, std::string_view text) {
    auto& files = runner_.node().files();
    ASSERT_TRUE(files.make_directories(path.substr(0, path.rfind('/'))));
    auto file = files.open(path, rt::OpenMode::create_or_open);
    ASSERT_TRUE(file);
    Bytes bytes = as_bytes(text);
    ASSERT_TRUE((*file)->write_at(0, std::span(&bytes, 1)));
  }
  /// One search from scratch.
  Result<Credentials> fetch(CredentialsOptions options = {}) {
    ChainCredentials chain({in_, runner_.node().random(), logger_}, std::move(options));
    auto got = run_one(runner_, chain.credentials(runner_.loop().now() + 60s));
    source_ = chain.describe();
    std::vector<rt::Task<void>> tasks;
    tasks.push_back(chain.stop());
    runner_.run(std::move(tasks));
    if (!got) {
      EXPECT_EQ(got.error().message.find("hunter2"), std::string::npos) << got.error().message;
    }
    return got;
  }
  std::string url(std::size_t i) { return client_.requests.at(i).url; }

  SimRunner runner_{3};
  http::FakeClient client_{runner_.loop()};
  FakeCommands commands_;
  Variables variables_{{"HOME", "/home/a"}, {"AWS_EC2_METADATA_DISABLED", "true"}};
  NullLogger logger_;
  Surroundings in_{client_, runner_.node().workers(), runner_.node().files(), commands_,
                   variables_};
  std::string source_;
};

TEST_F(SourcesTest, TheUrlWinsOverEverything) {
  variables_["AWS_ACCESS_KEY_ID"] = "env";
  variables_["AWS_SECRET_ACCESS_KEY"] = "hunter2";
  auto url = parse_store_url("s3://b?access_key_id=a&secret_access_key=hunter2", {});
  auto options = credentials_options(*url);
  ASSERT_TRUE(options);
  EXPECT_EQ(fetch(*options)->access_key_id, "a");
  EXPECT_EQ(source_, "store URL");
  for (const char* bad : {"s3://b?access_key_id=a", "s3://b?secret_access_key=hunter2",
                          "s3://b?session_token=hunter2",
                          "s3://b?access_key_id=a&secret_access_key=hunter2&profile=p"}) {
    auto refused = credentials_options(*parse_store_url(bad, {}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message.find("hunter2"), std::string::npos);
  }
}

TEST_F(SourcesTest, TheEnvironmentComesFirstInTheChain) {
  write("/home/a/.aws/credentials", "[default]\naws_access_key_id=f\naws_secret_access_key=x\n");
  variables_["AWS_ACCESS_KEY_ID"] = "env";
  EXPECT_EQ(fetch().error().code, ErrorCode::configuration) << "half a pair is a mistake";
  variables_["AWS_SECRET_ACCESS_KEY"] = "hunter2";
  variables_["AWS_SESSION_TOKEN"] = "tok";
  auto got = fetch();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->access_key_id, "env");
  EXPECT_EQ(got->session_token.reveal(), "tok");
  EXPECT_FALSE(got->expires_at);
}

TEST_F(SourcesTest, WithoutAnyTheErrorSaysWhatWasTried) {
  auto got = fetch();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::configuration);
  for (const char* word : {"AWS_ACCESS_KEY_ID", "web identity", "profile", "container", "instance"})
    EXPECT_NE(got.error().message.find(word), std::string::npos) << got.error().message;
}

TEST_F(SourcesTest, AProfileByItsName) {
  write("/home/a/.aws/credentials", "[dev]\naws_access_key_id=f\naws_secret_access_key=x\n");
  variables_["AWS_PROFILE"] = "dev";
  EXPECT_EQ(fetch()->access_key_id, "f");
  EXPECT_EQ(source_, "profile 'dev'");
  variables_["AWS_PROFILE"] = "none";
  auto got = fetch();
  EXPECT_EQ(got.error().code, ErrorCode::configuration) << "somebody asked for it";
  EXPECT_NE(got.error().message.find("'none'"), std::string::npos);
  variables_["AWS_SHARED_CREDENTIALS_FILE"] = "/etc/keys";
  write("/etc/keys", "[none]\naws_access_key_id=g\naws_secret_access_key=x\n");
  EXPECT_EQ(fetch()->access_key_id, "g");
}

TEST_F(SourcesTest, RolesAreAssumedOneAfterAnother) {
  write("/home/a/.aws/config",
        "[profile outer]\nrole_arn=arn:two\nsource_profile=inner\nregion=eu-west-1\n"
        "[profile inner]\nrole_arn=arn:one\nsource_profile=base\nexternal_id=e+1\n"
        "[profile base]\naws_access_key_id=AKBASE\naws_secret_access_key=hunter2\n");
  client_.answer(200, sts_answer("AssumeRole", "ASIA1"));
  client_.answer(200, sts_answer("AssumeRole", "ASIA2"));
  auto got = fetch({.profile = "outer"});
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_EQ(got->access_key_id, "ASIA2");
  EXPECT_TRUE(got->expires_at);
  EXPECT_EQ(url(0), "https://sts.eu-west-1.amazonaws.com/");
  EXPECT_NE(client_.sent_body(0).find("RoleArn=arn%3Aone"), std::string::npos);
  EXPECT_NE(client_.sent_body(0).find("ExternalId=e%2B1"), std::string::npos);
  EXPECT_NE(client_.sent_header(0, "authorization").find("AKBASE/"), std::string::npos);
  EXPECT_NE(client_.sent_header(1, "authorization").find("ASIA1/"), std::string::npos);
  EXPECT_EQ(client_.sent_header(1, "x-amz-security-token"), "t");
}

TEST_F(SourcesTest, StsSaysWhyItRefuses) {
  write("/home/a/.aws/config",
        "[profile r]\nrole_arn=arn:one\nsource_profile=b\n[profile b]\naws_access_key_id=A\n"
        "aws_secret_access_key=hunter2\n");
  client_.answer(403,
                 "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not you</Message>"
                 "</Error></ErrorResponse>");
  auto got = fetch({.profile = "r"});
  EXPECT_EQ(got.error().code, ErrorCode::configuration);
  EXPECT_NE(got.error().message.find("AccessDenied, not you"), std::string::npos);
  client_.answer(503);
  EXPECT_EQ(fetch({.profile = "r"}).error().code, ErrorCode::unavailable);
  client_.answer_error(ErrorCode::timed_out);
  EXPECT_EQ(fetch({.profile = "r"}).error().code, ErrorCode::unavailable);
  client_.answer(200, "<html>");
  EXPECT_EQ(fetch({.profile = "r"}).error().code, ErrorCode::unavailable);
}

TEST_F(SourcesTest, WebIdentityAsEksSetsItUp) {
  write("/var/token", "eyJ.token\n");
  variables_["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/var/token";
  variables_["AWS_ROLE_ARN"] = "arn:r";
  client_.answer(200, sts_answer("AssumeRoleWithWebIdentity", "ASIAW"));
  auto got = fetch({.region = "us-west-2"});
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_EQ(got->access_key_id, "ASIAW");
  EXPECT_EQ(source_, "web identity");
  EXPECT_EQ(url(0), "https://sts.us-west-2.amazonaws.com/");
  EXPECT_EQ(client_.sent_header(0, "authorization"), "none") << "the token is the proof";
  EXPECT_NE(client_.sent_body(0).find("WebIdentityToken=eyJ.token"), std::string::npos);
  variables_["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/var/none";
  EXPECT_EQ(fetch().error().code, ErrorCode::configuration);
}

TEST_F(SourcesTest, AHelperProgram) {
  write("/home/a/.aws/config", "[default]\ncredential_process = helper --as me\n");
  commands_.answer = R"({"Version":1,"AccessKeyId":"P","SecretAccessKey":"hunter2"})";
  auto got = fetch();
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_EQ(got->access_key_id, "P");
  EXPECT_EQ(commands_.lines, std::vector<std::string>{"helper --as me"});
  commands_.answer = "hunter2";
  EXPECT_EQ(fetch().error().code, ErrorCode::unavailable);
  commands_.answer = fail(ErrorCode::configuration, "the command ended with status 1");
  EXPECT_EQ(fetch().error().code, ErrorCode::configuration);
}

TEST_F(SourcesTest, TheTokenOfAnSsoLogin) {
  write("/home/a/.aws/config",
        "[default]\nsso_session=mine\nsso_account_id=123\nsso_role_name=ad min\n"
        "[sso-session mine]\nsso_region=eu-west-1\nsso_start_url=https://x\n");
  EXPECT_NE(fetch().error().message.find("aws sso login"), std::string::npos);
  // Its name is a digest of the session.
  std::string cache = "/home/a/.aws/sso/cache/" + to_hex(crypto::sha1(as_bytes("mine"))) + ".json";
  write(cache, R"({"accessToken":"sso-token","expiresAt":"2999-01-01T00:00:00Z"})");
  client_.answer(200, R"({"roleCredentials":{"accessKeyId":"S","secretAccessKey":"hunter2",)"
                      R"("sessionToken":"t","expiration":32503680000000}})");
  auto got = fetch();
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_EQ(got->access_key_id, "S");
  EXPECT_EQ(got->expires_at->value, 32'503'680'000'000);
  EXPECT_EQ(url(0),
            "https://portal.sso.eu-west-1.amazonaws.com/federation/credentials?role_name="
            "ad%20min&account_id=123");
  EXPECT_EQ(client_.sent_header(0, "x-amz-sso_bearer_token"), "sso-token");
}

TEST_F(SourcesTest, AnEcsTask) {
  variables_["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/v2/credentials/x";
  client_.answer(200, kMetadataAnswer);
  EXPECT_EQ(fetch()->access_key_id, "AKID");
  EXPECT_EQ(url(0), "http://169.254.170.2/v2/credentials/x");
  EXPECT_FALSE(client_.requests[0].use_proxy);
}

TEST_F(SourcesTest, AnEksPodIdentityWithItsTokenFile) {
  variables_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://169.254.170.23/v1/credentials";
  variables_["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = "/var/pod-token";
  write("/var/pod-token", "pod-token\n");
  client_.answer(200, kMetadataAnswer);
  EXPECT_EQ(fetch()->access_key_id, "AKID");
  EXPECT_EQ(client_.sent_header(0, "authorization"), "pod-token");
  variables_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://example.com/";
  EXPECT_EQ(fetch().error().code, ErrorCode::configuration) << "never to strangers over http";
}

TEST_F(SourcesTest, OnlyOurOwnMachineIsAskedOverPlainHttp) {
  for (const char* good : {"https://example.com/x", "http://localhost/", "http://127.0.0.1:80/x",
                           "http://[::1]:8080/", "http://169.254.170.2/x"})
    EXPECT_TRUE(is_trusted_endpoint(good)) << good;
  for (const char* bad :
       {"http://example.com/", "http://127.0.0.1.example.com/", "ftp://localhost/",
        "http://localhost@evil/", "http://169.254.170.2.evil/", "localhost", ""})
    EXPECT_FALSE(is_trusted_endpoint(bad)) << bad;
}

/// The metadata service of an instance, version 2.
class MetadataFake {
 public:
  Result<http::ClientResponse> operator()(const http::ClientRequest& request) {
    auto field = [&](std::string_view name) -> std::string {
      for (const auto& [key, value] : request.headers)
        if (key == name) return value;
      return "";
    };
    if (slow_starts > 0) {
      --slow_starts;
      return fail(ErrorCode::unavailable, "refused");
    }
    std::string_view path = std::string_view(request.url).substr(22);
    if (path == "/latest/api/token") {
      if (request.method != http::Method::put) return http::FakeClient::response(405);
      if (field("x-aws-ec2-metadata-token-ttl-seconds") != "21600")
        return http::FakeClient::response(400);
      return http::FakeClient::response(200, "session-1");
    }
    if (field("x-aws-ec2-metadata-token") != "session-1") return http::FakeClient::response(401);
    if (path == "/latest/meta-data/iam/security-credentials/")
      return has_role ? http::FakeClient::response(200, "my-role")
                      : http::FakeClient::response(404);
    if (path == "/latest/meta-data/iam/security-credentials/my-role")
      return http::FakeClient::response(200, kMetadataAnswer);
    return http::FakeClient::response(404);
  }
  int slow_starts = 0;
  bool has_role = true;
};

TEST_F(SourcesTest, AnInstanceWithARole) {
  variables_.erase("AWS_EC2_METADATA_DISABLED");
  MetadataFake metadata;
  metadata.slow_starts = 2;
  client_.handler = std::ref(metadata);
  auto got = fetch();
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_EQ(got->access_key_id, "AKID");
  EXPECT_EQ(got->session_token.reveal(), "tok");
  EXPECT_EQ(source_, "instance metadata");
  metadata.has_role = false;
  got = fetch();
  EXPECT_NE(got.error().message.find("has no role"), std::string::npos);
}

TEST_F(SourcesTest, AMachineWithoutMetadataIsFoundOutInAFewSeconds) {
  variables_.erase("AWS_EC2_METADATA_DISABLED");
  client_.handler = [](const http::ClientRequest&) -> Result<http::ClientResponse> {
    return fail(ErrorCode::timed_out, "no answer");
  };
  client_.delay = 1s;
  MonoTime begin = runner_.loop().now();
  EXPECT_EQ(fetch().error().code, ErrorCode::configuration);
  EXPECT_LT(runner_.loop().now() - begin, 10s);
}

}  // namespace
}  // namespace weir::objstore::aws
