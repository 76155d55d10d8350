// 47 OffsetDelete, version 0.
//
// Serves: committed offsets of single partitions. GROUP_ID_NOT_FOUND; NON_EMPTY_GROUP where a group
// that is not one of consumers has members; GROUP_SUBSCRIBED_TO_TOPIC for each partition of a topic
// that a member reads; UNKNOWN_TOPIC_OR_PARTITION. An offset that is not there is deleted with
// success.
#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/serve.h"
#include "wire/offset_delete.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::OffsetDeleteRequest;
using Response = wire::OffsetDeleteResponse;

bool is_of_group(const engine::GroupOutcome& outcome) {
  return outcome.failure || outcome.refusal == state::Refusal::group_not_found ||
         outcome.refusal == state::Refusal::group_not_empty;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const MonoTime deadline = deadline_of(context.api_key, context.arrived);
  Response response;
  if (check_group_id(request.group_id) != KafkaError::none) {
    response.error_code = context.tell(KafkaError::invalid_group_id);
    co_return response;
  }
  std::vector<AskedTopic> topics;
  for (const auto& topic : request.topics) {
    AskedTopic& out = topics.emplace_back(AskedTopic{topic.name, {}, {}});
    for (const auto& partition : topic.partitions)
      out.partitions.push_back(partition.partition_index);
  }
  auto resolved = co_await resolve(broker, std::move(topics), deadline);
  std::vector<state::PartitionRef> partitions;
  for (const auto& asked : resolved)
    for (const AskedPartition& partition : asked)
      if (partition.error == KafkaError::none) partitions.push_back(partition.at);
  const auto outcomes = co_await broker.engine().groups().delete_offsets(
      std::move(request.group_id), std::move(partitions), deadline);
  if (!outcomes.empty() && is_of_group(outcomes.front())) {
    response.error_code = context.tell(error_of(outcomes.front()));
    co_return response;
  }
  std::size_t next = 0;
  for (std::size_t t = 0; t < resolved.size(); ++t) {
    auto& topic = response.topics.emplace_back();
    topic.name = std::move(request.topics[t].name);
    for (std::size_t p = 0; p < resolved[t].size(); ++p) {
      KafkaError error = resolved[t][p].error;
      if (error == KafkaError::none) error = error_of(outcomes[next++]);
      topic.partitions.push_back(
          {.partition_index = request.topics[t].partitions[p].partition_index,
           .error_code = context.tell(error)});
    }
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> offset_delete(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
