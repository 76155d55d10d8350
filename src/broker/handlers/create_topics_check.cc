#include "broker/handlers/create_topics_check.h"

#include <algorithm>
#include <map>
#include <set>

#include "broker/topic_names.h"

namespace weir::broker::handlers {
namespace {

using Asked = wire::CreateTopicsRequest::CreatableTopic;

void check_name(CheckedTopic& out) {
  std::string problem = topic_name_problem(out.topic.name);
  if (!problem.empty())
    return out.refuse(KafkaError::invalid_topic_exception, "Topic name is invalid: " + problem);
  if (is_reserved_topic(out.topic.name))
    out.refuse(KafkaError::invalid_topic_exception,
               "The name '" + out.topic.name + "' is reserved.");
}

/// Manual assignments: partitions 0 … n-1, each with the same number of distinct replicas.
void check_assignments(const Asked& asked, CheckedTopic& out) {
  if (asked.num_partitions != -1 || asked.replication_factor != -1)
    return out.refuse(KafkaError::invalid_request,
                      "With manual assignments, partitions and replication factor must be -1.");
  std::set<std::int32_t> partitions;
  const std::size_t replicas = asked.assignments.front().broker_ids.size();
  for (const auto& assignment : asked.assignments) {
    const std::set<std::int32_t> nodes(assignment.broker_ids.begin(), assignment.broker_ids.end());
    const bool right = !nodes.empty() && nodes.size() == assignment.broker_ids.size() &&
                       nodes.size() == replicas && *nodes.begin() >= 0 &&
                       replicas <= static_cast<std::size_t>(INT16_MAX);
    if (!right || !partitions.insert(assignment.partition_index).second)
      return out.refuse(KafkaError::invalid_replica_assignment,
                        "Each partition must be assigned once, to equally many distinct brokers.");
  }
  const auto count = static_cast<std::int32_t>(partitions.size());
  if (*partitions.begin() != 0 || *partitions.rbegin() != count - 1)
    return out.refuse(KafkaError::invalid_replica_assignment,
                      "Partitions must be assigned from 0 on without a gap.");
  out.topic.partitions = count;
  out.topic.replication_factor = static_cast<std::int16_t>(replicas);
}

void check_counts(const config::Sources& sources, const Asked& asked, CheckedTopic& out) {
  if (!asked.assignments.empty()) return check_assignments(asked, out);
  if (asked.num_partitions == 0 || asked.num_partitions < -1)
    return out.refuse(KafkaError::invalid_partitions, "Number of partitions must be above 0.");
  if (asked.replication_factor == 0 || asked.replication_factor < -1)
    return out.refuse(KafkaError::invalid_replication_factor,
                      "Replication factor must be above 0.");
  out.topic.partitions =
      asked.num_partitions != -1
          ? asked.num_partitions
          : static_cast<std::int32_t>(config::broker_integer(sources, "num.partitions"));
  out.topic.replication_factor = asked.replication_factor != -1
                                     ? asked.replication_factor
                                     : static_cast<std::int16_t>(config::broker_integer(
                                           sources, "default.replication.factor"));
}

void check_configs(const Asked& asked, CheckedTopic& out) {
  std::map<std::string, std::string> configs;
  for (const auto& item : asked.configs) {
    const config::ConfigDef* def = config::find_def(config::topic_defs(), item.name);
    if (!def)
      return out.refuse(KafkaError::invalid_config, "Unknown topic config name: " + item.name);
    // Kafka refuses a null by name, too: it is no value.
    if (!item.value)
      return out.refuse(KafkaError::invalid_config,
                        "Null value not supported for topic configs: " + item.name);
    std::string problem = config::value_problem(*def, *item.value);
    if (!problem.empty()) return out.refuse(KafkaError::invalid_config, std::move(problem));
    configs[item.name] = *item.value;
  }
  out.topic.configs.assign(configs.begin(), configs.end());
}

}  // namespace

std::vector<CheckedTopic> check_topics(const config::Sources& sources,
                                       const wire::CreateTopicsRequest& request) {
  std::map<std::string_view, int> times;
  std::map<std::string, std::string_view> forms;
  for (const Asked& asked : request.topics) ++times[asked.name];
  std::vector<CheckedTopic> out;
  out.reserve(request.topics.size());
  for (const Asked& asked : request.topics) {
    CheckedTopic& topic = out.emplace_back();
    topic.topic.name = asked.name;
    if (times[asked.name] > 1) {
      topic.refuse(KafkaError::invalid_request, "The topic is named more than once.");
      continue;
    }
    check_name(topic);
    if (topic.good()) check_counts(sources, asked, topic);
    if (topic.good()) check_configs(asked, topic);
    if (!topic.good()) continue;
    const auto [first, fresh] = forms.emplace(collision_form(asked.name), asked.name);
    if (!fresh)
      topic.refuse(KafkaError::invalid_topic_exception,
                   "Topic '" + asked.name + "' collides with '" + std::string(first->second) +
                       "': they differ in '.' and '_' alone.");
  }
  return out;
}

void check_against_state(const state::Catalog& catalog, CheckedTopic& topic) {
  if (!topic.good()) return;
  const std::string& name = topic.topic.name;
  if (catalog.topic(std::string_view(name)))
    return topic.refuse(KafkaError::topic_already_exists, "Topic '" + name + "' already exists.");
  const std::string other = colliding_topic(catalog, name);
  if (!other.empty())
    topic.refuse(KafkaError::invalid_topic_exception,
                 "Topic '" + name + "' collides with '" + other + "'.");
}

}  // namespace weir::broker::handlers
