#include "objstore/aws/token_services.h"

#include "base/units.h"
#include "crypto/digest.h"
#include "http/json_fields.h"
#include "http/xml.h"
#include "objstore/aws/limits.h"
#include "objstore/aws/sigv4.h"
#include "objstore/iso_time.h"

namespace weir::objstore::aws {
namespace {

using Form = std::vector<std::pair<std::string_view, std::string>>;

http::ClientRequest form_request(const std::string& url, const Form& form) {
  std::string body;
  for (const auto& [name, value] : form)
    body += (body.empty() ? "" : "&") + std::string(name) + "=" + uri_escape(value);
  http::ClientRequest request;
  request.method = http::Method::post;
  request.url = url;
  request.headers = {{"content-type", "application/x-www-form-urlencoded"}};
  request.body = BytesChain(SharedBytes::copy_of(as_bytes(body)));
  request.response_bytes_max = kCredentialAnswerBytesMax;
  request.timeout = kTokenServiceMax;
  return request;
}

/// What STS says is wrong: a code and a sentence, which repeat names but no secrets.
std::unexpected<Error> sts_error(const http::ClientResponse& answer, const std::string& who) {
  std::string why = who + " answered with status " + std::to_string(answer.status);
  auto root = http::parse_xml(answer.text());
  std::string code(root ? root->child_text("Error/Code") : std::string_view());
  if (!code.empty())
    why += ": " + code + ", " + std::string(root->child_text("Error/Message").substr(0, 300));
  bool passing = answer.status == 429 || answer.status >= 500 || code == "Throttling" ||
                 code == "IDPCommunicationError";
  return fail(passing ? ErrorCode::unavailable : ErrorCode::configuration, why);
}

rt::Task<Result<Credentials>> ask_sts(http::Client& client, http::ClientRequest request,
                                      std::string action) {
  std::string who = "STS " + action;
  auto answer = co_await client.send(std::move(request));
  if (!answer) {
    Error error = std::move(answer).error();
    if (!error.is(ErrorCode::configuration)) error.code = ErrorCode::unavailable;
    co_return with_context(std::move(error), who);
  }
  if (answer->status != 200) co_return sts_error(*answer, who);
  auto root = http::parse_xml(answer->text());
  if (!root) co_return with_context(root.error(), who);
  std::string path = action + "Result/Credentials/";
  Credentials out;
  out.access_key_id = root->child_text(path + "AccessKeyId");
  out.secret_access_key = Secret(std::string(root->child_text(path + "SecretAccessKey")));
  out.session_token = Secret(std::string(root->child_text(path + "SessionToken")));
  if (out.access_key_id.empty() || out.secret_access_key.empty())
    co_return fail(ErrorCode::corrupt, who + ": the answer has no credentials");
  auto expiry = parse_iso_time(root->child_text(path + "Expiration"));
  if (!expiry) co_return with_context(expiry.error(), who);
  out.expires_at = *expiry;
  co_return out;
}

std::string session_or_default(const std::string& name) { return name.empty() ? "weir" : name; }

}  // namespace

StsPlace sts_place(const Surroundings& in, std::string_view region) {
  StsPlace place{variable(in, "AWS_ENDPOINT_URL_STS"), std::string(region)};
  if (place.region.empty()) place.region = variable(in, "AWS_REGION");
  if (place.region.empty()) place.region = variable(in, "AWS_DEFAULT_REGION");
  bool global = place.region.empty();
  if (global) place.region = "us-east-1";
  if (!place.url.empty()) return place;
  std::string domain = place.region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com";
  place.url = "https://sts" + (global ? "" : "." + place.region) + domain + "/";
  return place;
}

rt::Task<Result<Credentials>> assume_role(const Surroundings& in, StsPlace at, RoleStep role,
                                          Credentials with) {
  Form form = {{"Action", "AssumeRole"},
               {"Version", "2011-06-15"},
               {"RoleArn", role.role_arn},
               {"RoleSessionName", session_or_default(role.session_name)}};
  if (!role.external_id.empty()) form.emplace_back("ExternalId", role.external_id);
  if (!role.duration_seconds.empty()) form.emplace_back("DurationSeconds", role.duration_seconds);
  http::ClientRequest request = form_request(at.url, form);
  std::string hash = payload_hash(request.body);
  sign(request, {.credentials = with,
                 .region = at.region,
                 .service = "sts",
                 .now = in.client.loop().wall_now(),
                 .payload = hash,
                 .send_payload_hash = false});
  co_return co_await ask_sts(in.client, std::move(request), "AssumeRole");
}

rt::Task<Result<Credentials>> assume_with_web_identity(const Surroundings& in, StsPlace at,
                                                       WebIdentity identity) {
  auto token = co_await read_small_file(in, identity.token_file);
  if (!token)
    co_return with_context({ErrorCode::configuration, std::move(token).error().message},
                           "web identity token");
  while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) token->pop_back();
  http::ClientRequest request =
      form_request(at.url, {{"Action", "AssumeRoleWithWebIdentity"},
                            {"Version", "2011-06-15"},
                            {"RoleArn", identity.role_arn},
                            {"RoleSessionName", session_or_default(identity.session_name)},
                            {"WebIdentityToken", *token}});
  co_return co_await ask_sts(in.client, std::move(request), "AssumeRoleWithWebIdentity");
}

rt::Task<Result<Credentials>> sso_credentials(const Surroundings& in, Properties profile) {
  const std::string& session = profile["sso_session"];
  const std::string& key = session.empty() ? profile["sso_start_url"] : session;
  std::string name = to_hex(crypto::sha1(as_bytes(key)));
  std::string path = variable(in, "HOME") + "/.aws/sso/cache/" + name + ".json";
  std::string remedy = "; run `aws sso login` for this profile";
  auto text = co_await read_small_file(in, path);
  if (!text) co_return fail(ErrorCode::configuration, "SSO: no cached token in " + path + remedy);
  auto cached = http::JsonFields::parse(*text);
  if (!cached) co_return with_context(cached.error(), "SSO: " + path);
  auto expiry = parse_iso_time(cached->text("expiresAt"));
  std::string token(cached->text("accessToken"));
  if (token.empty() || !expiry || *expiry <= in.client.loop().wall_now())
    co_return fail(ErrorCode::configuration, "SSO: the token in " + path + " has expired" + remedy);
  std::string endpoint = variable(in, "AWS_ENDPOINT_URL_SSO");
  if (endpoint.empty()) endpoint = "https://portal.sso." + profile["sso_region"] + ".amazonaws.com";
  http::ClientRequest request;
  request.url = endpoint +
                "/federation/credentials?role_name=" + uri_escape(profile["sso_role_name"]) +
                "&account_id=" + uri_escape(profile["sso_account_id"]);
  request.headers = {{"x-amz-sso_bearer_token", token}};
  request.response_bytes_max = kCredentialAnswerBytesMax;
  request.timeout = kTokenServiceMax;
  auto answer = co_await ask_service(in.client, std::move(request), "SSO");
  if (!answer) co_return std::unexpected(std::move(answer).error());
  auto fields = http::JsonFields::parse(answer->text());
  if (!fields) co_return with_context(fields.error(), "SSO");
  Credentials out;
  out.access_key_id = fields->text("roleCredentials.accessKeyId");
  out.secret_access_key = Secret(std::string(fields->text("roleCredentials.secretAccessKey")));
  out.session_token = Secret(std::string(fields->text("roleCredentials.sessionToken")));
  if (out.access_key_id.empty() || out.secret_access_key.empty())
    co_return fail(ErrorCode::corrupt, "SSO: the answer has no credentials");
  if (auto millis = parse_integer(fields->text("roleCredentials.expiration")))
    out.expires_at = WallMillis(*millis);
  co_return out;
}

}  // namespace weir::objstore::aws
