#include "broker/handlers/fetch_plan.h"

#include "broker/deadlines.h"
#include "broker/topic_lookup.h"

namespace weir::broker::handlers {
namespace {

/// A barrier of a fetch may take longer than its max_wait, which is often below a round trip.
constexpr Duration kFetchBarrierMax = 10s;

ResolvedAsk resolve_one(const Broker& broker, const Placement& placement, const FetchAsk& ask,
                        bool by_id) {
  ResolvedAsk out{.ask = ask};
  const state::TopicInfo* topic = by_id ? broker.catalog().topic(ask.key.id)
                                        : broker.catalog().topic(std::string_view(ask.key.name));
  if (!topic) {
    out.error = by_id ? KafkaError::unknown_topic_id : KafkaError::unknown_topic_or_partition;
    return out;
  }
  if (!has_partition(*topic, ask.key.partition)) {
    out.error = KafkaError::unknown_topic_or_partition;
    return out;
  }
  out.at = {topic->id, PartitionIndex(ask.key.partition)};
  out.error = placement.check_epoch(out.at, ask.current_leader_epoch);
  return out;
}

}  // namespace

FetchSessionRequest session_request(const wire::FetchRequest& request, std::int16_t version) {
  const bool sessions = version >= 7;
  FetchSessionRequest out;
  out.uses_topic_ids = version >= 13;
  out.session_id = sessions ? request.session_id : 0;
  out.epoch = sessions ? request.session_epoch : -1;
  for (const auto& topic : request.topics)
    for (const auto& partition : topic.partitions)
      out.asks.push_back({.key = {topic.topic, topic.topic_id, partition.partition},
                          .offset = partition.fetch_offset,
                          .bytes_max = partition.partition_max_bytes,
                          .current_leader_epoch = partition.current_leader_epoch,
                          .last_fetched_epoch = partition.last_fetched_epoch});
  for (const auto& topic : request.forgotten_topics_data)
    for (std::int32_t partition : topic.partitions)
      out.forgotten.push_back({topic.topic, topic.topic_id, partition});
  return out;
}

rt::Task<std::vector<ResolvedAsk>> resolve(Broker& broker, const RequestContext& context,
                                           const std::vector<FetchAsk>& asks,
                                           const std::optional<std::string>& zone) {
  const bool by_id = context.version >= 13;
  std::vector<ResolvedAsk> out;
  bool doubtful = false;
  {
    const Placement placement(broker.engine(), context.connection.listener, zone);
    for (const FetchAsk& ask : asks) {
      out.push_back(resolve_one(broker, placement, ask, by_id));
      doubtful |= out.back().error != KafkaError::none;
    }
  }
  if (!doubtful) co_return out;
  FreshLook fresh(broker, broker.loop().now() + kFetchBarrierMax);
  const Result<void> barrier = co_await fresh.ensure();
  const Placement placement(broker.engine(), context.connection.listener, zone);
  for (ResolvedAsk& item : out) {
    if (item.error == KafkaError::none) continue;
    item = resolve_one(broker, placement, item.ask, by_id);
    if (item.error != KafkaError::none && !barrier)
      item.error = to_kafka(ApiClass::fetch, barrier.error().code);
  }
  co_return out;
}

}  // namespace weir::broker::handlers
