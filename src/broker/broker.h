// Broker: what all handlers share.
//
// Its references are given by `app` and outlive it. The caches belong to the engine's loop;
// everything else is immutable after construction.
#pragma once

#include <optional>
#include <string>

#include "base/log.h"
#include "broker/config/sources.h"
#include "broker/config/topic_settings.h"
#include "broker/fetch_session.h"
#include "broker/request_context.h"
#include "broker/telemetry/client_metrics.h"
#include "broker/telemetry/subscriptions.h"
#include "engine/api.h"
#include "rt/random.h"
#include "rt/workers.h"

namespace weir::broker {

struct HandlerTable;
class MemoryBudget;

/// Everything a broker borrows.
struct BrokerParts {
  engine::Engine& engine;
  /// For decompression and compression.
  rt::Workers& workers;
  /// Used on the engine's loop.
  rt::Random& random;
  MemoryBudget& memory;
  Metrics& metrics;
  Logger& log;
  const config::StaticValues& given;
};

class Broker {
 public:
  Broker(const BrokerParts& parts, const HandlerTable& table);

  engine::Engine& engine() const { return parts_.engine; }
  rt::Loop& loop() const { return parts_.engine.loop(); }
  const state::Catalog& catalog() const { return parts_.engine.catalog(); }
  rt::Workers& workers() const { return parts_.workers; }
  rt::Random& random() const { return parts_.random; }
  MemoryBudget& memory() const { return parts_.memory; }
  Metrics& metrics() const { return parts_.metrics; }
  Logger& log() const { return parts_.log; }
  const config::StaticValues& given() const { return parts_.given; }
  const HandlerTable& table() const { return table_; }

  /// On the engine's loop.
  config::Sources config_sources() const { return {given(), catalog(), engine().node_id()}; }
  const config::TopicSettings& settings_of(const state::TopicInfo& topic) {
    return topic_settings_.of(config_sources(), topic);
  }
  FetchSessionCache& fetch_sessions() { return fetch_sessions_; }
  telemetry::Subscriptions& subscriptions() { return subscriptions_; }
  telemetry::ClientMetrics& client_metrics() { return client_metrics_; }

 private:
  BrokerParts parts_;
  const HandlerTable& table_;
  config::TopicSettingsCache topic_settings_;
  FetchSessionCache fetch_sessions_;
  telemetry::Subscriptions subscriptions_;
  telemetry::ClientMetrics client_metrics_;
};

}  // namespace weir::broker
