// BrokerTable: the registered incarnations, and the dynamic configs of brokers.
//
// A broker's counter lives as long as its registration; what is forgotten here can never be
// mistaken for new again, because registrations older than the last forgetting are refused (spec
// Incarnations.tla).
#pragma once

#include <map>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "state/catalog.h"
#include "state/ledger.h"
#include "state/state.h"
#include "state/unit.h"

namespace weir::state {

class Broker {
 public:
  const BrokerState& state() const { return state_; }

  bool live() const { return live_; }
  Hash128 hash() const;
  void create(EditKey, BrokerState state);
  void consume(EditKey, CommandCounter counter) { state_.last = counter; }
  void vouch(EditKey, Position position) { state_.info.last_sign = position; }
  void remove(EditKey) { live_ = false; }

 private:
  bool live_ = false;
  BrokerState state_;
  /// Of what never changes after the registration.
  Hash128 registration_;
};

class BrokerConfigs {
 public:
  const ConfigMap& configs() const { return configs_; }
  std::int32_t version() const { return version_; }

  /// Even without any key, the version stays.
  bool live() const { return version_ != 0; }
  Hash128 hash() const;
  void set(EditKey, NodeId node, ConfigMap configs, std::int32_t version) {
    node_ = node;
    configs_ = std::move(configs);
    version_ = version;
  }

 private:
  NodeId node_;
  ConfigMap configs_;
  std::int32_t version_ = 0;
};

class BrokerTable {
 public:
  const BrokerState* find(Incarnation incarnation) const;
  /// Live brokers, by node id and incarnation.
  const std::vector<BrokerInfo>& list() const { return list_; }
  const std::map<Incarnation, Broker>& all() const { return brokers_; }

  void add(Ledger& ledger, BrokerState state);
  void remove(Ledger& ledger, Incarnation incarnation);
  /// These require that it is registered.
  void consume(Ledger& ledger, Incarnation incarnation, CommandCounter counter);
  void vouch(Ledger& ledger, Incarnation incarnation, Position position);

  const std::map<NodeId, BrokerConfigs>& all_configs() const { return configs_; }
  const BrokerConfigs* configs(NodeId node) const;
  void set_configs(Ledger& ledger, NodeId node, ConfigMap configs, std::int32_t version);

 private:
  void rebuild_list();

  std::map<Incarnation, Broker> brokers_;
  std::vector<BrokerInfo> list_;
  std::map<NodeId, BrokerConfigs> configs_;
};

}  // namespace weir::state
