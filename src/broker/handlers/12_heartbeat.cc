// 12 Heartbeat, versions 0-4.
//
// Serves: answered from the state as it is here; costs no request to the store, but for what it
// has to refuse: ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID come after a barrier.
// REBALANCE_IN_PROGRESS while a rebalance is prepared.
#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/heartbeat.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::HeartbeatRequest;
using Response = wire::HeartbeatResponse;

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  if (check_group_id(request.group_id) != KafkaError::none) {
    response.error_code = context.tell(KafkaError::invalid_group_id);
    co_return response;
  }
  engine::MemberId from{std::move(request.group_id), std::move(request.member_id),
                        std::move(request.group_instance_id), request.generation_id};
  const engine::GroupOutcome outcome = co_await broker.engine().groups().heartbeat(
      std::move(from), deadline_of(context.api_key, context.arrived));
  response.error_code = context.tell(error_of(outcome));
  co_return response;
}

}  // namespace

rt::Task<Reply> heartbeat(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
