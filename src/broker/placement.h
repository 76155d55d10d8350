// Placement: who leads what, as one client sees it.
//
// A leader is a hint that keeps a client's traffic in its zone (docs/design.md, 12): the
// partition's rendezvous winner among the live brokers of the client's zone. Every broker serves
// every partition. A Placement is a short-lived view on the engine's loop, gone before the next
// suspension.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/kafka_error.h"
#include "engine/api.h"
#include "state/catalog.h"

namespace weir::broker {

/// A broker with the address that clients of one listener are told.
struct VisibleBroker {
  NodeId id;
  std::string host;
  std::uint16_t port = 0;
  std::optional<std::string> rack;
};

class Placement {
 public:
  /// `listener` is that of the client's connection.
  Placement(const engine::Engine& engine, std::string_view listener,
            const std::optional<std::string>& zone);

  /// False before this broker is registered: then nobody can be named.
  bool known() const { return !brokers().empty(); }
  /// By node id. With a shared identity, one.
  std::vector<VisibleBroker> visible() const;
  std::optional<VisibleBroker> find(NodeId node) const;

  NodeId leader(state::PartitionRef at) const;
  LeaderEpoch epoch() const { return engine_.catalog().placement_epoch(); }
  /// `factor` nodes, the leader first; they repeat where there are fewer live brokers, so that the
  /// replication factor that was asked for is what tools report.
  std::vector<std::int32_t> replicas(NodeId leader, std::int16_t factor) const;
  /// Which broker coordinates a group or transactional id: the same answer on every broker.
  NodeId coordinator(std::string_view key) const;

  /// Judges the leader epoch that a client knows: none, fenced_leader_epoch, or
  /// unknown_leader_epoch, which may be said only after a barrier.
  KafkaError check_epoch(state::PartitionRef at, std::int32_t client_epoch) const;

 private:
  const std::vector<state::BrokerInfo>& brokers() const { return engine_.catalog().brokers(); }
  VisibleBroker visible(const state::BrokerInfo& broker) const;
  /// This broker's own entry, if all brokers appear as one.
  const state::BrokerInfo* shared_self() const;

  const engine::Engine& engine_;
  std::string_view listener_;
  const std::optional<std::string>& zone_;
};

}  // namespace weir::broker
