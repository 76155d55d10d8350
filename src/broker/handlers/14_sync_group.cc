// 14 SyncGroup, versions 0-5.
//
// Serves: the leader's assignments; each member's own, when it is there. ILLEGAL_GENERATION,
// UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, REBALANCE_IN_PROGRESS while a rebalance is prepared (also
// for a request that was parked then), INCONSISTENT_GROUP_PROTOCOL where type or name (5+) are not
// the group's.
#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/sync_group.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::SyncGroupRequest;
using Response = wire::SyncGroupResponse;

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  if (check_group_id(request.group_id) != KafkaError::none) {
    response.error_code = context.tell(KafkaError::invalid_group_id);
    co_return response;
  }
  engine::SyncRequest sync;
  sync.from = {std::move(request.group_id), std::move(request.member_id),
               std::move(request.group_instance_id), request.generation_id};
  sync.protocol_type = std::move(request.protocol_type);
  sync.protocol_name = std::move(request.protocol_name);
  for (Request::SyncGroupRequestAssignment& one : request.assignments)
    sync.assignments.emplace_back(std::move(one.member_id), std::move(one.assignment));
  engine::SyncAnswer answer = co_await broker.engine().groups().sync(
      std::move(sync), deadline_of(context.api_key, context.arrived),
      &context.connection.cancelled);
  if (!answer.ok()) {
    response.error_code = context.tell(error_of(answer));
    co_return response;
  }
  response.protocol_type = std::move(answer.protocol_type);
  response.protocol_name = std::move(answer.protocol_name);
  response.assignment = std::move(answer.assignment);
  co_return response;
}

}  // namespace

rt::Task<Reply> sync_group(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
