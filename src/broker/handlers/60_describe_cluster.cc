// 60 DescribeCluster, versions 0-2.
//
// Serves: the live brokers with their zones as racks, the cluster id, this broker as controller.
// Endpoints of controllers (1+): MISMATCHED_ENDPOINT_TYPE, there are none. Fenced brokers (2+):
// there are none. Authorized operations: "not computed" until there are ACLs.
#include "broker/handlers/handlers.h"
#include "broker/placement.h"
#include "broker/serve.h"
#include "wire/describe_cluster.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::DescribeClusterRequest;
using Response = wire::DescribeClusterResponse;

constexpr std::int8_t kBrokers = 1;
constexpr std::int8_t kControllers = 2;

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  response.cluster_id = broker.catalog().cluster_id();
  if (request.endpoint_type != kBrokers) {
    response.error_code =
        context.tell(request.endpoint_type == kControllers ? KafkaError::mismatched_endpoint_type
                                                           : KafkaError::unsupported_endpoint_type);
    response.error_message = "This is an endpoint of brokers.";
    co_return response;
  }
  const Placement placement(broker.engine(), context.connection.listener, context.zone);
  response.controller_id = broker.engine().node_id().value;
  for (const VisibleBroker& node : placement.visible())
    response.brokers.push_back(
        {.broker_id = node.id.value, .host = node.host, .port = node.port, .rack = node.rack});
  co_return response;
}

}  // namespace

rt::Task<Reply> describe_cluster(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
