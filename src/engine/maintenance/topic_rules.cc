#include "engine/maintenance/topic_rules.h"

#include <charconv>

namespace weir::engine {

namespace {

std::int64_t integer(const std::optional<std::string>& text, std::int64_t otherwise) {
  if (!text) return otherwise;
  std::int64_t value = 0;
  auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  bool whole = read.ec == std::errc() && read.ptr == text->data() + text->size();
  return whole ? value : otherwise;
}

}  // namespace

std::optional<std::string> OwnTopicConfigs::value(const state::Catalog&,
                                                  const state::TopicInfo& topic,
                                                  std::string_view name) const {
  const std::string* found = state::find_config(topic.configs, name);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

bool wants_compression(const TopicConfigs& configs, const state::Catalog& catalog,
                       const state::TopicInfo& topic) {
  return configs.value(catalog, topic, "weir.storage.compression") == "zstd";
}

TopicRules topic_rules(const TopicConfigs& configs, const state::Catalog& catalog,
                       const state::TopicInfo& topic) {
  TopicRules rules;
  if (auto policy = configs.value(catalog, topic, "cleanup.policy")) {
    rules.compact = policy->find("compact") != std::string::npos;
    rules.remove_old = policy->find("delete") != std::string::npos;
  }
  rules.retention_ms = integer(configs.value(catalog, topic, "retention.ms"), rules.retention_ms);
  rules.retention_bytes =
      integer(configs.value(catalog, topic, "retention.bytes"), rules.retention_bytes);
  return rules;
}

}  // namespace weir::engine
