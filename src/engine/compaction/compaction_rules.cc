#include "engine/compaction/compaction_rules.h"

#include <charconv>

namespace weir::engine {

namespace {

/// `otherwise` for what is not set, or not a number, which the broker refuses when it is set.
template <class Number>
Number number_of(const std::optional<std::string>& text, Number otherwise) {
  if (!text) return otherwise;
  Number value{};
  auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  bool whole = read.ec == std::errc() && read.ptr == text->data() + text->size();
  return whole ? value : otherwise;
}

}  // namespace

std::optional<compaction::Settings> compaction_rules(const TopicConfigs& configs,
                                                     const state::Catalog& catalog,
                                                     const state::TopicInfo& topic) {
  if (!topic_rules(configs, catalog, topic).compact) return std::nullopt;
  auto value = [&](std::string_view name) { return configs.value(catalog, topic, name); };
  compaction::Settings settings;
  settings.min_lag_ms = number_of(value("min.compaction.lag.ms"), settings.min_lag_ms);
  settings.max_lag_ms = number_of(value("max.compaction.lag.ms"), settings.max_lag_ms);
  settings.dirty_ratio_min =
      number_of(value("min.cleanable.dirty.ratio"), settings.dirty_ratio_min);
  settings.delete_retention_ms =
      number_of(value("delete.retention.ms"), settings.delete_retention_ms);
  return settings;
}

}  // namespace weir::engine
