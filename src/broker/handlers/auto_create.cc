#include "broker/handlers/auto_create.h"

#include "base/narrow.h"
#include "broker/error_map.h"
#include "broker/topic_names.h"

namespace weir::broker::handlers {

rt::Task<CreationErrors> auto_create(Broker& broker, std::vector<std::string> names,
                                     MonoTime deadline) {
  CreationErrors errors;
  const config::Sources sources = broker.config_sources();
  if (!config::broker_boolean(sources, "auto.create.topics.enable")) co_return errors;
  std::vector<engine::NewTopic> topics;
  for (std::string& name : names) {
    if (!colliding_topic(broker.catalog(), name).empty()) {
      errors[name] = KafkaError::invalid_topic_exception;
      continue;
    }
    topics.push_back(
        {.name = std::move(name),
         .partitions = narrow<std::int32_t>(config::broker_integer(sources, "num.partitions")),
         .replication_factor =
             narrow<std::int16_t>(config::broker_integer(sources, "default.replication.factor"))});
  }
  if (topics.empty()) co_return errors;
  std::vector<std::string> asked;
  asked.reserve(topics.size());
  for (const engine::NewTopic& topic : topics) asked.push_back(topic.name);
  const auto outcomes = co_await broker.engine().create_topics(std::move(topics), deadline);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const engine::CreateTopicOutcome& outcome = outcomes[i];
    if (outcome.ok() || outcome.refusal == state::Refusal::topic_exists) continue;
    errors[asked[i]] = outcome.failure ? to_kafka(ApiClass::metadata, outcome.failure->code)
                                       : to_kafka(ApiClass::metadata, outcome.refusal);
  }
  co_return errors;
}

}  // namespace weir::broker::handlers
