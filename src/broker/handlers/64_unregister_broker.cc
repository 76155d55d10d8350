// 64 UnregisterBroker, version 0.
//
// Serves: takes a broker that died out of the cluster at once, without waiting for its session to
// end. A broker that lives after all finds itself expired and registers again. The broker that
// answers: INVALID_REQUEST, stop it instead. An id that no broker holds, after a barrier:
// BROKER_ID_NOT_REGISTERED.
#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/unregister_broker.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::UnregisterBrokerRequest;
using Response = wire::UnregisterBrokerResponse;

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const NodeId node(request.broker_id);
  Response response;
  const auto say = [&](KafkaError error, std::string message) {
    response.error_code = context.tell(error);
    response.error_message = std::move(message);
    return response;
  };
  if (node == broker.engine().node_id())
    co_return say(KafkaError::invalid_request,
                  "Broker " + std::to_string(node.value) + " is this one; stop its process.");
  const engine::Outcome outcome =
      co_await broker.engine().expire_broker(node, deadline_of(context.api_key, context.arrived));
  response.error_message.reset();
  if (outcome.ok()) co_return response;
  if (outcome.failure)
    co_return say(to_kafka(ApiClass::admin, outcome.failure->code), outcome.failure->message);
  if (outcome.refusal == state::Refusal::not_found)
    co_return say(KafkaError::broker_id_not_registered,
                  "Broker ID " + std::to_string(node.value) + " is not currently registered");
  co_return say(to_kafka(ApiClass::admin, outcome.refusal),
                "The broker gave a sign of life in between.");
}

}  // namespace

rt::Task<Reply> unregister_broker(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
