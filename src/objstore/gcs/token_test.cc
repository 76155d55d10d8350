#include "objstore/gcs/token.h"

#include "crypto/base64.h"
#include "crypto/rsa.h"
#include "crypto/test_key_for_test.h"
#include "http/fake_client_for_test.h"
#include "http/json_fields.h"
#include "objstore/conformance_harness.h"
#include "rt/sim/file_system.h"

namespace weir::objstore::gcs {
namespace {

class TokenTest : public testing::Test {
 protected:
  void write(const std::string& path, std::string_view text) {
    auto& files = runner_.node().files();
    ASSERT_TRUE(files.make_directories(path.substr(0, path.rfind('/'))));
    auto file = files.open(path, rt::OpenMode::create_or_open);
    ASSERT_TRUE(file);
    Bytes bytes = as_bytes(text);
    ASSERT_TRUE((*file)->write_at(0, std::span(&bytes, 1)));
  }
  void write_key(const std::string& path, const std::string& private_key) {
    write(path, R"({"type":"service_account","client_email":"a@b.c","private_key_id":"k1",)"
                R"("private_key":)" +
                    http::json_quote(private_key) +
                    R"(,"token_uri":"https://oauth2.example/token"})");
  }
  Result<AccessToken> fetch(const std::string& file = "") {
    auto source =
        token_source({client_, runner_.node().workers(), runner_.node().files(), variables_}, file);
    auto got = run_one(runner_, source->fetch());
    if (!got) {
      EXPECT_EQ(got.error().message.find("hunter2"), std::string::npos) << got.error().message;
      EXPECT_EQ(got.error().message.find("BEGIN"), std::string::npos);
    }
    return got;
  }

  SimRunner runner_{1};
  http::FakeClient client_{runner_.loop()};
  Variables variables_{{"HOME", "/home/a"}};
};

TEST_F(TokenTest, AServiceAccountSignsForItsToken) {
  write_key("/keys/sa.json", std::string(crypto::kTestPrivateKey));
  client_.answer(200, R"({"access_token":"hunter2","expires_in":3599})");
  variables_["GOOGLE_APPLICATION_CREDENTIALS"] = "/keys/sa.json";
  auto got = fetch();
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_EQ(got->text.reveal(), "hunter2");
  EXPECT_TRUE(got->expires_at);
  EXPECT_EQ(client_.requests[0].url, "https://oauth2.example/token");
  std::string form = client_.sent_body(0);
  EXPECT_TRUE(form.starts_with(
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="));
  std::string assertion = form.substr(form.rfind('=') + 1);
  std::size_t last = assertion.rfind('.');
  auto signature =
      crypto::base64_decode(assertion.substr(last + 1), crypto::Base64::url_safe).value();
  EXPECT_TRUE(
      crypto::verify_rsa_sha256({std::string(crypto::kTestPublicKey),
                                 as_bytes(std::string_view(assertion).substr(0, last)), signature})
          .value());
  std::size_t first = assertion.find('.');
  auto claims_bytes =
      crypto::base64_decode(assertion.substr(first + 1, last - first - 1), crypto::Base64::url_safe)
          .value();
  auto claims = http::JsonFields::parse(as_text(claims_bytes)).value();
  EXPECT_EQ(claims.text("iss"), "a@b.c");
  EXPECT_EQ(claims.text("aud"), "https://oauth2.example/token");
  EXPECT_EQ(std::stoll(std::string(claims.text("exp"))),
            std::stoll(std::string(claims.text("iat"))) + 3'600);
}

TEST_F(TokenTest, WhatIsWrongWithAKeyIsSaidWithoutShowingIt) {
  write_key("/keys/sa.json", "hunter2");
  EXPECT_EQ(fetch("/keys/sa.json").error().code, ErrorCode::configuration);
  write("/keys/x.json", "hunter2");
  EXPECT_EQ(fetch("/keys/x.json").error().code, ErrorCode::configuration);
  write("/keys/y.json", R"({"type":"external_account","x":"hunter2"})");
  EXPECT_EQ(fetch("/keys/y.json").error().code, ErrorCode::configuration);
  EXPECT_EQ(fetch("/keys/none.json").error().code, ErrorCode::configuration);
  write_key("/keys/z.json", std::string(crypto::kTestPrivateKey));
  client_.answer(400, R"({"error":"invalid_grant hunter2"})");
  EXPECT_EQ(fetch("/keys/z.json").error().code, ErrorCode::configuration);
  client_.answer(503);
  EXPECT_EQ(fetch("/keys/z.json").error().code, ErrorCode::unavailable);
}

TEST_F(TokenTest, AUserOfGcloudTradesTheRefreshToken) {
  write("/home/a/.config/gcloud/application_default_credentials.json",
        R"({"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r/1"})");
  client_.answer(200, R"({"access_token":"t","expires_in":3599})");
  ASSERT_TRUE(fetch());
  EXPECT_EQ(client_.requests[0].url, "https://oauth2.googleapis.com/token");
  EXPECT_NE(client_.sent_body(0).find("refresh_token=r%2F1"), std::string::npos);
}

TEST_F(TokenTest, WithoutAFileTheMetadataServerIsAsked) {
  client_.answer(200, R"({"access_token":"t","expires_in":1000,"token_type":"Bearer"})");
  auto got = fetch();
  ASSERT_TRUE(got) << describe(got.error());
  EXPECT_NEAR(static_cast<double>(got->expires_at->value),
              static_cast<double>(runner_.loop().wall_now().value + 1'000'000), 5'000);
  EXPECT_EQ(client_.requests[0].url,
            "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/"
            "token");
  EXPECT_EQ(client_.sent_header(0, "metadata-flavor"), "Google");
  EXPECT_FALSE(client_.requests[0].use_proxy);
  client_.answer_error(ErrorCode::unavailable);
  auto none = fetch();
  EXPECT_EQ(none.error().code, ErrorCode::unavailable);
  EXPECT_NE(none.error().message.find("GOOGLE_APPLICATION_CREDENTIALS"), std::string::npos);
}

}  // namespace
}  // namespace weir::objstore::gcs
