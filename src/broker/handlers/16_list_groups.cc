// 16 ListGroups, versions 0-5.
//
// Serves: the groups whose coordinator this broker is named to be, so that clients that ask every
// broker see each once. Filters by state (4+) and type (5+), in any case of letters; an empty
// filter is none. After a barrier; COORDINATOR_NOT_AVAILABLE where that cannot be had.
#include <algorithm>
#include <cctype>
#include <set>

#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/placement.h"
#include "broker/serve.h"
#include "wire/list_groups.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::ListGroupsRequest;
using Response = wire::ListGroupsResponse;

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// A set, because a request may name a million words.
using Filter = std::set<std::string>;
Filter filter_of(std::vector<std::string>& words) {
  Filter filter;
  for (std::string& word : words) filter.insert(lowered(std::move(word)));
  return filter;
}

bool passes(const Filter& filter, std::string_view value) {
  return filter.empty() || filter.contains(lowered(std::string(value)));
}

std::string_view type_name(state::GroupKind kind) {
  return kind == state::GroupKind::consumer ? "consumer" : "classic";
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  auto groups =
      co_await broker.engine().groups().list_groups(deadline_of(context.api_key, context.arrived));
  const std::optional<std::string> no_zone;
  const Placement placement(broker.engine(), context.connection.listener, no_zone);
  if (!groups || !placement.known()) {
    response.error_code = context.tell(KafkaError::coordinator_not_available);
    co_return response;
  }
  const Filter states = filter_of(request.states_filter);
  const Filter types = filter_of(request.types_filter);
  for (engine::GroupListing& group : *groups) {
    if (placement.coordinator(group.group) != broker.engine().node_id()) continue;
    const std::string_view type = type_name(group.kind);
    if (!passes(states, group.state) || !passes(types, type)) continue;
    response.groups.push_back({.group_id = std::move(group.group),
                               .protocol_type = std::move(group.protocol_type),
                               .group_state = std::move(group.state),
                               .group_type = std::string(type)});
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> list_groups(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
