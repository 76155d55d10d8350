// 45 AlterPartitionReassignments, versions 0-1.
//
// Serves: partitions are placed by rendezvous hash and replicated by the store, so nothing can be
// moved. An assignment to known brokers is taken (NONE) and has ended at once without an effect:
// ListPartitionReassignments lists none, and Metadata goes on naming the brokers that serve. What
// Kafka refuses is refused: no broker, one twice or unknown (INVALID_REPLICA_ASSIGNMENT), another
// number of brokers where the request forbids it (INVALID_REPLICATION_FACTOR). Cancelling (null):
// NO_REASSIGNMENT_IN_PROGRESS. Unknown partitions, after a barrier: UNKNOWN_TOPIC_OR_PARTITION.
#include <algorithm>
#include <set>

#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/handlers/partition_layout.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "wire/alter_partition_reassignments.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::AlterPartitionReassignmentsRequest;
using Response = wire::AlterPartitionReassignmentsResponse;
using Asked = Request::ReassignablePartition;

struct Verdict {
  KafkaError error = KafkaError::none;
  std::string message;
};

Verdict judge_replicas(const Placement& placement, const state::TopicInfo& topic,
                       const Asked& asked, bool may_change_factor) {
  const std::set<std::int32_t> wanted(asked.replicas->begin(), asked.replicas->end());
  if (wanted.empty()) return {KafkaError::invalid_replica_assignment, "The replica list is empty."};
  if (wanted.size() != asked.replicas->size())
    return {KafkaError::invalid_replica_assignment, "The replica list names a broker twice."};
  for (std::int32_t node : wanted)
    if (!placement.find(NodeId(node)))
      return {KafkaError::invalid_replica_assignment,
              "There is no broker " + std::to_string(node) + "."};
  const auto present = layout_of(placement, topic, asked.partition_index).replicas;
  if (may_change_factor || wanted.size() == present.size()) return {};
  return {KafkaError::invalid_replication_factor,
          "The request forbids another replication factor, and the partition has " +
              std::to_string(present.size()) + " replicas."};
}

Verdict judge(const Broker& broker, const Placement& placement, const std::string& name,
              const Asked& asked, bool may_change_factor) {
  const state::TopicInfo* topic = broker.catalog().topic(std::string_view(name));
  if (!topic || !has_partition(*topic, asked.partition_index))
    return {KafkaError::unknown_topic_or_partition, "There is no such partition."};
  if (!asked.replicas)
    return {KafkaError::no_reassignment_in_progress, "No partition is ever being reassigned."};
  if (!placement.known()) return {KafkaError::request_timed_out, "This broker is still starting."};
  return judge_replicas(placement, *topic, asked, may_change_factor);
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const Result<void> barrier = co_await broker.engine().barrier(
      deadline_of(context.api_key, context.arrived, std::max(request.timeout_ms, 0)));
  const Placement placement(broker.engine(), context.connection.listener, context.zone);
  Response response;
  response.allow_replication_factor_change = request.allow_replication_factor_change;
  response.error_message.reset();
  for (const auto& topic : request.topics) {
    auto& out = response.responses.emplace_back();
    out.name = topic.name;
    for (const Asked& asked : topic.partitions) {
      Verdict verdict;
      if (barrier)
        verdict =
            judge(broker, placement, topic.name, asked, request.allow_replication_factor_change);
      else
        verdict = {to_kafka(ApiClass::admin, barrier.error().code), barrier.error().message};
      auto& item = out.partitions.emplace_back();
      item.partition_index = asked.partition_index;
      item.error_code = context.tell(verdict.error);
      item.error_message.reset();
      if (verdict.error != KafkaError::none) item.error_message = std::move(verdict.message);
    }
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> alter_partition_reassignments(Broker& broker, RequestContext& context,
                                              SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
