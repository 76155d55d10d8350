// 55 DescribeQuorum, versions 0-2.
//
// Serves: `__cluster_metadata` partition 0 stands for the commit log, so that kafka-metadata-quorum
// shows how far it has come. There is no quorum: the store arbitrates. The broker that answers is
// leader and only voter, as it is the controller everywhere else; its log end is the position after
// the last entry that it has folded, after a barrier. The other live brokers are observers at the
// position of their last sign of life, which is all that is known of them. Any other partition:
// UNKNOWN_TOPIC_OR_PARTITION. The leader epoch is the placement epoch.
#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/placement.h"
#include "broker/serve.h"
#include "wire/describe_quorum.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::DescribeQuorumRequest;
using Response = wire::DescribeQuorumResponse;
using Partition = Response::PartitionData;

constexpr std::string_view kLogTopic = "__cluster_metadata";

std::int64_t end_after(Position position) { return static_cast<std::int64_t>(position.value) + 1; }

void describe(const Broker& broker, const Placement& placement, Partition& out) {
  const NodeId self = broker.engine().node_id();
  const std::int64_t now_ms = broker.loop().wall_now().value;
  out.leader_id = self.value;
  out.leader_epoch = placement.epoch().value;
  out.high_watermark = end_after(broker.engine().status().folded);
  out.current_voters.push_back({.replica_id = self.value,
                                .log_end_offset = out.high_watermark,
                                .last_fetch_timestamp = now_ms,
                                .last_caught_up_timestamp = now_ms});
  for (const state::BrokerInfo& other : broker.catalog().brokers())
    if (other.node_id != self)
      out.observers.push_back(
          {.replica_id = other.node_id.value, .log_end_offset = end_after(other.last_sign)});
}

Partition answer(const Broker& broker, const RequestContext& context, const Placement& placement,
                 const std::string& topic, std::int32_t partition, const Result<void>& barrier) {
  Partition out{.partition_index = partition};
  out.error_message.reset();
  if (topic != kLogTopic || partition != 0) {
    out.error_code = context.tell(KafkaError::unknown_topic_or_partition);
    out.error_message = "Only __cluster_metadata-0 has a quorum to describe.";
  } else if (!barrier) {
    out.error_code = context.tell(to_kafka(ApiClass::admin, barrier.error().code));
    out.error_message = barrier.error().message;
  } else {
    describe(broker, placement, out);
  }
  return out;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const Result<void> barrier =
      co_await broker.engine().barrier(deadline_of(context.api_key, context.arrived));
  const Placement placement(broker.engine(), context.connection.listener, context.zone);
  Response response;
  response.error_message.reset();
  for (const auto& topic : request.topics) {
    auto& out = response.topics.emplace_back();
    out.topic_name = topic.topic_name;
    for (const auto& asked : topic.partitions)
      out.partitions.push_back(
          answer(broker, context, placement, topic.topic_name, asked.partition_index, barrier));
  }
  if (context.version < 2) co_return response;
  for (const VisibleBroker& node : placement.visible()) {
    auto& out = response.nodes.emplace_back();
    out.node_id = node.id.value;
    out.listeners.push_back(
        {.name = context.connection.listener, .host = node.host, .port = node.port});
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> describe_quorum(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
