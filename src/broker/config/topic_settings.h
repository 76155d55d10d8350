// TopicSettings: what the produce path must know of a topic's configs, parsed once.
//
// Parsing strings for every partition of every request would cost more than the request, so the
// parsed form is kept per topic and used as long as no config that it came from has changed. Used
// on the engine's loop.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "broker/config/sources.h"
#include "codec/codec.h"

namespace weir::broker::config {

struct TopicSettings {
  std::size_t batch_bytes_max = 0;
  /// After decompression, where the broker has to decompress.
  std::size_t records_bytes_max = 0;
  std::int64_t before_max_ms = 0;
  std::int64_t after_max_ms = 0;
  bool log_append_time = false;
  bool compact = false;
  bool remove_old = true;
  /// Nothing: as the producer compressed it.
  std::optional<codec::Codec> codec;
  int codec_level = codec::level_default;
};

class TopicSettingsCache {
 public:
  /// Valid until the next call.
  const TopicSettings& of(const Sources& sources, const state::TopicInfo& topic);

 private:
  struct Item {
    std::int32_t topic_version = -1;
    std::int32_t broker_version = -1;
    std::int32_t all_brokers_version = -1;
    TopicSettings settings;
  };
  std::unordered_map<TopicId, Item> items_;
};

TopicSettings parse_topic_settings(const Sources& sources, const state::ConfigMap& configs);

}  // namespace weir::broker::config
