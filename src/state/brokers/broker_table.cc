#include "state/brokers/broker_table.h"

#include <algorithm>

namespace weir::state {

void Broker::create(EditKey, BrokerState state) {
  live_ = true;
  state_ = std::move(state);
  HashWords words;
  const BrokerInfo& info = state_.info;
  words.add(info.incarnation).add(std::int64_t{info.node_id.value});
  words.add(std::uint64_t{info.zone.has_value()}).add(std::string_view(info.zone.value_or("")));
  words.add(std::uint64_t{info.shared_identity}).add(std::string_view(info.software_version));
  words.add(std::int64_t{info.session_timeout_ms}).add(state_.registered.value);
  words.add(std::uint64_t{state_.level_min.value}).add(std::uint64_t{state_.level_max.value});
  Hash128 endpoints;
  for (std::size_t i = 0; i < info.endpoints.size(); ++i) {
    const BrokerEndpoint& endpoint = info.endpoints[i];
    HashWords one;
    one.add(std::uint64_t{i}).add(std::string_view(endpoint.listener));
    one.add(std::string_view(endpoint.protocol)).add(std::string_view(endpoint.host));
    endpoints += one.add(std::uint64_t{endpoint.port}).finish(UnitKind::broker);
  }
  registration_ = words.add(endpoints).finish(UnitKind::broker);
}

Hash128 Broker::hash() const {
  if (!live_) return {};
  HashWords words;
  words.add(registration_).add(state_.last.value).add(state_.info.last_sign.value);
  return words.finish(UnitKind::broker);
}

Hash128 BrokerConfigs::hash() const {
  if (!live()) return {};
  Hash128 configs;
  for (const auto& [key, value] : configs_) {
    configs += HashWords()
                   .add(std::string_view(key))
                   .add(std::string_view(value))
                   .finish(UnitKind::broker_configs);
  }
  HashWords words;
  words.add(std::int64_t{node_.value}).add(std::int64_t{version_}).add(configs);
  return words.finish(UnitKind::broker_configs);
}

const BrokerState* BrokerTable::find(Incarnation incarnation) const {
  auto at = brokers_.find(incarnation);
  return at == brokers_.end() ? nullptr : &at->second.state();
}

void BrokerTable::add(Ledger& ledger, BrokerState state) {
  Broker& broker = brokers_[state.info.incarnation];
  ledger.edit(broker, [&](Broker& unit, EditKey key) { unit.create(key, std::move(state)); });
  rebuild_list();
}

void BrokerTable::remove(Ledger& ledger, Incarnation incarnation) {
  auto at = brokers_.find(incarnation);
  ENSURE(at != brokers_.end());
  ledger.edit(at->second, [](Broker& unit, EditKey key) { unit.remove(key); });
  brokers_.erase(at);
  rebuild_list();
}

void BrokerTable::consume(Ledger& ledger, Incarnation incarnation, CommandCounter counter) {
  ledger.edit(brokers_.find(incarnation)->second,
              [&](Broker& unit, EditKey key) { unit.consume(key, counter); });
}

void BrokerTable::vouch(Ledger& ledger, Incarnation incarnation, Position position) {
  ledger.edit(brokers_.find(incarnation)->second,
              [&](Broker& unit, EditKey key) { unit.vouch(key, position); });
  auto listed = std::find_if(list_.begin(), list_.end(), [&](const BrokerInfo& info) {
    return info.incarnation == incarnation;
  });
  listed->last_sign = position;
}

void BrokerTable::rebuild_list() {
  list_.clear();
  for (const auto& [incarnation, broker] : brokers_) list_.push_back(broker.state().info);
  // The map is ordered by incarnation, and the sort keeps that order within a node id.
  std::stable_sort(list_.begin(), list_.end(),
                   [](const BrokerInfo& a, const BrokerInfo& b) { return a.node_id < b.node_id; });
}

const BrokerConfigs* BrokerTable::configs(NodeId node) const {
  auto at = configs_.find(node);
  return at == configs_.end() ? nullptr : &at->second;
}

void BrokerTable::set_configs(Ledger& ledger, NodeId node, ConfigMap configs,
                              std::int32_t version) {
  ledger.edit(configs_[node], [&](BrokerConfigs& unit, EditKey key) {
    unit.set(key, node, std::move(configs), version);
  });
}

}  // namespace weir::state
