#include "broker/placement.h"

#include <algorithm>

#include "base/ensure.h"
#include "base/hash.h"

namespace weir::broker {

Placement::Placement(const engine::Engine& engine, std::string_view listener,
                     const std::optional<std::string>& zone)
    : engine_(engine), listener_(listener), zone_(zone) {}

const state::BrokerInfo* Placement::shared_self() const {
  for (const state::BrokerInfo& broker : brokers())
    if (broker.node_id == engine_.node_id()) return broker.shared_identity ? &broker : nullptr;
  return nullptr;
}

VisibleBroker Placement::visible(const state::BrokerInfo& broker) const {
  VisibleBroker out{.id = broker.node_id, .rack = broker.zone};
  for (const state::BrokerEndpoint& endpoint : broker.endpoints) {
    const bool right = endpoint.listener == listener_;
    // A broker without that listener is better named by another address than not at all.
    if (!right && !out.host.empty()) continue;
    out.host = endpoint.host;
    out.port = endpoint.port;
    if (right) break;
  }
  return out;
}

std::vector<VisibleBroker> Placement::visible() const {
  if (const state::BrokerInfo* self = shared_self()) return {visible(*self)};
  std::vector<VisibleBroker> out;
  for (const state::BrokerInfo& broker : brokers()) out.push_back(visible(broker));
  return out;
}

std::optional<VisibleBroker> Placement::find(NodeId node) const {
  for (const state::BrokerInfo& broker : brokers())
    if (broker.node_id == node) return visible(broker);
  return std::nullopt;
}

NodeId Placement::leader(state::PartitionRef at) const {
  ENSURE(known());
  if (shared_self()) return engine_.node_id();
  return state::leader_of(brokers(), at, zone_).node_id;
}

std::vector<std::int32_t> Placement::replicas(NodeId leader, std::int16_t factor) const {
  const auto count = static_cast<std::size_t>(std::max<std::int16_t>(factor, 1));
  std::vector<std::int32_t> out = {leader.value};
  if (shared_self()) {
    out.resize(count, leader.value);
    return out;
  }
  const auto first = std::ranges::find(brokers(), leader, &state::BrokerInfo::node_id);
  std::size_t at = static_cast<std::size_t>(first - brokers().begin());
  while (out.size() < count) {
    at = (at + 1) % brokers().size();
    out.push_back(brokers()[at].node_id.value);
  }
  return out;
}

NodeId Placement::coordinator(std::string_view key) const {
  ENSURE(known());
  if (shared_self()) return engine_.node_id();
  const auto best = std::ranges::max_element(brokers(), {}, [&](const state::BrokerInfo& broker) {
    return rendezvous_weight(as_bytes(key), broker.incarnation.view());
  });
  return best->node_id;
}

KafkaError Placement::check_epoch(state::PartitionRef at, std::int32_t client_epoch) const {
  if (client_epoch < 0 || client_epoch == epoch().value) return KafkaError::none;
  if (client_epoch > epoch().value) return KafkaError::unknown_leader_epoch;
  // An older epoch is no harm where this broker still leads for that client.
  const bool leads = known() && leader(at) == engine_.node_id();
  return leads ? KafkaError::none : KafkaError::fenced_leader_epoch;
}

}  // namespace weir::broker
