// 15 DescribeGroups, versions 0-6.
//
// Serves: groups of the classic protocol with their members; metadata and assignments of a stable
// group. An unknown group, or one of the consumer protocol, is "Dead" without an error, and
// GROUP_ID_NOT_FOUND from version 6 on. Authorized operations (3+) when asked. After a barrier. A
// group named twice is described once; where there is no memory: COORDINATOR_LOAD_IN_PROGRESS.
#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/handlers/repeated.h"
#include "broker/serve.h"
#include "wire/describe_groups.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::DescribeGroupsRequest;
using Response = wire::DescribeGroupsResponse;

/// Read, delete, describe, describe and alter configs, by Kafka's numbers.
constexpr std::int32_t kGroupOperations = 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 11;

void fill(engine::DescribedGroup& found, Response::DescribedGroup& out) {
  out.group_state = found.listing.state;
  out.protocol_type = found.listing.protocol_type;
  out.protocol_data = std::move(found.protocol_name);
  for (engine::DescribedMember& member : found.members)
    out.members.push_back({.member_id = std::move(member.id),
                           .group_instance_id = std::move(member.instance),
                           .client_id = std::move(member.client_id),
                           .client_host = std::move(member.client_host),
                           .member_metadata = std::move(member.metadata),
                           .member_assignment = std::move(member.assignment)});
}

std::size_t answer_bytes(const engine::DescribedGroup& found) {
  std::size_t bytes = sizeof(Response::DescribedGroup);
  for (const engine::DescribedMember& member : found.members)
    bytes += sizeof(Response::DescribedGroupMember) + member.id.size() + member.client_id.size() +
             member.client_host.size() + member.metadata.size() + member.assignment.size();
  return bytes;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request,
                          AnswerRoom& room) {
  fold_repeated(request.groups, [](const std::string& group) { return group; });
  std::vector<engine::DescribedGroup> found = co_await broker.engine().groups().describe_groups(
      request.groups, deadline_of(context.api_key, context.arrived));
  Response response;
  for (std::size_t i = 0; i < found.size(); ++i) {
    Response::DescribedGroup& out = response.groups.emplace_back();
    out.group_id = request.groups[i];
    if (request.include_authorized_operations) out.authorized_operations = kGroupOperations;
    if (check_group_id(out.group_id) != KafkaError::none) {
      out.error_code = context.tell(KafkaError::invalid_group_id);
    } else if (found[i].refusal == state::Refusal::group_not_found) {
      out.group_state = "Dead";
      if (context.version < 6) continue;
      out.error_code = context.tell(KafkaError::group_id_not_found);
      out.error_message = "there is no classic group \"" + out.group_id + "\"";
    } else if (!found[i].ok()) {
      out.error_code = context.tell(error_of(found[i]));
    } else if (!co_await room.take(answer_bytes(found[i]))) {
      out.error_code = context.tell(KafkaError::coordinator_load_in_progress);
      if (context.version >= 6) out.error_message = room.refusal("groups");
    } else {
      fill(found[i], out);
    }
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> describe_groups(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve_large<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
