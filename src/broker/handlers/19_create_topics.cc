// 19 CreateTopics, versions 2-7.
//
// Serves: partitions and replication factor (-1 = the broker's default), manual assignments (they
// only say how many partitions and replicas: weir places leaders itself), configs (validated;
// INVALID_CONFIG names the key), `validate_only`, several topics in one commit, effective configs
// in the answer (5+), topic ids (7+). A name given twice in one request: INVALID_REQUEST for each.
// Existing names are refused by the fold, never from an old state. Reserved names: refused.
#include <algorithm>

#include "broker/deadlines.h"
#include "broker/handlers/create_topics_check.h"
#include "broker/handlers/handlers.h"
#include "broker/refusal_text.h"
#include "broker/serve.h"
#include "wire/create_topics.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::CreateTopicsRequest;
using Response = wire::CreateTopicsResponse;

using Rows = std::vector<Response::CreatableTopicConfigs>;

/// The effective configs of a topic that sets none. Made once for a request: thousands of topics
/// share all but their own few.
Rows rows_of_defaults(const Broker& broker) {
  Rows rows;
  for (const auto& piece : config::topic_defs())
    for (const config::ConfigDef& def : piece) {
      const auto layers = config::topic_layers(broker.config_sources(), {}, def);
      auto& row = rows.emplace_back();
      row.name = def.name;
      row.value = layers.empty() ? std::nullopt : layers.front().value;
      row.config_source = static_cast<std::int8_t>(layers.empty() ? config::Source::defaults
                                                                  : layers.front().source);
      row.is_sensitive = def.sensitive();
    }
  return rows;
}

void describe(const engine::NewTopic& topic, const Rows& defaults,
              Response::CreatableTopicResult& out) {
  out.num_partitions = topic.partitions;
  out.replication_factor = topic.replication_factor;
  out.configs = defaults;
  for (const auto& [key, value] : topic.configs) {
    const auto row = std::ranges::find(*out.configs, key, &Response::CreatableTopicConfigs::name);
    if (row == out.configs->end()) continue;
    row->value = value;
    row->config_source = static_cast<std::int8_t>(config::Source::topic);
  }
}

void judge(const engine::CreateTopicOutcome& outcome, CheckedTopic& topic) {
  if (outcome.ok()) return;
  if (outcome.failure)
    return topic.refuse(to_kafka(ApiClass::admin, outcome.failure->code),
                        outcome.failure->message + ".");
  const bool exists = outcome.refusal == state::Refusal::topic_exists;
  topic.refuse(
      to_kafka(ApiClass::admin, outcome.refusal),
      exists ? "Topic '" + topic.topic.name + "' already exists." : refusal_text(outcome.refusal));
}

/// Creates all good ones in one call; their outcomes become errors or ids.
rt::Task<std::vector<TopicId>> create(Broker& broker, std::vector<CheckedTopic>& topics,
                                      MonoTime deadline) {
  std::vector<engine::NewTopic> wanted;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    if (!topics[i].good()) continue;
    wanted.push_back(topics[i].topic);
    places.push_back(i);
  }
  std::vector<TopicId> ids(topics.size());
  if (wanted.empty()) co_return ids;
  const auto outcomes = co_await broker.engine().create_topics(std::move(wanted), deadline);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    judge(outcomes[i], topics[places[i]]);
    ids[places[i]] = outcomes[i].id;
  }
  co_return ids;
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const MonoTime deadline =
      deadline_of(context.api_key, context.arrived, std::max(request.timeout_ms, 0));
  std::vector<CheckedTopic> topics = check_topics(broker.config_sources(), request);
  if (request.validate_only) {
    // "Exists already" must be the truth, so look after a barrier.
    const Result<void> barrier = co_await broker.engine().barrier(deadline);
    for (CheckedTopic& topic : topics) {
      if (topic.good() && !barrier)
        topic.refuse(to_kafka(ApiClass::admin, barrier.error().code), barrier.error().message);
      check_against_state(broker.catalog(), topic);
    }
  }
  std::vector<TopicId> ids(topics.size());
  if (!request.validate_only) ids = co_await create(broker, topics, deadline);
  const Rows defaults = context.version >= 5 ? rows_of_defaults(broker) : Rows();
  Response response;
  response.topics.reserve(topics.size());
  for (std::size_t i = 0; i < topics.size(); ++i) {
    auto& out = response.topics.emplace_back();
    out.name = topics[i].topic.name;
    out.error_code = context.tell(topics[i].error);
    if (topics[i].good())
      out.error_message.reset();
    else
      out.error_message = std::move(topics[i].message);
    if (!topics[i].good()) {
      out.configs.reset();
      continue;
    }
    out.topic_id = ids[i];
    if (context.version >= 5) describe(topics[i].topic, defaults, out);
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> create_topics(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
