// 74 ListConfigResources, versions 0-1 (KIP-1142).
//
// Serves: the names of what configs can be asked for: topics, brokers, broker loggers (one name per
// broker, though there are none), client metrics subscriptions, groups that have configs. Version 0
// and an empty list in version 1 mean: subscriptions alone, and all types. Types that are not
// served: UNSUPPORTED_VERSION, as in Kafka. Everything after a barrier.
#include <algorithm>

#include "broker/deadlines.h"
#include "broker/handlers/config_resources.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/list_config_resources.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::ListConfigResourcesRequest;
using Response = wire::ListConfigResourcesResponse;

constexpr ResourceKind kKinds[] = {ResourceKind::topic, ResourceKind::broker,
                                   ResourceKind::broker_logger, ResourceKind::client_metrics,
                                   ResourceKind::group};

bool is_served(std::int8_t type) {
  return std::ranges::find(kKinds, static_cast<ResourceKind>(type)) != std::end(kKinds);
}

void list(const Broker& broker, ResourceKind kind, Response& response) {
  const auto add = [&](const std::string& name) {
    response.config_resources.push_back(
        {.resource_name = name, .resource_type = static_cast<std::int8_t>(kind)});
  };
  switch (kind) {
    case ResourceKind::topic:
      broker.catalog().visit_topics("", [&](const state::TopicInfo& topic) {
        add(topic.name);
        return true;
      });
      break;
    case ResourceKind::broker:
    case ResourceKind::broker_logger: {
      std::optional<NodeId> last;
      for (const state::BrokerInfo& info : broker.catalog().brokers())
        if (std::exchange(last, info.node_id) != info.node_id)
          add(std::to_string(info.node_id.value));
      break;
    }
    case ResourceKind::client_metrics:
    case ResourceKind::group:
      broker.catalog().visit_resources(
          static_cast<state::ResourceType>(kind),
          [&](const std::string& name, const state::ConfigMap&) { add(name); });
      break;
  }
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  std::vector<std::int8_t> types = request.resource_types;
  if (context.version == 0) types = {static_cast<std::int8_t>(ResourceKind::client_metrics)};
  if (types.empty())
    for (ResourceKind kind : kKinds) types.push_back(static_cast<std::int8_t>(kind));
  if (!std::ranges::all_of(types, is_served)) {
    response.error_code = context.tell(KafkaError::unsupported_version);
    co_return response;
  }
  const Result<void> barrier =
      co_await broker.engine().barrier(deadline_of(context.api_key, context.arrived));
  if (!barrier) {
    response.error_code = context.tell(to_kafka(ApiClass::admin, barrier.error().code));
    co_return response;
  }
  for (ResourceKind kind : kKinds)
    if (std::ranges::find(types, static_cast<std::int8_t>(kind)) != types.end())
      list(broker, kind, response);
  co_return response;
}

}  // namespace

rt::Task<Reply> list_config_resources(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
