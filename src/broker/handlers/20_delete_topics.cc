// 20 DeleteTopics, versions 1-6.
//
// Serves: by name, by id (6+), several in one commit. Unknown ones are refused after a barrier:
// UNKNOWN_TOPIC_OR_PARTITION or UNKNOWN_TOPIC_ID. Neither or both of name and id, and a topic that
// is named twice: INVALID_REQUEST. `delete.topic.enable=false`: TOPIC_DELETION_DISABLED.
#include <map>

#include "broker/deadlines.h"
#include "broker/handlers/handlers.h"
#include "broker/refusal_text.h"
#include "broker/serve.h"
#include "broker/topic_lookup.h"
#include "wire/delete_topics.h"

namespace weir::broker::handlers {
namespace {

using Request = wire::DeleteTopicsRequest;
using Response = wire::DeleteTopicsResponse;

struct Victim {
  std::string name;
  bool named = false;
  TopicId id;
  KafkaError error = KafkaError::none;
  std::string message;

  bool good() const { return error == KafkaError::none; }
  void refuse(KafkaError code, std::string why) {
    error = code;
    message = std::move(why);
  }
};

std::vector<Victim> victims_of(const Request& request, std::int16_t version) {
  std::vector<Victim> out;
  if (version < 6) {
    for (const std::string& name : request.topic_names)
      out.push_back({.name = name, .named = true, .id = {}, .message = {}});
    return out;
  }
  for (const auto& topic : request.topics) {
    Victim& victim = out.emplace_back();
    victim.named = topic.name.has_value();
    victim.name = topic.name.value_or("");
    victim.id = topic.topic_id;
    if (victim.named != victim.id.is_nil())
      victim.refuse(KafkaError::invalid_request, "Give either the name or the id of a topic.");
  }
  return out;
}

const state::TopicInfo* find(const Broker& broker, const Victim& victim) {
  return victim.named ? broker.catalog().topic(std::string_view(victim.name))
                      : broker.catalog().topic(victim.id);
}

/// Ids for names, and back; refuses what is not there and what is there twice.
rt::Task<void> resolve(Broker& broker, std::vector<Victim>& victims, MonoTime deadline) {
  FreshLook fresh(broker, deadline);
  for (const Victim& victim : victims)
    if (victim.good() && !find(broker, victim)) {
      (void)co_await fresh.ensure();
      break;
    }
  const Result<void> barrier = fresh.done() ? co_await fresh.ensure() : Result<void>();
  std::map<TopicId, Victim*> first;
  for (Victim& victim : victims) {
    if (!victim.good()) continue;
    const state::TopicInfo* topic = find(broker, victim);
    if (!topic && !barrier) {
      victim.refuse(to_kafka(ApiClass::admin, barrier.error().code), barrier.error().message);
      continue;
    }
    if (!topic) {
      victim.refuse(
          victim.named ? KafkaError::unknown_topic_or_partition : KafkaError::unknown_topic_id,
          "There is no such topic.");
      continue;
    }
    victim.id = topic->id;
    victim.name = topic->name;
    const auto [other, fresh_one] = first.emplace(topic->id, &victim);
    if (fresh_one) continue;
    victim.refuse(KafkaError::invalid_request, "The topic is named more than once.");
    if (other->second->good())
      other->second->refuse(KafkaError::invalid_request, "The topic is named more than once.");
  }
}

rt::Task<void> remove(Broker& broker, std::vector<Victim>& victims, MonoTime deadline) {
  std::vector<TopicId> ids;
  for (const Victim& victim : victims)
    if (victim.good()) ids.push_back(victim.id);
  if (ids.empty()) co_return;
  const auto outcomes = co_await broker.engine().delete_topics(std::move(ids), deadline);
  std::size_t next = 0;
  for (Victim& victim : victims) {
    if (!victim.good()) continue;
    const engine::Outcome& outcome = outcomes.at(next++);
    if (outcome.failure)
      victim.refuse(to_kafka(ApiClass::admin, outcome.failure->code), outcome.failure->message);
    else if (outcome.refusal != state::Refusal::none)
      victim.refuse(to_kafka(ApiClass::admin, outcome.refusal), refusal_text(outcome.refusal));
  }
}

rt::Task<Response> handle(Broker& broker, const RequestContext& context, Request request) {
  const MonoTime deadline =
      deadline_of(context.api_key, context.arrived, std::max(request.timeout_ms, 0));
  std::vector<Victim> victims = victims_of(request, context.version);
  if (config::broker_boolean(broker.config_sources(), "delete.topic.enable")) {
    co_await resolve(broker, victims, deadline);
    co_await remove(broker, victims, deadline);
  } else {
    const KafkaError error =
        context.version < 3 ? KafkaError::invalid_request : KafkaError::topic_deletion_disabled;
    for (Victim& victim : victims) victim.refuse(error, "Topic deletion is disabled.");
  }
  Response response;
  for (Victim& victim : victims) {
    auto& out = response.responses.emplace_back();
    out.error_code = context.tell(victim.error);
    if (!victim.good()) out.error_message = std::move(victim.message);
    out.topic_id = victim.id;
    // An id that is unknown has no name to tell.
    if (!victim.name.empty() || victim.named)
      out.name = std::move(victim.name);
    else
      out.name.reset();
  }
  co_return response;
}

}  // namespace

rt::Task<Reply> delete_topics(Broker& broker, RequestContext& context, SharedBytes body) {
  return serve<Request, Response, handle>(broker, context, std::move(body));
}

}  // namespace weir::broker::handlers
