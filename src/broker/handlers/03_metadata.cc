// 03 Metadata, versions 0-13.
//
// Serves: all topics, topics by name, topics by id (10+). An unknown topic is said to be unknown
// only after a barrier; a barrier that fails is LEADER_NOT_AVAILABLE, which no client takes for a
// deletion. Auto-creation where request (4+) and `auto.create.topics.enable` allow it, with
// `num.partitions` and `default.replication.factor`. Leaders in the client's zone, never -1;
// replicas = isr; the controller is this broker. Reserved names are absent. Where there is no
// memory for the answer: LEADER_NOT_AVAILABLE, which clients retry. Authorized operations: "not
// computed" until there are ACLs.
#include "broker/deadlines.h"
#include "broker/handlers/auto_create.h"
#include "broker/handlers/handlers.h"
#include "broker/handlers/partition_layout.h"
#include "broker/handlers/repeated.h"
#include "broker/limits.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "broker/topic_names.h"
#include "wire/metadata.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::MetadataRequest;
using Response = wire::MetadataResponse;
using Topic = Response::MetadataResponseTopic;
using Asked = Request::MetadataRequestTopic;

Topic describe(const Placement& placement, const state::TopicInfo& topic) {
  Topic out{.name = topic.name, .topic_id = topic.id};
  out.partitions.reserve(static_cast<std::size_t>(topic.partitions));
  for (std::int32_t p = 0; p < topic.partitions; ++p) {
    const PartitionLayout layout = layout_of(placement, topic, p);
    Response::MetadataResponsePartition& row = out.partitions.emplace_back();
    row.partition_index = p;
    row.leader_id = layout.leader;
    row.leader_epoch = layout.epoch;
    row.replica_nodes = layout.replicas;
    row.isr_nodes = layout.replicas;
  }
  return out;
}

Topic refused(const RequestContext& context, const Asked& asked, KafkaError error) {
  Topic out{.error_code = context.tell(error), .name = asked.name, .topic_id = asked.topic_id};
  // A name is nullable only from 12 on.
  if (context.version < 12 && !out.name) out.name = std::string();
  return out;
}

const state::TopicInfo* find(const Broker& broker, const Asked& asked) {
  return find_topic(broker.catalog(), asked.topic_id, asked.name.value_or(""));
}

KafkaError absent(const Asked& asked, const Result<void>& barrier) {
  if (asked.topic_id.is_nil() && !topic_name_problem(asked.name.value_or("")).empty())
    return KafkaError::invalid_topic_exception;
  if (!barrier) return to_kafka(ApiClass::metadata, barrier.error().code);
  return asked.topic_id.is_nil() ? KafkaError::unknown_topic_or_partition
                                 : KafkaError::unknown_topic_id;
}

/// Names that are unknown after a barrier and may be created.
std::vector<std::string> creatable(const Broker& broker, const std::vector<Asked>& asked) {
  std::vector<std::string> names;
  for (const Asked& item : asked)
    if (item.topic_id.is_nil() && !find(broker, item) && names.size() < kAutoCreateTopicsMax &&
        topic_name_problem(item.name.value_or("")).empty() && !is_reserved_topic(*item.name))
      names.push_back(*item.name);
  return names;
}

bool is_missing(const Broker& broker, const std::vector<Asked>& asked) {
  for (const Asked& item : asked)
    if (!find(broker, item)) return true;
  return false;
}

void fill_cluster(const Broker& broker, const Placement& placement, Response& response) {
  for (const VisibleBroker& node : placement.visible())
    response.brokers.push_back(
        {.node_id = node.id.value, .host = node.host, .port = node.port, .rack = node.rack});
  response.cluster_id = broker.catalog().cluster_id();
  response.controller_id = broker.engine().node_id().value;
}

std::size_t answer_bytes(const state::TopicInfo& topic) {
  // Both lists of replicas, before and after encoding.
  const std::size_t replicas = static_cast<std::size_t>(topic.replication_factor) * 16;
  return static_cast<std::size_t>(topic.partitions) *
         (sizeof(Response::MetadataResponsePartition) + 64 + replicas);
}

std::size_t answer_bytes(const Broker& broker, bool all, const std::vector<Asked>& asked) {
  std::size_t bytes = 0;
  const auto add = [&](const state::TopicInfo& topic) {
    bytes += answer_bytes(topic);
    return true;
  };
  if (all) broker.catalog().visit_topics("", add);
  for (const Asked& item : asked)
    if (const state::TopicInfo* topic = find(broker, item)) add(*topic);
  return bytes;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request,
                          AnswerRoom& room) {
  const MonoTime deadline = deadline_of(context.api_key, context.arrived);
  const bool all = !request.topics || (context.version == 0 && request.topics->empty());
  std::vector<Asked> asked = request.topics.value_or(std::vector<Asked>());
  fold_repeated(asked,
                [](const Asked& item) { return std::pair(item.topic_id, item.name.value_or("")); });
  Result<void> barrier;
  CreationErrors failed;
  if (!all && is_missing(broker, asked)) {
    FreshLook fresh(broker, deadline);
    barrier = co_await fresh.ensure();
    if (barrier && request.allow_auto_topic_creation)
      failed = co_await auto_create(broker, creatable(broker, asked), deadline);
  }
  const bool fits = co_await room.take(answer_bytes(broker, all, asked));
  // No suspension from here on: the placement is a view.
  const Placement placement(broker.engine(), context.connection.listener, context.zone);
  Response response;
  fill_cluster(broker, placement, response);
  const auto add = [&](const state::TopicInfo& topic) {
    if (placement.known() && fits)
      response.topics.push_back(describe(placement, topic));
    else
      response.topics.push_back(refused(context, {.topic_id = topic.id, .name = topic.name},
                                        KafkaError::leader_not_available));
    return true;
  };
  if (all) broker.catalog().visit_topics("", add);
  for (const Asked& item : asked) {
    const state::TopicInfo* topic = find(broker, item);
    if (topic) {
      add(*topic);
      continue;
    }
    const auto why = failed.find(item.name.value_or(""));
    response.topics.push_back(
        refused(context, item, why == failed.end() ? absent(item, barrier) : why->second));
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> metadata(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve_large<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
