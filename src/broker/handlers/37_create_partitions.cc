// 37 CreatePartitions, versions 0-3.
//
// Serves: more partitions for existing topics; never fewer or as many as there are
// (INVALID_PARTITIONS). Manual assignments must name the new partitions
// (INVALID_REPLICA_ASSIGNMENT), and place nothing. `validate_only`. A topic named twice:
// INVALID_REQUEST. Unknown topics after a barrier.
#include <map>

#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/refusal_text.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "wire/create_partitions.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::CreatePartitionsRequest;
using Response = wire::CreatePartitionsResponse;
using Asked = Request::CreatePartitionsTopic;

struct Problem {
  KafkaError error = KafkaError::none;
  std::string message;
};

Problem check(const state::TopicInfo* topic, const Asked& asked, const Result<void>& barrier) {
  if (!topic && !barrier)
    return {to_kafka(ApiClass::admin, barrier.error().code), barrier.error().message};
  if (!topic) return {KafkaError::unknown_topic_or_partition, "There is no such topic."};
  if (asked.count <= topic->partitions)
    return {KafkaError::invalid_partitions, "The topic has " + std::to_string(topic->partitions) +
                                                " partitions already; the number can only grow."};
  if (!asked.assignments) return {};
  if (asked.assignments->size() != static_cast<std::size_t>(asked.count - topic->partitions))
    return {KafkaError::invalid_replica_assignment, "Exactly the new partitions must be assigned."};
  for (const auto& assignment : *asked.assignments)
    if (assignment.broker_ids.empty())
      return {KafkaError::invalid_replica_assignment, "A partition is assigned to nobody."};
  return {};
}

bool all_known(const Broker& broker, const Request& request) {
  for (const Asked& asked : request.topics)
    if (!broker.catalog().topic(std::string_view(asked.name))) return false;
  return true;
}

Problem problem_of(const engine::Outcome& outcome) {
  if (outcome.failure)
    return {to_kafka(ApiClass::admin, outcome.failure->code), outcome.failure->message};
  if (outcome.refusal == state::Refusal::none) return {};
  return {to_kafka(ApiClass::admin, outcome.refusal), refusal_text(outcome.refusal)};
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const MonoTime deadline =
      deadline_of(context.api_key, context.arrived, std::max(request.timeout_ms, 0));
  Result<void> barrier;
  if (!all_known(broker, request)) barrier = co_await broker.engine().barrier(deadline);
  std::map<std::string_view, int> times;
  for (const Asked& asked : request.topics) ++times[asked.name];
  std::vector<Problem> problems;
  std::vector<engine::GrowTopic> wanted;
  for (const Asked& asked : request.topics) {
    const state::TopicInfo* topic = broker.catalog().topic(std::string_view(asked.name));
    problems.push_back(times[asked.name] > 1 ? Problem{KafkaError::invalid_request,
                                                       "The topic is named more than once."}
                                             : check(topic, asked, barrier));
    if (problems.back().error == KafkaError::none) wanted.push_back({topic->id, asked.count});
  }
  if (!wanted.empty() && !request.validate_only) {
    const auto outcomes = co_await broker.engine().create_partitions(std::move(wanted), deadline);
    std::size_t next = 0;
    for (Problem& problem : problems)
      if (problem.error == KafkaError::none) problem = problem_of(outcomes.at(next++));
  }
  Response response;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    auto& out = response.results.emplace_back();
    out.name = request.topics[i].name;
    out.error_code = context.tell(problems[i].error);
    if (problems[i].error != KafkaError::none) out.error_message = std::move(problems[i].message);
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> create_partitions(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
