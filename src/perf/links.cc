#include "perf/links.h"

#include <algorithm>
#include <map>

#include "base/narrow.h"
#include "client/admin_client.h"
#include "client/kafka_error.h"
#include "perf/limits.h"

namespace weir::perf {

rt::Task<Result<void>> Links::open(Wanted wanted, MonoTime deadline) {
  Result<client::TopicMetadata> topic;
  for (;;) {
    topic = co_await cluster_.topic(wanted.topic, deadline);
    if (!topic) co_return std::unexpected(topic.error());
    const bool led = std::ranges::all_of(topic->partitions,
                                         [](const auto& each) { return each.leader.value >= 0; });
    if (led && !topic->partitions.empty()) break;
    if (cluster_.loop().now() >= deadline || cluster_.is_shut())
      co_return fail(ErrorCode::unavailable, "not all partitions have a leader");
    cluster_.forget(wanted.topic);
    co_await rt::sleep_for(cluster_.loop(), kTopicPause);
  }
  std::map<NodeId, std::vector<PartitionIndex>> led;
  for (const client::PartitionMetadata& each : topic->partitions)
    led[each.leader].push_back(each.index);
  const std::size_t each = std::max<std::size_t>(1, wanted.connections / led.size());
  for (auto& [leader, partitions] : led)
    WEIR_CO_TRY(co_await open_leader(leader, partitions, each, deadline));
  for (Share& share : shares_) WEIR_CO_TRY(co_await await_service(share, wanted.topic, deadline));
  co_return Result<void>();
}

rt::Task<Result<void>> Links::open_leader(NodeId leader, std::vector<PartitionIndex> partitions,
                                          std::size_t connections, MonoTime deadline) {
  const auto& brokers = cluster_.brokers();
  auto found = std::ranges::find(brokers, leader, &client::BrokerMetadata::id);
  if (found == brokers.end())
    co_return fail(ErrorCode::unavailable,
                   "the cluster names no address of broker " + std::to_string(leader.value));
  const rt::Endpoint at = found->at;
  const std::size_t first = shares_.size();
  for (std::size_t i = 0; i < std::min(connections, partitions.size()); ++i) {
    Result<std::unique_ptr<client::Connection>> connection =
        co_await client::Connection::open(cluster_.loop(), network_, at, "weir-perf", deadline);
    if (!connection) co_return std::unexpected(connection.error());
    shares_.push_back({.connection = std::move(*connection), .partitions = {}});
  }
  const std::size_t opened = shares_.size() - first;
  for (std::size_t i = 0; i < partitions.size(); ++i)
    shares_[first + i % opened].partitions.push_back(partitions[i]);
  co_return Result<void>();
}

rt::Task<Result<void>> Links::await_service(Share& share, std::string topic, MonoTime deadline) {
  for (;;) {
    Result<std::vector<Offset>> offsets =
        co_await list_offsets(share, {.topic = topic, .time = kLatest, .deadline = deadline});
    if (offsets) co_return Result<void>();
    if (!offsets.error().is(ErrorCode::unavailable) || share.connection->broken() ||
        cluster_.loop().now() >= deadline || cluster_.is_shut())
      co_return std::unexpected(offsets.error());
    co_await rt::sleep_for(cluster_.loop(), kTopicPause);
  }
}

rt::Task<void> Links::close() {
  for (Share& share : shares_) co_await share.connection->close();
  shares_.clear();
}

rt::Task<Result<void>> ensure_topic(client::Cluster& cluster, WantedTopic topic,
                                    MonoTime deadline) {
  client::AdminClient admin(cluster);
  client::NewTopic wanted{.name = topic.name, .partitions = topic.partitions};
  auto outcomes = co_await admin.create_topics({std::move(wanted)}, deadline);
  if (!outcomes) co_return std::unexpected(outcomes.error());
  for (const client::ItemOutcome& each : *outcomes)
    if (each.error && !each.error->is(ErrorCode::already_exists))
      co_return with_context(*each.error, each.name);
  // A topic that was just made may not have reached the broker that is asked.
  for (;;) {
    Result<client::TopicMetadata> found = co_await cluster.topic(topic.name, deadline);
    if (found) co_return Result<void>();
    if (!found.error().is(ErrorCode::not_found) || cluster.loop().now() >= deadline ||
        cluster.is_shut())
      co_return std::unexpected(found.error());
    co_await rt::sleep_for(cluster.loop(), kTopicPause);
  }
}

rt::Task<Result<std::vector<Offset>>> list_offsets(Share& share, OffsetsQuery query) {
  wire::ListOffsetsRequest request;
  request.replica_id = -1;
  auto& topic = request.topics.emplace_back();
  topic.name = query.topic;
  for (PartitionIndex index : share.partitions)
    topic.partitions.push_back({.partition_index = index.value, .timestamp = query.time});
  Result<wire::ListOffsetsResponse> answer =
      co_await share.connection->call(std::move(request), {.deadline = query.deadline});
  if (!answer) co_return std::unexpected(answer.error());
  std::map<PartitionIndex, Offset> found;
  for (const auto& each : answer->topics)
    for (const auto& partition : each.partitions) {
      const client::KafkaErrorTraits traits = client::traits_of(partition.error_code);
      if (partition.error_code != 0 && (traits.retriable || traits.refresh_metadata))
        co_return fail(ErrorCode::unavailable, "the topic is not served yet: " +
                                                   client::to_error(partition.error_code).message);
      if (partition.error_code != 0)
        co_return std::unexpected(client::to_error(partition.error_code));
      found[PartitionIndex(partition.partition_index)] = Offset(partition.offset);
    }
  std::vector<Offset> offsets;
  for (PartitionIndex index : share.partitions) {
    auto at = found.find(index);
    if (at == found.end())
      co_return fail(ErrorCode::corrupt, "the answer to ListOffsets leaves out partition " +
                                             std::to_string(index.value));
    offsets.push_back(at->second);
  }
  co_return offsets;
}

}  // namespace weir::perf
