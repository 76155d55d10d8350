// FakeCatalog: a cluster state that a test writes down.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "state/catalog.h"

namespace weir::broker::testing {

class FakeCatalog final : public state::Catalog {
 public:
  FakeCatalog() { add_broker(1, std::nullopt); }

  TopicId add_topic(const std::string& name, std::int32_t partitions,
                    state::ConfigMap configs = {}) {
    TopicId id;
    ++topics_made_;
    for (std::size_t i = 0; i < 8; ++i)
      id.bytes[15 - i] = static_cast<std::uint8_t>(topics_made_ >> (8 * i));
    id.bytes[0] = 0x7a;
    names_[id] = name;
    topics_[name] = {
        .id = id, .name = name, .partitions = partitions, .configs = std::move(configs)};
    for (std::int32_t p = 0; p < partitions; ++p) logs_[{id, PartitionIndex(p)}] = {};
    return id;
  }
  void remove_topic(TopicId id) {
    topics_.erase(names_.at(id));
    names_.erase(id);
    std::erase_if(logs_, [&](const auto& item) { return item.first.topic == id; });
  }
  void grow(TopicId id, std::int32_t partitions) {
    state::TopicInfo& topic = topics_.at(names_.at(id));
    for (std::int32_t p = topic.partitions; p < partitions; ++p)
      logs_[{id, PartitionIndex(p)}] = {};
    topic.partitions = partitions;
  }
  void add_broker(std::int32_t node, std::optional<std::string> zone) {
    state::BrokerInfo broker{.node_id = NodeId(node), .zone = std::move(zone)};
    broker.incarnation.bytes[15] = static_cast<std::uint8_t>(node);
    broker.endpoints = {{"plain", "plaintext", "broker" + std::to_string(node), 9092}};
    brokers_.push_back(std::move(broker));
    epoch_ = epoch_.next();
  }
  bool remove_broker(NodeId node) {
    epoch_ = epoch_.next();
    return std::erase_if(brokers_, [&](const auto& broker) { return broker.node_id == node; }) > 0;
  }
  state::TopicInfo* find(std::string_view name) {
    auto at = topics_.find(name);
    return at == topics_.end() ? nullptr : &at->second;
  }
  state::TopicInfo* find(TopicId id) {
    auto at = names_.find(id);
    return at == names_.end() ? nullptr : find(at->second);
  }
  state::PartitionInfo* log(state::PartitionRef at) {
    auto found = logs_.find(at);
    return found == logs_.end() ? nullptr : &found->second;
  }
  /// Sets or deletes; the version rises.
  void change_broker_config(NodeId node, std::string_view key, std::optional<std::string> value) {
    change(broker_configs_[node.value].first, key, std::move(value));
    ++broker_configs_[node.value].second;
  }
  /// The same for a client metrics subscription or a group; without any key it is gone.
  void change_resource(state::ResourceType type, const std::string& name, std::string_view key,
                       std::optional<std::string> value) {
    auto& [configs, version] = resources_[{type, name}];
    change(configs, key, std::move(value));
    version = ++resources_version_;
    if (configs.empty()) resources_.erase({type, name});
  }
  static void change(state::ConfigMap& configs, std::string_view key,
                     std::optional<std::string> value) {
    std::erase_if(configs, [&](const auto& item) { return item.first == key; });
    if (value) configs.emplace_back(key, std::move(*value));
    std::ranges::sort(configs);
  }

  // state::Catalog
  const std::string& cluster_id() const override { return cluster_id_; }
  const state::TopicInfo* topic(std::string_view name) const override {
    auto at = topics_.find(name);
    return at == topics_.end() ? nullptr : &at->second;
  }
  const state::TopicInfo* topic(TopicId id) const override {
    auto at = names_.find(id);
    return at == names_.end() ? nullptr : topic(at->second);
  }
  std::optional<state::PartitionInfo> partition(state::PartitionRef at) const override {
    auto found = logs_.find(at);
    if (found == logs_.end()) return std::nullopt;
    return found->second;
  }
  std::vector<state::ProducerInfo> producers(state::PartitionRef at) const override {
    auto found = producers_.find(at);
    return found == producers_.end() ? std::vector<state::ProducerInfo>() : found->second;
  }
  void add_producer(state::PartitionRef at, state::ProducerInfo producer) {
    producers_[at].push_back(producer);
  }
  std::size_t topic_count() const override { return topics_.size(); }
  void visit_topics(std::string_view from,
                    const std::function<bool(const state::TopicInfo&)>& visit) const override {
    for (auto at = topics_.lower_bound(from); at != topics_.end(); ++at)
      if (!visit(at->second)) return;
  }
  const std::vector<state::BrokerInfo>& brokers() const override { return brokers_; }
  LeaderEpoch placement_epoch() const override { return epoch_; }
  const state::ConfigMap& broker_configs(NodeId node) const override {
    auto at = broker_configs_.find(node.value);
    return at == broker_configs_.end() ? none_ : at->second.first;
  }
  std::int32_t broker_config_version(NodeId node) const override {
    auto at = broker_configs_.find(node.value);
    return at == broker_configs_.end() ? 0 : at->second.second;
  }
  const state::ConfigMap& resource_configs(state::ResourceType type,
                                           std::string_view name) const override {
    auto at = resources_.find({type, std::string(name)});
    return at == resources_.end() ? none_ : at->second.first;
  }
  std::int32_t resource_config_version(state::ResourceType type,
                                       std::string_view name) const override {
    auto at = resources_.find({type, std::string(name)});
    return at == resources_.end() ? 0 : at->second.second;
  }
  std::int32_t resources_version() const override { return resources_version_; }
  void visit_resources(state::ResourceType type,
                       const std::function<void(const std::string&, const state::ConfigMap&)>&
                           visit) const override {
    for (const auto& [key, value] : resources_)
      if (key.first == type) visit(key.second, value.first);
  }

 private:
  std::string cluster_id_ = "test-cluster";
  std::uint64_t topics_made_ = 0;
  std::map<std::string, state::TopicInfo, std::less<>> topics_;
  std::map<TopicId, std::string> names_;
  std::map<state::PartitionRef, state::PartitionInfo> logs_;
  std::map<state::PartitionRef, std::vector<state::ProducerInfo>> producers_;
  std::vector<state::BrokerInfo> brokers_;
  LeaderEpoch epoch_{0};
  std::map<std::int32_t, std::pair<state::ConfigMap, std::int32_t>> broker_configs_;
  std::map<std::pair<state::ResourceType, std::string>, std::pair<state::ConfigMap, std::int32_t>>
      resources_;
  std::int32_t resources_version_ = 0;
  state::ConfigMap none_;
};

}  // namespace weir::broker::testing
