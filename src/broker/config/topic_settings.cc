#include "broker/config/topic_settings.h"

#include <algorithm>

#include "broker/limits.h"
#include "record/limits.h"

namespace weir::broker::config {
namespace {

std::int64_t integer(const Sources& sources, const state::ConfigMap& configs,
                     std::string_view name) {
  const std::optional<std::string> value = topic_value(sources, configs, name);
  ENSURE(value.has_value());
  return parse_integer(*value).value_or(0);
}

std::string_view level_key(codec::Codec codec) {
  switch (codec) {
    case codec::Codec::gzip: return "compression.gzip.level";
    case codec::Codec::lz4: return "compression.lz4.level";
    case codec::Codec::zstd: return "compression.zstd.level";
    case codec::Codec::none:
    case codec::Codec::snappy: break;
  }
  return {};
}

}  // namespace

TopicSettings parse_topic_settings(const Sources& sources, const state::ConfigMap& configs) {
  TopicSettings out;
  out.batch_bytes_max = static_cast<std::size_t>(integer(sources, configs, "max.message.bytes"));
  out.records_bytes_max = std::min(
      static_cast<std::size_t>(integer(sources, configs, "max.decompressed.message.bytes")),
      record::limits::records_bytes_max);
  out.before_max_ms = integer(sources, configs, "message.timestamp.before.max.ms");
  out.after_max_ms = integer(sources, configs, "message.timestamp.after.max.ms");
  out.log_append_time = topic_value(sources, configs, "message.timestamp.type") == "LogAppendTime";
  const auto policies = split_list(topic_value(sources, configs, "cleanup.policy").value_or(""));
  out.compact = std::ranges::find(policies, "compact") != policies.end();
  out.remove_old = std::ranges::find(policies, "delete") != policies.end();
  const std::string compression =
      topic_value(sources, configs, "compression.type").value_or("producer");
  if (compression == "uncompressed")
    out.codec = codec::Codec::none;
  else if (compression != "producer")
    out.codec = codec::codec_of_name(compression);
  if (out.codec && !level_key(*out.codec).empty()) {
    const int level = static_cast<int>(integer(sources, configs, level_key(*out.codec)));
    if (codec::level_valid(*out.codec, level)) out.codec_level = level;
  }
  return out;
}

const TopicSettings& TopicSettingsCache::of(const Sources& sources, const state::TopicInfo& topic) {
  const std::int32_t broker = sources.catalog.broker_config_version(sources.node);
  const std::int32_t all = sources.catalog.broker_config_version(NodeId(-1));
  auto found = items_.find(topic.id);
  if (found != items_.end() && found->second.topic_version == topic.config_version &&
      found->second.broker_version == broker && found->second.all_brokers_version == all)
    return found->second.settings;
  if (items_.size() >= kTopicSettingsCachedMax) items_.clear();
  Item& item = items_[topic.id];
  item = {topic.config_version, broker, all, parse_topic_settings(sources, topic.configs)};
  return item.settings;
}

}  // namespace weir::broker::config
