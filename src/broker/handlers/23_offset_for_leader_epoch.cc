// 23 OffsetForLeaderEpoch, versions 2-4.
//
// Serves: an epoch up to the current one: that epoch without an end, for weir never truncates; an
// epoch above it, or none: -1 and -1. After a barrier, so that no epoch and no topic is taken for
// unknown that another broker has brought. Leader epochs as docs/design.md, 12.
//
// The log end of this moment would be true but soon passed by a fetch under way. librdkafka (2.1
// and later) takes an end below its position for a truncation, seeks back to it and drops what it
// has queued: records that its application never sees. Clients only ask whether an end is below
// their position.
#include <limits>

#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/placement.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "wire/offset_for_leader_epoch.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::OffsetForLeaderEpochRequest;
using Response = wire::OffsetForLeaderEpochResponse;

Response::EpochEndOffset answer(const Broker& broker, const RequestContext& context,
                                const Placement& placement, const std::string& name,
                                const Request::OffsetForLeaderPartition& asked) {
  Response::EpochEndOffset out{.partition = asked.partition};
  const state::TopicInfo* topic = broker.catalog().topic(std::string_view(name));
  if (!topic || !has_partition(*topic, asked.partition)) {
    out.error_code = context.tell(KafkaError::unknown_topic_or_partition);
    return out;
  }
  const state::PartitionRef at{topic->id, PartitionIndex(asked.partition)};
  const KafkaError error = placement.check_epoch(at, asked.current_leader_epoch);
  out.error_code = context.tell(error);
  if (error != KafkaError::none) return out;
  if (asked.leader_epoch < 0 || asked.leader_epoch > placement.epoch().value) return out;
  out.leader_epoch = asked.leader_epoch;
  out.end_offset = std::numeric_limits<std::int64_t>::max();
  return out;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const Result<void> barrier =
      co_await broker.engine().barrier(deadline_of(context.api_key, context.arrived));
  const Placement placement(broker.engine(), context.connection.listener, context.zone);
  Response response;
  for (const auto& topic : request.topics) {
    auto& out = response.topics.emplace_back();
    out.topic = topic.topic;
    for (const auto& asked : topic.partitions) {
      if (barrier) {
        out.partitions.push_back(answer(broker, context, placement, topic.topic, asked));
        continue;
      }
      out.partitions.push_back(
          {.error_code = context.tell(to_kafka(ApiClass::fetch, barrier.error().code)),
           .partition = asked.partition});
    }
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> offset_for_leader_epoch(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
