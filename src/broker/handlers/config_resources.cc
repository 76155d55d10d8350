#include "broker/handlers/config_resources.h"

#include <algorithm>
#include <map>
#include <set>

#include "broker/config/group_settings.h"
#include "broker/error_map.h"
#include "broker/limits.h"
#include "broker/refusal_text.h"

namespace weir::broker::handlers {
namespace {

FoundResource refused(KafkaError error, std::string message) {
  return {.error = error, .message = std::move(message)};
}

FoundResource find_broker(const Broker& broker, const std::string& name, ResourceKind kind) {
  FoundResource out{.message = {}, .kind = kind};
  if (name.empty()) return out;
  const auto id = config::parse_integer(name);
  for (const state::BrokerInfo& info : broker.catalog().brokers())
    if (id == info.node_id.value) out.node = info.node_id;
  if (!out.node)
    return refused(KafkaError::invalid_request, "There is no broker with the id '" + name + "'.");
  return out;
}

constexpr NamedKind kNamedKinds[] = {
    {ResourceKind::client_metrics, config::client_metrics_defs, config::Source::client_metrics,
     "client metrics configuration", KafkaError::invalid_request, KafkaError::invalid_request},
    {ResourceKind::group, config::group_defs, config::Source::group, "group config name",
     KafkaError::invalid_config, KafkaError::invalid_config},
};

FoundResource find_named(ResourceKind kind, const std::string& name) {
  for (const NamedKind& named : kNamedKinds) {
    if (named.kind != kind) continue;
    if (name.empty())
      return refused(KafkaError::invalid_request, "The name of the resource is empty.");
    if (name.size() > kResourceNameBytesMax)
      return refused(KafkaError::invalid_request, "The name of the resource is too long.");
    return {.message = {}, .kind = kind, .named = &named};
  }
  return refused(KafkaError::invalid_request, "Configs of that resource type are not served.");
}

/// The keys to set (value) or delete (none) so that the changes come true.
using Edits = std::vector<std::pair<std::string, std::optional<std::string>>>;

struct Target {
  const Broker* broker = nullptr;
  FoundResource found;
  config::Defs defs;
  const state::ConfigMap* set = nullptr;
  std::int32_t version = 0;
};

Target target_of(const Broker& broker, const Alteration& alteration) {
  Target out{.broker = &broker,
             .found = find_resource(broker, alteration.type, alteration.name, false)};
  if (out.found.error != KafkaError::none) return out;
  if (out.found.topic) {
    out.defs = config::topic_defs();
    out.set = &out.found.topic->configs;
    out.version = out.found.topic->config_version;
    return out;
  }
  if (out.found.named) {
    const state::ResourceType type = out.found.named->type();
    out.defs = out.found.named->defs();
    out.set = &broker.catalog().resource_configs(type, alteration.name);
    out.version = broker.catalog().resource_config_version(type, alteration.name);
    return out;
  }
  const NodeId node = out.found.node.value_or(NodeId(-1));
  out.defs = config::broker_defs();
  out.set = &broker.catalog().broker_configs(node);
  out.version = broker.catalog().broker_config_version(node);
  return out;
}

bool is_unknown(const Target& target, Alteration& alteration, const ConfigChange& change) {
  if (config::find_def(target.defs, change.key)) return false;
  const NamedKind* named = target.found.named;
  const std::string what = named                ? named->label
                           : target.found.topic ? "topic config name"
                                                : "broker config name";
  alteration.refuse(named ? named->unknown_key : KafkaError::invalid_config,
                    "Unknown " + what + ": " + change.key);
  return true;
}

/// Whether a broker config may be changed at all, and at this level.
bool is_fixed(const Target& target, const config::ConfigDef& def, Alteration& alteration) {
  if (target.found.topic || target.found.named) return false;
  if (def.change == config::Change::never) {
    alteration.refuse(KafkaError::invalid_request,
                      std::string("Cannot change at run time: ") + def.name);
    return true;
  }
  if (def.change == config::Change::per_broker && !target.found.node) {
    alteration.refuse(KafkaError::invalid_request,
                      std::string("Can be changed for single brokers only: ") + def.name);
    return true;
  }
  return false;
}

std::string current_value(const Target& target, const config::ConfigDef& def) {
  if (const std::string* value = state::find_config(*target.set, def.name)) return *value;
  return def.default_value ? def.default_value : "";
}

/// The list after an append or a subtract.
std::string edited_list(const Target& target, const config::ConfigDef& def,
                        const ConfigChange& change) {
  std::vector<std::string> items = config::split_list(current_value(target, def));
  for (const std::string& item : config::split_list(*change.value)) {
    const bool there = std::ranges::find(items, item) != items.end();
    if (change.operation == Operation::append && !there) items.push_back(item);
    if (change.operation == Operation::subtract) std::erase(items, item);
  }
  return config::join_list(items);
}

/// Kafka's answers differ so between kinds of resources.
KafkaError error_of_bad_value(const Target& target, const config::ConfigDef& def) {
  if (target.found.topic || def.check.kind == config::Check::Kind::client_match)
    return KafkaError::invalid_config;
  return target.found.named ? target.found.named->bad_value : KafkaError::invalid_request;
}

void edit_one(const Target& target, const ConfigChange& change, Alteration& alteration,
              Edits& edits) {
  if (change.operation == Operation::remove) {
    edits.emplace_back(change.key, std::nullopt);
    return;
  }
  if (is_unknown(target, alteration, change)) return;
  const config::ConfigDef& def = *config::find_def(target.defs, change.key);
  if (is_fixed(target, def, alteration)) return;
  if (!change.value)
    return alteration.refuse(KafkaError::invalid_request,
                             "Null value not supported for: " + change.key);
  std::string value = *change.value;
  if (change.operation != Operation::set) {
    if (def.type != config::ConfigType::list)
      return alteration.refuse(KafkaError::invalid_config,
                               "Append and subtract are for lists only: " + change.key);
    value = edited_list(target, def, change);
  }
  std::string problem = config::value_problem(def, value);
  if (problem.empty() && target.found.kind == ResourceKind::group)
    problem = config::group_value_problem(target.broker->config_sources(), def, value);
  if (!problem.empty())
    return alteration.refuse(error_of_bad_value(target, def), std::move(problem));
  edits.emplace_back(change.key, std::move(value));
}

Edits edits_of(const Target& target, Alteration& alteration) {
  Edits edits;
  std::set<std::string> named;
  for (const ConfigChange& change : alteration.changes) {
    if (!named.insert(change.key).second) {
      alteration.refuse(KafkaError::invalid_request, "A config is named twice: " + change.key);
      return {};
    }
    edit_one(target, change, alteration, edits);
    if (!alteration.good()) return {};
  }
  if (!alteration.replace) return edits;
  for (const auto& [key, value] : *target.set)
    if (!named.contains(key)) edits.emplace_back(key, std::nullopt);
  return edits;
}

void refuse_repeated(std::vector<Alteration>& alterations) {
  std::map<std::pair<std::int8_t, std::string>, int> times;
  for (const Alteration& item : alterations) ++times[{item.type, item.name}];
  for (Alteration& item : alterations)
    if (times[{item.type, item.name}] > 1)
      item.refuse(KafkaError::invalid_request, "The resource is named more than once.");
}

/// Computes one round of changes for the items in `pending`; those that need none leave it.
std::vector<engine::AlterConfig> compute(const Broker& broker, std::vector<Alteration*>& pending) {
  std::vector<engine::AlterConfig> out;
  std::erase_if(pending, [&](Alteration* item) {
    const Target target = target_of(broker, *item);
    if (target.found.error != KafkaError::none) {
      item->refuse(target.found.error, target.found.message);
      return true;
    }
    Edits edits = edits_of(target, *item);
    if (!item->good() || edits.empty()) return true;
    out.push_back({.resource = static_cast<engine::ConfigResource>(target.found.kind),
                   .name = item->name,
                   .guard_version = target.version,
                   .changes = std::move(edits)});
    return false;
  });
  return out;
}

}  // namespace

FoundResource find_resource(const Broker& broker, std::int8_t type, const std::string& name,
                            bool read) {
  switch (static_cast<ResourceKind>(type)) {
    case ResourceKind::topic: {
      const state::TopicInfo* topic = broker.catalog().topic(std::string_view(name));
      if (!topic)
        return refused(KafkaError::unknown_topic_or_partition, "There is no topic '" + name + "'.");
      return {.message = {}, .topic = topic};
    }
    case ResourceKind::broker: return find_broker(broker, name, ResourceKind::broker);
    case ResourceKind::broker_logger:
      if (read) return find_broker(broker, name, ResourceKind::broker_logger);
      return refused(KafkaError::invalid_request, "There are no loggers to configure.");
    case ResourceKind::client_metrics:
    case ResourceKind::group: return find_named(static_cast<ResourceKind>(type), name);
  }
  return refused(
      KafkaError::invalid_request,
      "Configs of resource type " + std::to_string(static_cast<int>(type)) + " are not served.");
}

rt::Task<void> alter_all(Broker& broker, std::vector<Alteration>& alterations, bool validate_only,
                         MonoTime deadline) {
  refuse_repeated(alterations);
  std::vector<Alteration*> pending;
  for (Alteration& item : alterations)
    if (item.good()) pending.push_back(&item);
  for (int tries = 0; tries < kGuardTriesMax && !pending.empty(); ++tries) {
    const Result<void> barrier = co_await broker.engine().barrier(deadline);
    if (!barrier) {
      for (Alteration* item : pending)
        item->refuse(to_kafka(ApiClass::admin, barrier.error().code), barrier.error().message);
      co_return;
    }
    std::vector<engine::AlterConfig> changes = compute(broker, pending);
    if (validate_only || changes.empty()) co_return;
    const auto outcomes = co_await broker.engine().alter_configs(std::move(changes), deadline);
    std::size_t next = 0;
    std::erase_if(pending, [&](Alteration* item) {
      const engine::Outcome& outcome = outcomes.at(next++);
      if (outcome.refusal == state::Refusal::guard_mismatch) return false;
      if (outcome.failure)
        item->refuse(to_kafka(ApiClass::admin, outcome.failure->code), outcome.failure->message);
      else if (outcome.refusal != state::Refusal::none)
        item->refuse(to_kafka(ApiClass::admin, outcome.refusal), refusal_text(outcome.refusal));
      return true;
    });
  }
  for (Alteration* item : pending)
    item->refuse(KafkaError::request_timed_out, "Others keep changing the same configs.");
}

}  // namespace weir::broker::handlers
