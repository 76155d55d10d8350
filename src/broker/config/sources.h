// Where the value of a config comes from, as Kafka layers it.
//
// A broker config: set for this broker, set for all brokers, given at the start, default. A topic
// config: set on the topic, else the broker config that is its default. `Sources` borrows
// everything it names; it is made anew for each use on the engine's loop.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/config_def.h"
#include "state/catalog.h"

namespace weir::broker::config {

/// Kafka options given at the start (`--set`, file, environment), by name.
using StaticValues = std::map<std::string, std::string, std::less<>>;

/// Values as DescribeConfigs sends them.
enum class Source : std::int8_t {
  topic = 1,
  dynamic_broker = 2,
  dynamic_default_broker = 3,
  static_broker = 4,
  defaults = 5,
  client_metrics = 7,
  group = 8,
};

struct Layer {
  std::string name;
  std::optional<std::string> value;
  Source source = Source::defaults;
};

struct Sources {
  const StaticValues& given;
  const state::Catalog& catalog;
  NodeId node;
};

/// All values of a broker config, the one that counts first. A config that is not set and has no
/// default gives nothing. Only what is set for all brokers where `cluster_only`.
std::vector<Layer> broker_layers(const Sources& sources, const ConfigDef& def,
                                 bool cluster_only = false);

/// The same of a topic config; `configs` are those set on the topic.
std::vector<Layer> topic_layers(const Sources& sources, const state::ConfigMap& configs,
                                const ConfigDef& def);

/// The same of something that has configs of its own and defaults, nothing between.
std::vector<Layer> own_layers(const state::ConfigMap& configs, const ConfigDef& def, Source source);

/// The value that counts; nothing if there is none.
std::optional<std::string> broker_value(const Sources& sources, std::string_view name);
std::optional<std::string> topic_value(const Sources& sources, const state::ConfigMap& configs,
                                       std::string_view name);

/// As above, for names of integer and boolean configs that have a default. A stored value that does
/// not parse (another version wrote it) counts as unset.
std::int64_t broker_integer(const Sources& sources, std::string_view name);
bool broker_boolean(const Sources& sources, std::string_view name);

}  // namespace weir::broker::config
