// 43 ElectLeaders, versions 0-2.
//
// Serves: every partition always has the leader that placement gives it, so no election is ever
// needed: ELECTION_NOT_NEEDED for what exists, for preferred and unclean elections alike. All
// partitions (null): an empty answer, for Kafka leaves out what needs no election there. Unknown
// partitions, after a barrier: UNKNOWN_TOPIC_OR_PARTITION. Unknown election types: INVALID_REQUEST.
#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "wire/elect_leaders.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::ElectLeadersRequest;
using Response = wire::ElectLeadersResponse;
using Item = Response::PartitionResult;

constexpr std::int8_t kPreferred = 0;
constexpr std::int8_t kUnclean = 1;

Item judge(const Broker& broker, const RequestContext& context, const std::string& name,
           std::int32_t partition, const Result<void>& barrier) {
  Item out{.partition_id = partition};
  const auto say = [&](KafkaError error, std::string message) {
    out.error_code = context.tell(error);
    out.error_message = std::move(message);
    return out;
  };
  const state::TopicInfo* topic = broker.catalog().topic(std::string_view(name));
  if (topic && has_partition(*topic, partition)) {
    out.error_code = code(KafkaError::election_not_needed);
    out.error_message = "The partition is led by the broker that placement chose.";
    return out;
  }
  if (!barrier)
    return say(to_kafka(ApiClass::admin, barrier.error().code), barrier.error().message);
  if (!topic) return say(KafkaError::unknown_topic_or_partition, "No such topic as " + name);
  return say(KafkaError::unknown_topic_or_partition,
             "No such partition as " + name + "-" + std::to_string(partition));
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  if (request.election_type != kPreferred && request.election_type != kUnclean) {
    response.error_code = context.tell(KafkaError::invalid_request);
    co_return response;
  }
  if (!request.topic_partitions) co_return response;
  const Result<void> barrier = co_await broker.engine().barrier(
      deadline_of(context.api_key, context.arrived, std::max(request.timeout_ms, 0)));
  for (const auto& topic : *request.topic_partitions) {
    auto& out = response.replica_election_results.emplace_back();
    out.topic = topic.topic;
    for (std::int32_t partition : topic.partitions)
      out.partition_result.push_back(judge(broker, context, topic.topic, partition, barrier));
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> elect_leaders(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
