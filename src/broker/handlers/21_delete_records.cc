// 21 DeleteRecords, versions 0-2.
//
// Serves: a new start for each partition; -1 means the high watermark. Beyond it, or below -1:
// OFFSET_OUT_OF_RANGE. Topics that are only compacted: POLICY_VIOLATION. Unknown partitions after a
// barrier. The low watermark in the answer is the partition's start, -1 with an error.
#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "wire/delete_records.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::DeleteRecordsRequest;
using Response = wire::DeleteRecordsResponse;

KafkaError check(Broker& broker, const Request::DeleteRecordsTopic& asked,
                 const Request::DeleteRecordsPartition& partition, const Result<void>& barrier,
                 state::PartitionRef& at) {
  const state::TopicInfo* topic = broker.catalog().topic(std::string_view(asked.name));
  if (!topic || !has_partition(*topic, partition.partition_index))
    return barrier ? KafkaError::unknown_topic_or_partition
                   : to_kafka(ApiClass::admin, barrier.error().code);
  if (partition.offset < -1) return KafkaError::offset_out_of_range;
  const config::TopicSettings& settings = broker.settings_of(*topic);
  if (settings.compact && !settings.remove_old) return KafkaError::policy_violation;
  at = {topic->id, PartitionIndex(partition.partition_index)};
  return KafkaError::none;
}

bool all_known(const Broker& broker, const Request& request) {
  for (const auto& asked : request.topics) {
    const state::TopicInfo* topic = broker.catalog().topic(std::string_view(asked.name));
    for (const auto& partition : asked.partitions)
      if (!topic || !has_partition(*topic, partition.partition_index)) return false;
  }
  return true;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const MonoTime deadline =
      deadline_of(context.api_key, context.arrived, std::max(request.timeout_ms, 0));
  Result<void> barrier;
  if (!all_known(broker, request)) barrier = co_await broker.engine().barrier(deadline);
  Response response;
  std::vector<engine::DeleteRecordsItem> items;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const auto& asked : request.topics) {
    auto& out = response.topics.emplace_back();
    out.name = asked.name;
    for (const auto& partition : asked.partitions) {
      state::PartitionRef at;
      const KafkaError error = check(broker, asked, partition, barrier, at);
      out.partitions.push_back({.partition_index = partition.partition_index,
                                .low_watermark = -1,
                                .error_code = context.tell(error)});
      if (error != KafkaError::none) continue;
      items.push_back({at, Offset(partition.offset)});
      places.emplace_back(response.topics.size() - 1, out.partitions.size() - 1);
    }
  }
  if (items.empty()) co_return response;
  const auto outcomes = co_await broker.engine().delete_records(std::move(items), deadline);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    auto& out = response.topics[places[i].first].partitions[places[i].second];
    const auto& outcome = outcomes[i];
    if (outcome.ok())
      out.low_watermark = outcome.log_start.value;
    else
      out.error_code =
          context.tell(outcome.failure ? to_kafka(ApiClass::admin, outcome.failure->code)
                                       : to_kafka(ApiClass::admin, outcome.refusal));
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> delete_records(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
