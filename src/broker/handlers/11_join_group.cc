// 11 JoinGroup, versions 0-9.
//
// Serves: new members, who must come again with the id they are given from version 4 on
// (MEMBER_ID_REQUIRED, KIP-394); static members (5+, KIP-345) with `skip_assignment` for a leader
// that comes back (9+); the answer when the join completes, on whichever broker waits for it.
// INVALID_GROUP_ID for an empty id, INVALID_SESSION_TIMEOUT outside of `group.min.` and
// `group.max.session.timeout.ms`, INCONSISTENT_GROUP_PROTOCOL, GROUP_MAX_SIZE_REACHED
// (`group.max.size`). In version 0 the session time-out is the rebalance time-out.
#include <algorithm>

#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/join_group.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::JoinGroupRequest;
using Response = wire::JoinGroupResponse;

std::int32_t option(const Broker& broker, std::string_view name) {
  const std::int64_t value = config::broker_integer(broker.config_sources(), name);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, 0, INT32_MAX));
}

KafkaError check(const Broker& broker, const Request& request) {
  if (check_group_id(request.group_id) != KafkaError::none) return KafkaError::invalid_group_id;
  if (request.session_timeout_ms < option(broker, "group.min.session.timeout.ms") ||
      request.session_timeout_ms > option(broker, "group.max.session.timeout.ms"))
    return KafkaError::invalid_session_timeout;
  if (request.protocol_type.empty() || request.protocols.empty())
    return KafkaError::inconsistent_group_protocol;
  return KafkaError::none;
}

engine::JoinRequest join_of(Broker& broker, const RequestContext& context, Request& request) {
  engine::JoinRequest join;
  join.new_member = new_member_id(broker, context, request.group_instance_id);
  join.group = std::move(request.group_id);
  join.member = request.member_id;
  join.instance = std::move(request.group_instance_id);
  join.require_known_member = context.version >= 4;
  join.client_id = context.client_id.value_or("");
  join.client_id.resize(std::min(join.client_id.size(), kGroupIdBytesMax));
  join.client_host = client_host_of(context);
  join.session_timeout_ms = std::max(request.session_timeout_ms, 1);
  join.rebalance_timeout_ms =
      context.version == 0 ? join.session_timeout_ms : std::max(request.rebalance_timeout_ms, 1);
  join.protocol_type = std::move(request.protocol_type);
  for (Request::JoinGroupRequestProtocol& protocol : request.protocols)
    join.protocols.push_back({std::move(protocol.name), std::move(protocol.metadata)});
  join.group_size_max = std::max(option(broker, "group.max.size"), 1);
  join.initial_delay_ms = option(broker, "group.initial.rebalance.delay.ms");
  return join;
}

void fill(const RequestContext& context, engine::JoinAnswer& answer, Response& response) {
  response.generation_id = answer.generation;
  response.protocol_type = std::move(answer.protocol_type);
  response.protocol_name = std::move(answer.protocol_name);
  response.member_id = answer.member;
  // Before version 9 a static leader that comes back is not told that it leads: it would assign.
  const bool told = !answer.skip_assignment || context.version >= 9;
  if (!told) return;
  response.leader = std::move(answer.leader);
  response.skip_assignment = answer.skip_assignment;
  for (engine::JoinedMember& member : answer.members)
    response.members.push_back({.member_id = std::move(member.id),
                                .group_instance_id = std::move(member.instance),
                                .metadata = std::move(member.metadata)});
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  response.member_id = request.member_id;
  if (const KafkaError error = check(broker, request); error != KafkaError::none) {
    response.error_code = context.tell(error);
    co_return response;
  }
  const std::int64_t patience_ms =
      std::int64_t{std::max(request.rebalance_timeout_ms, 0)} + request.session_timeout_ms;
  const MonoTime deadline = deadline_of(context.api_key, context.arrived, patience_ms);
  engine::JoinAnswer answer = co_await broker.engine().groups().join(
      join_of(broker, context, request), deadline, &context.connection.cancelled);
  if (answer.member_id_required) {
    response.error_code = context.tell(KafkaError::member_id_required);
    response.member_id = answer.member;
  } else if (!answer.ok()) {
    response.error_code = context.tell(error_of(answer));
  } else {
    fill(context, answer, response);
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> join_group(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
