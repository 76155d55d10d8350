// Features: the levels that ApiVersions advertises and UpdateFeatures may change (KIP-584).
//
// Kafka's own features are those of a broker whose APIs are served: a feature is there only if the
// API that it stands for has a row in the handler table, and its level is fixed, because weir has
// no older behaviour to fall back to. `weir.version` is the feature level of the cluster state; it
// rises when an operator says so, after every broker has been upgraded (docs/design.md, 5).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "broker/broker.h"

namespace weir::broker {

inline constexpr std::string_view kWeirFeature = "weir.version";

struct Feature {
  std::string_view name;
  std::int16_t lowest = 0;
  std::int16_t highest = 0;
  /// In force in the whole cluster.
  std::int16_t level = 0;
};

/// In the order of their names; on the engine's loop.
std::vector<Feature> features_of(const Broker& broker);

}  // namespace weir::broker
