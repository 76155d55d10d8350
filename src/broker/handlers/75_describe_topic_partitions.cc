// 75 DescribeTopicPartitions, version 0 (KIP-966).
//
// Serves: all topics or the named ones, in name order, in pages: at most
// `response_partition_limit` partitions, bounded by `max.request.partition.size.limit`; the cursor
// of an answer is where the next one begins. Unknown named topics after a barrier. Eligible leader
// replicas: none, for every broker is eligible.
#include <algorithm>
#include <set>

#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/handlers/partition_layout.h"
#include "broker/serve.h"
#include "broker/topic_names.h"
#include "wire/describe_topic_partitions.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::DescribeTopicPartitionsRequest;
using Response = wire::DescribeTopicPartitionsResponse;
using Topic = Response::DescribeTopicPartitionsResponseTopic;

struct Page {
  Response response;
  std::int64_t left = 0;
};

/// False when the page is full; the cursor is then set.
bool add_topic(const Placement& placement, const state::TopicInfo& topic, std::int32_t from,
               Page& page) {
  if (page.left == 0) {
    page.response.next_cursor = {.topic_name = topic.name, .partition_index = from};
    return false;
  }
  Topic& out = page.response.topics.emplace_back();
  out.name = topic.name;
  out.topic_id = topic.id;
  for (std::int32_t p = from; p < topic.partitions; ++p) {
    if (page.left == 0) {
      page.response.next_cursor = {.topic_name = topic.name, .partition_index = p};
      return false;
    }
    --page.left;
    const PartitionLayout layout = layout_of(placement, topic, p);
    auto& row = out.partitions.emplace_back();
    row.partition_index = p;
    row.leader_id = layout.leader;
    row.leader_epoch = layout.epoch;
    row.replica_nodes = layout.replicas;
    row.isr_nodes = layout.replicas;
    row.eligible_leader_replicas.emplace();
    row.last_known_elr.emplace();
  }
  return true;
}

void add_refused(const RequestContext& context, const std::string& name, KafkaError error,
                 Page& page) {
  Topic& out = page.response.topics.emplace_back();
  out.error_code = context.tell(error);
  out.name = name;
}

bool any_unknown(const Broker& broker, const std::set<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    return !broker.catalog().topic(std::string_view(name));
  });
}

std::int64_t page_limit(const Broker& broker, const Request& request) {
  const std::int64_t most =
      config::broker_integer(broker.config_sources(), "max.request.partition.size.limit");
  return std::min<std::int64_t>(most, std::max(request.response_partition_limit, 1));
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Page page;
  const bool all = request.topics.empty();
  const std::string from = request.cursor ? request.cursor->topic_name : "";
  const std::int32_t from_partition =
      request.cursor ? std::max(request.cursor->partition_index, 0) : 0;
  std::set<std::string> names;
  for (const auto& topic : request.topics)
    if (topic.name >= from) names.insert(topic.name);
  Result<void> barrier;
  if (any_unknown(broker, names))
    barrier = co_await broker.engine().barrier(deadline_of(context.api_key, context.arrived));
  page.left = page_limit(broker, request);
  const Placement placement(broker.engine(), context.connection.listener, context.zone);
  const auto start = [&](const std::string& name) { return name == from ? from_partition : 0; };
  if (all && placement.known())
    broker.catalog().visit_topics(from, [&](const state::TopicInfo& topic) {
      return add_topic(placement, topic, start(topic.name), page);
    });
  for (const std::string& name : names) {
    const state::TopicInfo* topic = broker.catalog().topic(std::string_view(name));
    if (topic && placement.known()) {
      if (!add_topic(placement, *topic, start(name), page)) break;
      continue;
    }
    KafkaError error = KafkaError::leader_not_available;
    if (!topic && !topic_name_problem(name).empty())
      error = KafkaError::invalid_topic_exception;
    else if (!topic && barrier)
      error = KafkaError::unknown_topic_or_partition;
    add_refused(context, name, error, page);
  }
  co_return std::move(page.response);
}

}  // namespace

rt::Task<Reply> describe_topic_partitions(Broker& broker, RequestContext& context,
                                          SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
