#include "objstore/aws/metadata_sources.h"

#include <algorithm>
#include <array>

#include "objstore/aws/limits.h"
#include "objstore/aws/sigv4.h"

namespace weir::objstore::aws {
namespace {

http::ClientRequest metadata_request(std::string url) {
  http::ClientRequest request;
  request.url = std::move(url);
  request.response_bytes_max = kCredentialAnswerBytesMax;
  request.timeout = kMetadataMax;
  request.connect_timeout = kMetadataConnectMax;
  request.use_proxy = false;
  return request;
}

std::string without_space(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; });
  return out;
}

std::string instance_endpoint(const Surroundings& in) {
  std::string url = variable(in, "AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (url.empty())
    url = variable(in, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE") == "IPv6"
              ? "http://[fd00:ec2::254]"
              : "http://169.254.169.254";
  while (url.ends_with('/')) url.pop_back();
  return url;
}

}  // namespace

bool is_trusted_endpoint(std::string_view url) {
  if (url.starts_with("https://")) return true;
  if (!url.starts_with("http://")) return false;
  std::string_view host = url.substr(7);
  host = host.substr(0, host.find_first_of("/?#"));
  if (host.find('@') != std::string_view::npos) return false;
  if (host.starts_with('[')) {
    host = host.substr(0, host.find(']') + 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  static constexpr std::array<std::string_view, 5> kHosts = {"localhost", "[::1]", "169.254.170.2",
                                                             "169.254.170.23", "[fd00:ec2::23]"};
  if (std::ranges::find(kHosts, host) != kHosts.end()) return true;
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos;
}

/// The service is known to be slow or short of sockets just after a start.
rt::Task<Result<http::ClientResponse>> InstanceSource::ask_some_times(http::ClientRequest request) {
  for (int attempt = 1;; ++attempt) {
    auto answer = co_await ask_service(in_.client, request, describe());
    bool again = !answer && answer.error().is(ErrorCode::unavailable);
    if (!again || attempt >= kMetadataAttemptsMax) co_return answer;
    co_await rt::sleep_for(in_.client.loop(), 100ms * attempt);
  }
}

rt::Task<Result<Credentials>> InstanceSource::fetch() {
  if (variable(in_, "AWS_EC2_METADATA_DISABLED") == "true")
    co_return fail(ErrorCode::not_found, "instance metadata: switched off by its variable");
  std::string endpoint = instance_endpoint(in_);
  http::ClientRequest token_request = metadata_request(endpoint + "/latest/api/token");
  token_request.method = http::Method::put;
  token_request.headers = {{"x-aws-ec2-metadata-token-ttl-seconds", "21600"}};
  auto token = co_await ask_some_times(std::move(token_request));
  // Nobody there: this machine is none of Amazon's.
  if (!token && token.error().is(ErrorCode::unavailable))
    co_return fail(ErrorCode::not_found, "instance metadata: no answer from " + endpoint);
  if (!token) co_return std::unexpected(std::move(token).error());
  http::HeaderFields headers = {{"x-aws-ec2-metadata-token", without_space(token->text())}};
  std::string roles_url = endpoint + "/latest/meta-data/iam/security-credentials/";
  http::ClientRequest roles_request = metadata_request(roles_url);
  roles_request.headers = headers;
  auto roles = co_await ask_some_times(std::move(roles_request));
  if (!roles && roles.error().is(ErrorCode::not_found))
    co_return fail(ErrorCode::not_found, "instance metadata: this instance has no role");
  if (!roles) co_return std::unexpected(std::move(roles).error());
  std::string role(roles->text().substr(0, roles->text().find('\n')));
  http::ClientRequest request = metadata_request(roles_url + uri_escape(without_space(role)));
  request.headers = headers;
  auto answer = co_await ask_some_times(std::move(request));
  if (!answer) co_return std::unexpected(std::move(answer).error());
  co_return credentials_of_json(answer->text(), describe());
}

rt::Task<Result<Credentials>> ContainerSource::fetch() {
  std::string relative = variable(in_, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  std::string url = variable(in_, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (relative.empty() && url.empty())
    co_return fail(ErrorCode::not_found, "container endpoint: its variables are not set");
  if (!relative.empty()) url = "http://169.254.170.2" + relative;
  if (!is_trusted_endpoint(url))
    co_return fail(ErrorCode::configuration,
                   "AWS_CONTAINER_CREDENTIALS_FULL_URI: credentials are not asked for over plain "
                   "http from another machine; use https");
  std::string token = variable(in_, "AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (std::string path = variable(in_, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !path.empty()) {
    auto text = co_await read_small_file(in_, path);
    if (!text)
      co_return with_context({ErrorCode::configuration, std::move(text).error().message},
                             "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    token = without_space(*text);
  }
  http::ClientRequest request = metadata_request(url);
  if (!token.empty()) request.headers.emplace_back("authorization", token);
  auto answer = co_await ask_service(in_.client, std::move(request), describe());
  if (!answer && answer.error().is(ErrorCode::not_found))
    co_return fail(ErrorCode::configuration, answer.error().message);
  if (!answer) co_return std::unexpected(std::move(answer).error());
  co_return credentials_of_json(answer->text(), describe());
}

}  // namespace weir::objstore::aws
