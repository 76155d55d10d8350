#include "objstore/s3/connection.h"

#include "objstore/aws/sigv4.h"
#include "objstore/s3/limits.h"

namespace weir::objstore::s3 {

Connection::Connection(http::Client& client, aws::CredentialsProvider& credentials,
                       const S3Options& options, Signer signer)
    : client_(client),
      credentials_(credentials),
      options_(options),
      signer_(signer),
      where_(options.describe()),
      base_url_(options.base_url()) {}

Asked Connection::asked(Call call) const {
  return {.call = call,
          .where = where_,
          .region = options_.region,
          .credentials_source = {},
          .credentials_renewable = false,
          .now = client_.loop().wall_now()};
}

namespace {

/// Whoever could change bytes on the way to a server of this machine could do so anywhere here.
bool is_on_this_machine(std::string_view endpoint) {
  std::size_t scheme = endpoint.find("://");
  if (scheme != std::string_view::npos) endpoint.remove_prefix(scheme + 3);
  return endpoint.starts_with("127.") || endpoint.starts_with("[::1]") || endpoint == "localhost" ||
         endpoint.starts_with("localhost:");
}

}  // namespace

std::string Connection::payload_of(const BytesChain& body) const {
  bool covered = options_.payload == PayloadSigning::always ||
                 (options_.payload == PayloadSigning::automatic && !options_.over_tls() &&
                  !(options_.checksum && is_on_this_machine(options_.endpoint)));
  if (body.empty() || covered) return aws::payload_hash(body);
  return std::string(aws::kUnsignedPayload);
}

http::ClientRequest Connection::request_of(Ask& ask) const {
  http::ClientRequest request;
  request.method = ask.method;
  request.url = base_url_ + "/" + aws::uri_escape(ask.key, aws::Slash::keep);
  if (!ask.query.empty()) request.url += "?" + ask.query;
  request.headers = std::move(ask.headers);
  request.body = std::move(ask.body);
  request.response_bytes_max = ask.answer_bytes_max;
  request.timeout = ask.timeout;
  request.connect_timeout = kConnectTimeout;
  return request;
}

rt::Task<Result<http::ClientResponse>> Connection::send(Ask ask, Trip& trip) {
  Result<aws::Credentials> credentials =
      co_await credentials_.credentials(client_.loop().now() + kCredentialsTimeout);
  if (!credentials)
    co_return with_context(credentials.error(), std::string(to_string(ask.call)) + " on " + where_);

  // Asked after the fact, when it is known which of several places had some.
  std::string source = credentials_.describe();
  Asked question = asked(ask.call);
  question.credentials_source = source;
  question.credentials_renewable = credentials->expires_at.has_value();
  http::ClientRequest request = request_of(ask);
  std::string payload = payload_of(request.body);
  aws::sign(request, {.credentials = *credentials,
                      .region = options_.region,
                      .service = signer_.service,
                      .now = question.now,
                      .payload = payload,
                      .token_header = signer_.token_header});
  Result<http::ClientResponse> answer = co_await client_.send(std::move(request));
  if (!answer) co_return std::unexpected(without_answer(question, answer.error()));
  if (answer->status == 200 || answer->status == 204 || answer->status == 206) co_return answer;

  question.now = client_.loop().wall_now();
  Refusal refusal = refusal_of(question, *answer);
  if (refusal.credentials_refused) credentials_.refused(*credentials);
  if (refusal.throttled) trip = {.throttled = true, .retry_after = refusal.retry_after};
  co_return std::unexpected(std::move(refusal.error));
}

Error Connection::error_inside(Call call, std::string_view code, std::string_view message,
                               Trip& trip) const {
  Asked question = asked(call);
  std::string source = credentials_.describe();
  question.credentials_source = source;
  Refusal refusal = refusal_of_code(question, code, message);
  if (refusal.throttled) trip.throttled = true;
  return std::move(refusal.error);
}

}  // namespace weir::objstore::s3
