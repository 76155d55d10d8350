#include "objstore/gcs/token.h"

#include <algorithm>

#include "base/units.h"
#include "crypto/base64.h"
#include "crypto/rsa.h"
#include "http/json_fields.h"
#include "objstore/gcs/gcs_options.h"
#include "objstore/gcs/limits.h"
#include "objstore/service.h"

namespace weir::objstore::gcs {
namespace {

constexpr std::string_view kScope = "https://www.googleapis.com/auth/devstorage.read_write";
constexpr std::string_view kTokenUri = "https://oauth2.googleapis.com/token";

std::string base64(std::string_view text) {
  return crypto::base64_encode(as_bytes(text), crypto::Base64::url_safe);
}

/// {"access_token": …, "expires_in": seconds}.
Result<AccessToken> token_of(const http::ClientResponse& answer, WallMillis now,
                             const std::string& who) {
  auto fields = http::JsonFields::parse(answer.text());
  if (!fields) return with_context(fields.error(), who);
  AccessToken token;
  token.text = Secret(std::string(fields->text("access_token")));
  auto seconds = parse_integer(fields->text("expires_in"));
  if (token.text.empty() || !seconds)
    return fail(ErrorCode::corrupt, who + ": the answer has no access_token or no expires_in");
  token.expires_at = WallMillis(now.value + std::clamp<std::int64_t>(*seconds, 0, 86'400) * 1'000);
  return token;
}

rt::Task<Result<AccessToken>> trade(http::Client& client, std::string url, std::string form,
                                    std::string who) {
  http::ClientRequest request;
  request.method = http::Method::post;
  request.url = std::move(url);
  request.headers = {{"content-type", "application/x-www-form-urlencoded"}};
  request.body = BytesChain(SharedBytes::copy_of(as_bytes(form)));
  request.timeout = kTokenServiceMax;
  WallMillis now = client.loop().wall_now();
  auto answer = co_await ask_service(client, std::move(request), who);
  if (answer) co_return token_of(*answer, now, who);
  Error error = std::move(answer).error();
  if (error.is(ErrorCode::configuration))
    error.message += "; the key was deleted or disabled, or this machine's clock is wrong";
  co_return std::unexpected(std::move(error));
}

class GoogleSource final : public TokenSource {
 public:
  GoogleSource(TokenParts parts, std::string file) : parts_(parts), file_(std::move(file)) {}

  rt::Task<Result<AccessToken>> fetch() override {
    bool named = !file_.empty();
    std::string path = named ? file_ : variable("GOOGLE_APPLICATION_CREDENTIALS");
    named = !path.empty();
    if (!named) path = variable("HOME") + "/.config/gcloud/application_default_credentials.json";
    auto text =
        co_await read_small_file({parts_.client.loop(), parts_.workers, parts_.files}, path);
    if (text) co_return co_await from_file(path, std::move(*text));
    if (named || !text.error().is(ErrorCode::not_found))
      co_return with_context({ErrorCode::configuration, std::move(text).error().message},
                             "Google credentials file " + path);
    co_return co_await from_metadata();
  }
  std::string describe() const override { return where_; }

 private:
  std::string variable(std::string_view name) const {
    auto found = parts_.variables.find(name);
    return found == parts_.variables.end() ? std::string() : found->second;
  }

  rt::Task<Result<AccessToken>> from_file(std::string path, std::string text) {
    where_ = "Google credentials file " + path;
    auto fields = http::JsonFields::parse(text);
    if (!fields) co_return with_context({ErrorCode::configuration, fields.error().message}, where_);
    std::string_view type = fields->text("type");
    std::string uri(fields->has("token_uri") ? fields->text("token_uri") : kTokenUri);
    if (type == "service_account") {
      ServiceAccount account{std::string(fields->text("client_email")),
                             std::string(fields->text("private_key_id")),
                             Secret(std::string(fields->text("private_key"))), uri};
      auto assertion = signed_assertion(account, parts_.client.loop().wall_now());
      if (!assertion) co_return with_context(assertion.error(), where_);
      co_return co_await trade(
          parts_.client, uri,
          "grant_type=" + escape("urn:ietf:params:oauth:grant-type:jwt-bearer") +
              "&assertion=" + *assertion,
          where_);
    }
    if (type == "authorized_user")
      co_return co_await trade(
          parts_.client, uri,
          "grant_type=refresh_token&client_id=" + escape(fields->text("client_id")) +
              "&client_secret=" + escape(fields->text("client_secret")) +
              "&refresh_token=" + escape(fields->text("refresh_token")),
          where_);
    co_return fail(ErrorCode::configuration,
                   where_ +
                       ": type is not service_account or authorized_user; make a key of a "
                       "service account, or run where there is a metadata server");
  }

  rt::Task<Result<AccessToken>> from_metadata() {
    where_ = "Google metadata server";
    std::string host = variable("GCE_METADATA_HOST");
    if (host.empty()) host = "metadata.google.internal";
    http::ClientRequest request;
    request.url = "http://" + host + "/computeMetadata/v1/instance/service-accounts/default/token";
    request.headers = {{"metadata-flavor", "Google"}};
    request.timeout = kMetadataMax;
    request.connect_timeout = kMetadataConnectMax;
    request.use_proxy = false;
    WallMillis now = parts_.client.loop().wall_now();
    auto answer = co_await ask_service(parts_.client, std::move(request), where_);
    if (answer) co_return token_of(*answer, now, where_);
    Error error = std::move(answer).error();
    if (error.is(ErrorCode::not_found)) error.code = ErrorCode::configuration;
    error.message +=
        "; set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account where there "
        "is no metadata server";
    co_return std::unexpected(std::move(error));
  }

  TokenParts parts_;
  std::string file_;
  std::string where_ = "Google credentials";
};

}  // namespace

Result<std::string> signed_assertion(const ServiceAccount& account, WallMillis now) {
  if (account.email.empty() || account.private_key.empty())
    return fail(ErrorCode::configuration, "the key file lacks client_email or private_key");
  std::int64_t issued = now.value / 1'000;
  std::string header =
      R"({"alg":"RS256","typ":"JWT","kid":)" + http::json_quote(account.key_id) + "}";
  std::string claims = R"({"iss":)" + http::json_quote(account.email) + R"(,"scope":)" +
                       http::json_quote(kScope) + R"(,"aud":)" +
                       http::json_quote(account.token_uri) + R"(,"iat":)" + std::to_string(issued) +
                       R"(,"exp":)" + std::to_string(issued + kJwtLife / 1s) + "}";
  std::string signed_part = base64(header) + "." + base64(claims);
  auto signature = crypto::rsa_sha256_signature(account.private_key, as_bytes(signed_part));
  if (!signature)
    return fail(ErrorCode::configuration, "private_key: " + signature.error().message);
  return signed_part + "." + base64(*signature);
}

std::unique_ptr<TokenSource> token_source(TokenParts parts, std::string file) {
  return std::make_unique<GoogleSource>(parts, std::move(file));
}

}  // namespace weir::objstore::gcs
