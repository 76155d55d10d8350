#include "broker/features.h"

#include "base/narrow.h"
#include "broker/handler_table.h"
#include "state/limits.h"

namespace weir::broker {
namespace {

/// Levels of Apache Kafka 4.4.0.
struct KafkaFeature {
  std::string_view name;
  std::int16_t level;
  /// The API without which the level would be a lie.
  std::int16_t needs;
};
constexpr KafkaFeature kKafkaFeatures[] = {
    {"group.version", 1, 68},        // ConsumerGroupHeartbeat
    {"metadata.version", 33, 18},    // 4.4-IV2: the versions of the APIs, as ApiVersions lists them
    {"share.version", 2, 76},        // ShareGroupHeartbeat
    {"streams.version", 1, 88},      // StreamsGroupHeartbeat
    {"transaction.version", 2, 26},  // EndTxn
};

}  // namespace

std::vector<Feature> features_of(const Broker& broker) {
  std::vector<Feature> out;
  for (const KafkaFeature& feature : kKafkaFeatures)
    if (broker.table().find(feature.needs))
      out.push_back({feature.name, feature.level, feature.level, feature.level});
  // Before genesis is folded there is no level yet.
  const std::uint16_t level = broker.engine().status().feature_level.value;
  if (level > 0)
    out.push_back({kWeirFeature, narrow<std::int16_t>(level),
                   narrow<std::int16_t>(std::max(level, state::kFeatureLevelNewest)),
                   narrow<std::int16_t>(level)});
  return out;
}

}  // namespace weir::broker
