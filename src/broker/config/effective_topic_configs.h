// EffectiveTopicConfigs: topic configs as they count, for the engine's maintenance: set on the
// topic, else what the broker configs make of its default.
#pragma once

#include "broker/config/sources.h"
#include "engine/maintenance/topic_rules.h"

namespace weir::broker::config {

class EffectiveTopicConfigs final : public engine::TopicConfigs {
 public:
  /// `given` outlives this.
  explicit EffectiveTopicConfigs(const StaticValues& given) : given_(given) {}

  /// Only what all brokers share counts: retention must not depend on who applies it. What was
  /// given at the start should be given to all.
  std::optional<std::string> value(const state::Catalog& catalog, const state::TopicInfo& topic,
                                   std::string_view name) const override {
    return topic_value({given_, catalog, NodeId(-1)}, topic.configs, name);
  }

 private:
  const StaticValues& given_;
};

}  // namespace weir::broker::config
