// 13 LeaveGroup, versions 0-5.
//
// Serves: one member (0-2) or several (3+), each with its own answer; static members by their
// instance id alone. A member that waits to be known leaves as well. UNKNOWN_MEMBER_ID,
// FENCED_INSTANCE_ID.
#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/leave_group.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::LeaveGroupRequest;
using Response = wire::LeaveGroupResponse;

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  if (check_group_id(request.group_id) != KafkaError::none) {
    response.error_code = context.tell(KafkaError::invalid_group_id);
    co_return response;
  }
  std::vector<engine::LeavingId> leaving;
  if (context.version < 3) leaving.push_back({request.member_id, std::nullopt});
  for (const Request::MemberIdentity& member : request.members)
    leaving.push_back({member.member_id, member.group_instance_id});
  const std::vector<engine::GroupOutcome> outcomes =
      co_await broker.engine().groups().leave(std::move(request.group_id), std::move(leaving),
                                              deadline_of(context.api_key, context.arrived));
  if (context.version < 3) {
    response.error_code = context.tell(error_of(outcomes.front()));
    co_return response;
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Request::MemberIdentity& member = request.members[i];
    if (outcomes[i].failure) response.error_code = context.tell(error_of(outcomes[i]));
    response.members.push_back({.member_id = std::move(member.member_id),
                                .group_instance_id = std::move(member.group_instance_id),
                                .error_code = context.tell(error_of(outcomes[i]))});
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> leave_group(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
