#include <charconv>
#include <limits>

#include "state/commands/alter_configs.h"
#include "state/fold.h"
#include "state/limits.h"
#include "state/topics/configs.h"

namespace weir::state {
namespace {

using Altered = command::AlterConfigs::AlteredResource;

// Kafka's resource types.
constexpr std::int8_t kTopicResource = 2;
constexpr std::int8_t kBrokerResource = 4;
constexpr std::int8_t kClientMetricsResource =
    static_cast<std::int8_t>(ResourceType::client_metrics);
constexpr std::int8_t kGroupResource = static_cast<std::int8_t>(ResourceType::group);

/// -1 for "" (all brokers); nothing unless it is a node id in its only spelling.
std::optional<NodeId> node_of(const std::string& name) {
  if (name.empty()) return NodeId(-1);
  std::int32_t id = -1;
  const char* end = name.data() + name.size();
  auto [stop, problem] = std::from_chars(name.data(), end, id);
  if (problem != std::errc() || stop != end || id < 0 || std::to_string(id) != name)
    return std::nullopt;
  return NodeId(id);
}

/// Applies the changes to `configs`, or says why not.
Refusal change(ConfigMap& configs, const Altered& resource, std::int32_t version) {
  for (const auto& change : resource.changes) {
    if (!is_config(change.key, change.value.value_or(""))) return Refusal::malformed;
  }
  if (resource.guard_version != -1 && resource.guard_version != version)
    return Refusal::guard_mismatch;
  for (const auto& change : resource.changes) apply_config(configs, change.key, change.value);
  bool full = configs.size() > kConfigsPerResourceMax ||
              version == std::numeric_limits<std::int32_t>::max();
  return full ? Refusal::limit_reached : Refusal::none;
}

ItemOutcome alter_topic(FoldContext& context, const Altered& resource) {
  TopicTable& topics = context.tables.topics;
  const Topic* topic = topics.find(resource.resource_name);
  if (topic == nullptr) return {Refusal::unknown_topic, 0};
  const TopicInfo& info = topic->info();
  ConfigMap configs = info.configs;
  Refusal refusal = change(configs, resource, info.config_version);
  if (refusal != Refusal::none) return {refusal, 0};
  if (configs != info.configs) topics.set_configs(context.ledger(), info.id, std::move(configs));
  return {Refusal::none, info.config_version};
}

ItemOutcome alter_broker(FoldContext& context, const Altered& resource) {
  BrokerTable& brokers = context.tables.brokers;
  std::optional<NodeId> node = node_of(resource.resource_name);
  if (!node) return {Refusal::malformed, 0};
  const BrokerConfigs* present = brokers.configs(*node);
  if (present == nullptr && brokers.all_configs().size() >= kBrokerConfigNodesMax)
    return {Refusal::limit_reached, 0};
  ConfigMap configs = present != nullptr ? present->configs() : ConfigMap();
  std::int32_t version = present != nullptr ? present->version() : 0;
  Refusal refusal = change(configs, resource, version);
  if (refusal != Refusal::none) return {refusal, 0};
  bool changed = present != nullptr ? configs != present->configs() : !configs.empty();
  if (changed) brokers.set_configs(context.ledger(), *node, std::move(configs), ++version);
  return {Refusal::none, version};
}

ItemOutcome alter_resource(FoldContext& context, const Altered& resource) {
  ResourceTable& resources = context.tables.resources;
  const ResourceKey key{static_cast<ResourceType>(resource.resource_type), resource.resource_name};
  if (key.name.empty() || key.name.size() > kResourceNameBytesMax) return {Refusal::malformed, 0};
  const ResourceConfigs* present = resources.find(key);
  ConfigMap configs = present != nullptr ? present->configs() : ConfigMap();
  const std::int32_t version = present != nullptr ? present->version() : 0;
  Refusal refusal = change(configs, resource, version);
  if (refusal != Refusal::none) return {refusal, 0};
  if (configs == (present != nullptr ? present->configs() : ConfigMap()))
    return {Refusal::none, version};
  // One of them is the counter of versions.
  const bool full = present == nullptr && resources.all().size() > kConfigResourcesMax;
  if (full || resources.last_version() == std::numeric_limits<std::int32_t>::max())
    return {Refusal::limit_reached, 0};
  return {Refusal::none, resources.set(context.ledger(), key, std::move(configs))};
}

}  // namespace

void fold(FoldContext& context, const command::AlterConfigs& command, Verdict& verdict) {
  for (const Altered& resource : command.resources) {
    if (resource.resource_type == kTopicResource) {
      verdict.items.push_back(alter_topic(context, resource));
    } else if (resource.resource_type == kBrokerResource) {
      verdict.items.push_back(alter_broker(context, resource));
    } else if (resource.resource_type == kClientMetricsResource ||
               resource.resource_type == kGroupResource) {
      verdict.items.push_back(alter_resource(context, resource));
    } else {
      verdict.item(Refusal::malformed);
    }
  }
}

}  // namespace weir::state
