// 61 DescribeProducers, version 0 (KIP-664).
//
// Serves: what a partition remembers of its idempotent producers: epoch, last sequence, and the
// timestamp of the stored span that holds the last record. Everything after a barrier, so any
// broker answers for any partition. Without transactions there is no coordinator epoch (-1) and no
// open transaction (-1). Unknown partitions: UNKNOWN_TOPIC_OR_PARTITION. Where the barrier fails:
// NOT_LEADER_OR_FOLLOWER, the one answer after which Kafka's admin client asks again;
// likewise where there is no memory for the answer. What is named twice is described once.
#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/handlers/repeated.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "wire/describe_producers.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::DescribeProducersRequest;
using Response = wire::DescribeProducersResponse;

/// A producer in an answer, before and after encoding.
constexpr std::size_t kProducerBytes = sizeof(Response::ProducerState) + 40;

Response::PartitionResponse describe(const Broker& broker, const RequestContext& context,
                                     const std::string& name, std::int32_t partition) {
  Response::PartitionResponse out{.partition_index = partition};
  const state::TopicInfo* topic = broker.catalog().topic(std::string_view(name));
  if (!topic || !has_partition(*topic, partition)) {
    out.error_code = context.tell(KafkaError::unknown_topic_or_partition);
    return out;
  }
  for (const state::ProducerInfo& producer :
       broker.catalog().producers({topic->id, PartitionIndex(partition)})) {
    auto& row = out.active_producers.emplace_back();
    row.producer_id = producer.id.value;
    row.producer_epoch = producer.epoch.value;
    row.last_sequence = producer.last_sequence;
    row.last_timestamp = producer.last_timestamp_ms;
    row.coordinator_epoch = -1;
  }
  return out;
}

using AskedTopic = Request::TopicRequest;

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request,
                          AnswerRoom& room) {
  fold_topics(
      request.topics, [](const AskedTopic& topic) { return topic.name; },
      &AskedTopic::partition_indexes);
  const Result<void> barrier =
      co_await broker.engine().barrier(deadline_of(context.api_key, context.arrived));
  Response response;
  for (const auto& topic : request.topics) {
    auto& out = response.topics.emplace_back();
    out.name = topic.name;
    for (std::int32_t partition : topic.partition_indexes) {
      if (barrier) {
        Response::PartitionResponse found = describe(broker, context, topic.name, partition);
        if (co_await room.take(sizeof(found) + found.active_producers.size() * kProducerBytes)) {
          out.partitions.push_back(std::move(found));
          continue;
        }
      }
      auto& failed = out.partitions.emplace_back();
      failed.partition_index = partition;
      failed.error_code = context.tell(KafkaError::not_leader_or_follower);
      failed.error_message = barrier ? room.refusal("partitions") : barrier.error().message;
    }
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> describe_producers(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve_large<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
