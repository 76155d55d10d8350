// TopicRules: what maintenance must know of a topic's settings.
//
// Where a setting comes from (the topic, a dynamic broker config, an option at the start, Kafka's
// default) is the business of the layers above, which hand in a TopicConfigs. `local.retention.*`
// is accepted and means nothing: all data is remote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/limits.h"
#include "state/catalog.h"

namespace weir::engine {

/// Values of topic configs as they count for a topic.
class TopicConfigs {
 public:
  virtual ~TopicConfigs() = default;
  virtual std::optional<std::string> value(const state::Catalog& catalog,
                                           const state::TopicInfo& topic,
                                           std::string_view name) const = 0;
};

/// What is set on the topic itself.
class OwnTopicConfigs final : public TopicConfigs {
 public:
  std::optional<std::string> value(const state::Catalog& catalog, const state::TopicInfo& topic,
                                   std::string_view name) const override;
};

struct TopicRules {
  /// cleanup.policy
  bool remove_old = true;
  bool compact = false;
  /// -1: for ever.
  std::int64_t retention_ms = 604'800'000;
  /// Per partition; -1: without a bound.
  std::int64_t retention_bytes = -1;
};

/// Whether the topic wants regions to be compressed for storage (weir.storage.compression=zstd).
bool wants_compression(const TopicConfigs& configs, const state::Catalog& catalog,
                       const state::TopicInfo& topic);
/// Something parsed from the configs of topics, kept as long as they have not changed: with many
/// thousand topics, parsing would be most of what a round of maintenance costs.
template <class Value>
class ByTopic {
 public:
  /// Valid until the next call.
  template <class Make>
  const Value& of(const state::Catalog& catalog, const state::TopicInfo& topic, Make make) {
    std::int32_t defaults = catalog.broker_config_version(NodeId(-1));
    auto found = items_.find(topic.id);
    bool current = found != items_.end() && found->second.topic_version == topic.config_version &&
                   found->second.defaults_version == defaults;
    if (current) return found->second.value;
    if (items_.size() >= kTopicRulesKeptMax) items_.clear();
    Item& item = items_[topic.id];
    item = {topic.config_version, defaults, make()};
    return item.value;
  }

 private:
  struct Item {
    std::int32_t topic_version = -1;
    std::int32_t defaults_version = -1;
    Value value{};
  };
  std::unordered_map<TopicId, Item> items_;
};

TopicRules topic_rules(const TopicConfigs& configs, const state::Catalog& catalog,
                       const state::TopicInfo& topic);

}  // namespace weir::engine
