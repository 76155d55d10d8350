// 18 ApiVersions, versions 0-5 (KIP-35, KIP-511, KIP-1242).
//
// Serves: the handler table and nothing else; Produce is listed from 0 for librdkafka. Features
// (3+): those whose APIs are served, in force at the folded position. A version that we do not have
// is answered in version 0 with UNSUPPORTED_VERSION and the one row of ApiVersions, on an open
// connection; the response header is always version 0. Client software name and version (3+) are
// checked and kept. A request that names another cluster or node (5+) meant somebody else:
// REBOOTSTRAP_REQUIRED.
#include "broker/features.h"
#include "broker/handlers/handlers.h"
#include "broker/limits.h"
#include "broker/serve.h"
#include "wire/api_table.h"
#include "wire/api_versions.h"

namespace weir::broker::handlers {
namespace {

constexpr std::int16_t kKey = wire::ApiVersionsRequest::kApiKey;

wire::ApiVersionsResponse::ApiVersion row_of(const wire::ApiInfo& api) {
  return {.api_key = api.key, .min_version = api.advertised_min, .max_version = api.version_max};
}

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// KIP-511: letters and digits, with '-' and '.' inside.
bool is_software_text(std::string_view text) {
  if (text.empty() || text.size() > kClientTextBytesMax) return false;
  if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  for (char c : text)
    if (!is_alphanumeric(c) && c != '-' && c != '.') return false;
  return true;
}

KafkaError check(const RequestContext& context, const wire::ApiVersionsRequest& request) {
  if (context.version < 3) return KafkaError::none;
  if (!is_software_text(request.client_software_name) ||
      !is_software_text(request.client_software_version))
    return KafkaError::invalid_request;
  return KafkaError::none;
}

void add_features(const Broker& broker, wire::ApiVersionsResponse& response) {
  for (const Feature& feature : features_of(broker)) {
    response.supported_features.push_back({.name = std::string(feature.name),
                                           .min_version = feature.lowest,
                                           .max_version = feature.highest});
    response.finalized_features.push_back({.name = std::string(feature.name),
                                           .max_version_level = feature.level,
                                           .min_version_level = feature.level});
  }
  response.finalized_features_epoch =
      static_cast<std::int64_t>(broker.engine().status().folded.value);
}

}  // namespace

rt::Task<Reply> api_versions(Broker& broker, RequestContext& context, SharedBytes body) {
  wire::ApiVersionsRequest request;
  if (auto decoded = decode_request(request, std::move(body), context.version); !decoded)
    co_return undecodable(decoded.error());
  wire::ApiVersionsResponse response;
  const KafkaError error = check(context, request);
  response.error_code = context.tell(error);
  if (error == KafkaError::none) {
    context.connection.software_name = request.client_software_name;
    context.connection.software_version = request.client_software_version;
    for (const HandlerRow& row : broker.table().rows)
      response.api_keys.push_back(row_of(*wire::find_api(row.key)));
    if (context.version >= 3) {
      co_await rt::resume_on(broker.loop());
      add_features(broker, response);
      co_await rt::resume_on(*context.connection.lane);
    }
  }
  co_return encode_reply(response, context);
}

Reply refuse_api_versions(const HandlerTable&, const RequestContext& context) {
  wire::ApiVersionsResponse response;
  response.error_code = context.tell(KafkaError::unsupported_version);
  response.api_keys.push_back(row_of(*wire::find_api(kKey)));
  RequestContext first(context.connection, context.metrics);
  first.api_key = kKey;
  first.version = 0;
  first.correlation_id = context.correlation_id;
  return encode_reply(response, first);
}

}  // namespace weir::broker::handlers
