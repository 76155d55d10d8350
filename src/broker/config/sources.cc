#include "broker/config/sources.h"

#include "base/ensure.h"

namespace weir::broker::config {
namespace {

/// A coarser spelling of the same option, which counts where the finer one is not given.
struct Coarser {
  std::string_view name;
  std::string_view by;
  std::int64_t factor;
};
constexpr Coarser kCoarser[] = {
    {"log.retention.ms", "log.retention.minutes", 60'000},
    {"log.retention.ms", "log.retention.hours", 3'600'000},
    {"log.roll.ms", "log.roll.hours", 3'600'000},
    {"log.roll.jitter.ms", "log.roll.jitter.hours", 3'600'000},
};

const std::string* find_given(const StaticValues& given, std::string_view name) {
  const auto at = given.find(name);
  return at == given.end() ? nullptr : &at->second;
}

/// The default of a topic config where a coarser spelling of its synonym was given at the start.
std::optional<std::string> coarser_value(const StaticValues& given, std::string_view name) {
  for (const Coarser& coarser : kCoarser) {
    if (coarser.name != name) continue;
    const std::string* text = find_given(given, coarser.by);
    const std::optional<std::int64_t> number = text ? parse_integer(*text) : std::nullopt;
    if (!number) continue;
    return std::to_string(*number < 0 ? *number : *number * coarser.factor);
  }
  return std::nullopt;
}

bool usable(const ConfigDef& def, const std::optional<std::string>& value) {
  return value && value_problem(def, *value).empty();
}

}  // namespace

std::vector<Layer> broker_layers(const Sources& sources, const ConfigDef& def, bool cluster_only) {
  std::vector<Layer> out;
  const auto add_dynamic = [&](NodeId node, Source source) {
    const std::string* value = state::find_config(sources.catalog.broker_configs(node), def.name);
    if (value) out.push_back({def.name, *value, source});
  };
  if (!cluster_only) add_dynamic(sources.node, Source::dynamic_broker);
  add_dynamic(NodeId(-1), Source::dynamic_default_broker);
  if (cluster_only) return out;
  if (const std::string* value = find_given(sources.given, def.name))
    out.push_back({def.name, *value, Source::static_broker});
  if (def.default_value) out.push_back({def.name, def.default_value, Source::defaults});
  return out;
}

std::vector<Layer> topic_layers(const Sources& sources, const state::ConfigMap& configs,
                                const ConfigDef& def) {
  std::vector<Layer> out;
  if (const std::string* value = state::find_config(configs, def.name))
    out.push_back({def.name, *value, Source::topic});
  if (const ConfigDef* synonym = find_def(broker_defs(), def.synonym)) {
    for (Layer& layer : broker_layers(sources, *synonym)) out.push_back(std::move(layer));
    if (const auto coarse = coarser_value(sources.given, synonym->name))
      out.push_back({synonym->name, coarse, Source::static_broker});
  }
  if (out.empty() || out.back().source != Source::defaults)
    if (def.default_value) out.push_back({def.name, def.default_value, Source::defaults});
  return out;
}

std::vector<Layer> own_layers(const state::ConfigMap& configs, const ConfigDef& def,
                              Source source) {
  std::vector<Layer> out;
  if (const std::string* value = state::find_config(configs, def.name))
    out.push_back({def.name, *value, source});
  if (def.default_value) out.push_back({def.name, def.default_value, Source::defaults});
  return out;
}

std::optional<std::string> broker_value(const Sources& sources, std::string_view name) {
  const ConfigDef* def = find_def(broker_defs(), name);
  ENSURE(def != nullptr);
  for (Layer& layer : broker_layers(sources, *def))
    if (usable(*def, layer.value)) return std::move(layer.value);
  return std::nullopt;
}

std::optional<std::string> topic_value(const Sources& sources, const state::ConfigMap& configs,
                                       std::string_view name) {
  const ConfigDef* def = find_def(topic_defs(), name);
  ENSURE(def != nullptr);
  for (Layer& layer : topic_layers(sources, configs, *def))
    if (usable(*def, layer.value)) return std::move(layer.value);
  return std::nullopt;
}

std::int64_t broker_integer(const Sources& sources, std::string_view name) {
  const std::optional<std::string> value = broker_value(sources, name);
  ENSURE(value.has_value());
  return parse_integer(*value).value_or(0);
}

bool broker_boolean(const Sources& sources, std::string_view name) {
  const std::optional<std::string> value = broker_value(sources, name);
  ENSURE(value.has_value());
  return parse_boolean(*value).value_or(false);
}

}  // namespace weir::broker::config
