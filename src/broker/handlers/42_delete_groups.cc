// 42 DeleteGroups, versions 0-3.
//
// Serves: groups of every kind, with their offsets, all in one commit. NON_EMPTY_GROUP while a
// group has members, GROUP_ID_NOT_FOUND, INVALID_GROUP_ID for an empty id.
#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/delete_groups.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::DeleteGroupsRequest;
using Response = wire::DeleteGroupsResponse;

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  std::vector<std::string> groups;
  for (const std::string& group : request.groups_names)
    if (check_group_id(group) == KafkaError::none) groups.push_back(group);
  std::vector<engine::GroupOutcome> outcomes;
  if (!groups.empty())
    outcomes = co_await broker.engine().groups().delete_groups(
        std::move(groups), deadline_of(context.api_key, context.arrived));
  Response response;
  std::size_t next = 0;
  for (std::string& group : request.groups_names) {
    KafkaError error = check_group_id(group);
    if (error == KafkaError::none) error = error_of(outcomes[next++]);
    response.results.push_back({.group_id = std::move(group), .error_code = context.tell(error)});
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> delete_groups(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
