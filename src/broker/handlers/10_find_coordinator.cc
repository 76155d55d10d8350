// 10 FindCoordinator, versions 0-6.
//
// Serves: key types group (0), transaction (1) and share (2), one key (0-3) or many (4+). The
// answer is a hint by rendezvous hash that keeps a group's traffic together; any broker serves any
// group. Unknown key types: INVALID_REQUEST. Share keys need version 6. Before this broker is
// registered: COORDINATOR_NOT_AVAILABLE, which clients retry. A key named twice is answered once.
#include "broker/handlers/handlers.h"
#include "broker/handlers/repeated.h"
#include "broker/placement.h"
#include "broker/serve.h"
#include "wire/find_coordinator.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::FindCoordinatorRequest;
using Response = wire::FindCoordinatorResponse;

constexpr std::int8_t kGroup = 0;
constexpr std::int8_t kTransaction = 1;
constexpr std::int8_t kShare = 2;

bool is_key_type(std::int8_t type, std::int16_t version) {
  return type == kGroup || type == kTransaction || (type == kShare && version >= 6);
}

Response::Coordinator find_one(const RequestContext& context, const Placement& placement,
                               std::int8_t type, const std::string& key) {
  Response::Coordinator out{.key = key, .node_id = -1, .port = -1};
  out.error_message = std::nullopt;
  const auto refuse = [&](KafkaError error, std::string message) {
    out.error_code = context.tell(error);
    out.error_message = std::move(message);
    return out;
  };
  if (!is_key_type(type, context.version))
    return refuse(KafkaError::invalid_request,
                  "unknown key type " + std::to_string(static_cast<int>(type)));
  if (!placement.known())
    return refuse(KafkaError::coordinator_not_available, "this broker is still starting");
  const auto broker = placement.find(placement.coordinator(key));
  if (!broker) return refuse(KafkaError::coordinator_not_available, "no coordinator is known");
  out.node_id = broker->id.value;
  out.host = broker->host;
  out.port = broker->port;
  return out;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const std::optional<std::string> no_zone;
  const Placement placement(broker.engine(), context.connection.listener, no_zone);
  Response response;
  if (context.version >= 4) {
    fold_repeated(request.coordinator_keys, [](const std::string& key) { return key; });
    for (const std::string& key : request.coordinator_keys)
      response.coordinators.push_back(find_one(context, placement, request.key_type, key));
    co_return response;
  }
  Response::Coordinator one = find_one(context, placement, request.key_type, request.key);
  response.error_code = one.error_code;
  response.error_message = std::move(one.error_message);
  response.node_id = one.node_id;
  response.host = std::move(one.host);
  response.port = one.port;
  co_return response;
}

}  // namespace

rt::Task<Reply> find_coordinator(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
