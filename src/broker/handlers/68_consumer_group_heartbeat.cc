// 68 ConsumerGroupHeartbeat, versions 0-1.
//
// Serves: members of the consumer protocol (KIP-848). Epoch 0 joins, -1 leaves, -2 is the temporary
// leave of a static member; a member that sends everything is told everything. A member of version
// 0 may leave its id to us. Regular expressions (1+) in RE2's syntax: INVALID_REGULAR_EXPRESSION.
// Unknown assignors: UNSUPPORTED_ASSIGNOR. FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID,
// UNRELEASED_INSTANCE_ID, FENCED_INSTANCE_ID, GROUP_MAX_SIZE_REACHED and GROUP_ID_NOT_FOUND (also
// for a classic group that may not be upgraded) come from the fold or after a barrier.
// INVALID_REQUEST names the field. UNSUPPORTED_VERSION where the protocol is switched off.
#include <algorithm>

#include "broker/config/group_settings.h"
#include "broker/deadlines.h"
#include "broker/handlers/group_requests.h"
#include "broker/handlers/handlers.h"
#include "broker/refusal_text.h"
#include "broker/serve.h"
#include "engine/consumer_groups_api.h"
#include "state/limits.h"
#include "wire/consumer_group_heartbeat.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::ConsumerGroupHeartbeatRequest;
using Response = wire::ConsumerGroupHeartbeatResponse;

constexpr std::int32_t kJoins = 0;
constexpr std::int32_t kLeaves = -1;
constexpr std::int32_t kLeavesForAWhile = -2;

struct Problem {
  KafkaError error = KafkaError::none;
  std::string message;
};

Problem invalid(std::string message) { return {KafkaError::invalid_request, std::move(message)}; }

bool empty(const std::optional<std::string>& text) { return text && text->empty(); }

bool too_long(const std::optional<std::string>& text) {
  return text && text->size() > kGroupIdBytesMax;
}

/// What a member must and may not say when it joins.
Problem check_join(const Request& request) {
  if (request.rebalance_timeout_ms == -1)
    return invalid("RebalanceTimeoutMs must be provided in first request.");
  if (!request.topic_partitions || !request.topic_partitions->empty())
    return invalid("TopicPartitions must be empty when (re-)joining.");
  if (!request.subscribed_topic_names && !request.subscribed_topic_regex)
    return invalid(
        "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.");
  return {};
}

Problem check_sizes(const Request& request) {
  if (request.group_id.size() > kGroupIdBytesMax || request.member_id.size() > kGroupIdBytesMax ||
      too_long(request.instance_id) || too_long(request.rack_id) ||
      too_long(request.server_assignor))
    return invalid("An id in the request is longer than " + std::to_string(kGroupIdBytesMax) +
                   " bytes.");
  if (!request.subscribed_topic_names) return {};
  if (request.subscribed_topic_names->size() > state::kTopicsPerConsumerMax)
    return invalid("More than " + std::to_string(state::kTopicsPerConsumerMax) +
                   " topics in SubscribedTopicNames; use SubscribedTopicRegex.");
  for (const std::string& name : *request.subscribed_topic_names)
    if (name.size() > state::kTopicNameBytesMax)
      return invalid("A name in SubscribedTopicNames is too long for a topic.");
  return {};
}

Problem check(const Request& request, std::int16_t version, const config::GroupSettings& settings) {
  if (!settings.enabled)
    return {KafkaError::unsupported_version, "The consumer group protocol is switched off."};
  bool needs_id = version >= 1 || request.member_epoch > 0 || request.member_epoch == kLeaves;
  if (needs_id && request.member_id.empty()) return invalid("MemberId can't be empty.");
  if (request.group_id.empty()) return invalid("GroupId can't be empty.");
  if (empty(request.instance_id)) return invalid("InstanceId can't be empty.");
  if (empty(request.rack_id)) return invalid("RackId can't be empty.");
  if (request.member_epoch == kJoins) {
    if (Problem problem = check_join(request); problem.error != KafkaError::none) return problem;
  } else if (request.member_epoch == kLeavesForAWhile && !request.instance_id) {
    return invalid("InstanceId can't be null.");
  } else if (request.member_epoch < kLeavesForAWhile) {
    return invalid("MemberEpoch is invalid.");
  }
  if (Problem problem = check_sizes(request); problem.error != KafkaError::none) return problem;
  if (request.server_assignor &&
      std::ranges::find(settings.assignors, *request.server_assignor) == settings.assignors.end())
    return {KafkaError::unsupported_assignor, "ServerAssignor " + *request.server_assignor +
                                                  " is not supported. Supported assignors: " +
                                                  config::join_list(settings.assignors) + "."};
  if (request.subscribed_topic_regex && !request.subscribed_topic_regex->empty()) {
    std::string problem = engine::regex_problem(*request.subscribed_topic_regex);
    if (!problem.empty())
      return {KafkaError::invalid_regular_expression,
              "SubscribedTopicRegex `" + *request.subscribed_topic_regex +
                  "` is not a valid regular expression: " + problem};
  }
  return {};
}

engine::ConsumerGroupSettings engine_settings(const config::GroupSettings& settings) {
  return {.session_timeout_ms = settings.session_timeout_ms,
          .assignment_interval_ms = settings.assignment_interval_ms,
          .members_max = settings.members_max,
          .default_assignor = settings.assignors.front(),
          .may_upgrade = settings.may_upgrade,
          .may_downgrade = settings.may_downgrade};
}

engine::ConsumerHeartbeat heartbeat_of(const RequestContext& context, Request& request) {
  engine::ConsumerHeartbeat out;
  out.group = request.group_id;
  out.member = request.member_id;
  out.epoch = request.member_epoch;
  out.instance = std::move(request.instance_id);
  out.rack = std::move(request.rack_id);
  out.client_id = context.client_id.value_or("");
  out.client_host = client_host_of(context);
  out.rebalance_timeout_ms = request.rebalance_timeout_ms;
  out.topics = std::move(request.subscribed_topic_names);
  out.regex = std::move(request.subscribed_topic_regex);
  out.assignor = std::move(request.server_assignor);
  if (!request.topic_partitions) return out;
  out.owned.emplace();
  for (const auto& topic : *request.topic_partitions)
    for (std::int32_t partition : topic.partitions)
      out.owned->push_back({topic.topic_id, PartitionIndex(partition)});
  return out;
}

void fill(const state::PartitionList& assignment, Response& response) {
  auto& topics = response.assignment.emplace().topic_partitions;
  for (const state::PartitionRef& at : assignment) {
    if (topics.empty() || topics.back().topic_id != at.topic)
      topics.push_back({.topic_id = at.topic, .partitions = {}});
    topics.back().partitions.push_back(at.partition.value);
  }
}

void refuse(const RequestContext& context, const engine::GroupOutcome& outcome,
            Response& response) {
  // A group of another kind is as good as none here.
  const KafkaError error = outcome.refusal == state::Refusal::group_exists
                               ? KafkaError::group_id_not_found
                               : error_of(outcome);
  response.error_code = context.tell(error);
  response.error_message =
      outcome.failure ? outcome.failure->message : refusal_text(outcome.refusal);
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  Response response;
  const config::GroupSettings settings =
      config::group_settings(broker.config_sources(), request.group_id);
  Problem problem = check(request, context.version, settings);
  if (problem.error != KafkaError::none) {
    response.error_code = context.tell(problem.error);
    response.error_message = std::move(problem.message);
    co_return response;
  }
  const MonoTime deadline = deadline_of(context.api_key, context.arrived);
  if (request.member_id.empty() && request.member_epoch == kJoins)
    request.member_id = new_member_id(broker, context, std::nullopt);
  if (request.member_epoch < 0) {
    engine::MemberId leaving{
        .group = request.group_id, .member = request.member_id, .instance = request.instance_id};
    engine::GroupOutcome outcome = co_await broker.engine().consumer_groups().leave(
        std::move(leaving), request.member_epoch == kLeavesForAWhile, engine_settings(settings),
        deadline);
    if (!outcome.ok()) refuse(context, outcome, response);
    if (!outcome.ok()) co_return response;
    response.member_id = request.member_id;
    response.member_epoch = request.member_epoch;
    co_return response;
  }
  engine::ConsumerHeartbeat heartbeat = heartbeat_of(context, request);
  heartbeat.settings = engine_settings(settings);
  engine::ConsumerHeartbeatAnswer answer =
      co_await broker.engine().consumer_groups().heartbeat(std::move(heartbeat), deadline);
  if (!answer.ok()) {
    refuse(context, answer, response);
    co_return response;
  }
  response.member_id = request.member_id;
  response.member_epoch = answer.epoch;
  response.heartbeat_interval_ms = settings.heartbeat_interval_ms;
  if (answer.assignment) fill(*answer.assignment, response);
  co_return response;
}

}  // namespace

rt::Task<Reply> consumer_group_heartbeat(Broker& broker, RequestContext& context,
                                         SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
