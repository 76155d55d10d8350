// AdminHandler: the admin pages. /healthz and /readyz for orchestrators, /metrics for Prometheus,
// /debug/state and /debug/decisions for whoever must find out what a broker is doing.
//
// Everything is read only. Engine state is read on the engine's loop, so a broker whose engine
// hangs does not answer its health check.
#pragma once

#include <vector>

#include "base/decision_ring.h"
#include "base/memory_pool.h"
#include "base/metrics.h"
#include "engine/api.h"
#include "http/server.h"

namespace weir::admin {

/// What the pages show. All of it outlives the handler.
struct AdminSources {
  Metrics& metrics;
  std::vector<const MemoryPool*> pools = {};
  std::vector<const DecisionRing*> rings = {};
};

class AdminHandler final : public http::Handler {
 public:
  /// `loop` is the server's.
  AdminHandler(rt::Loop& loop, AdminSources sources);

  /// Until then, and after null, /readyz answers "starting". On the server's loop. The engine may
  /// go only after the server has stopped, or after null and all requests.
  void set_engine(engine::Engine* engine) { engine_ = engine; }

  rt::Task<http::Response> handle(const http::Request& request) override;

 private:
  struct Snapshot;
  rt::Task<Snapshot> snapshot();
  void update_gauges(const Snapshot& snapshot);

  rt::Loop& loop_;
  AdminSources sources_;
  engine::Engine* engine_ = nullptr;
  Gauge& ready_;
  Gauge& folded_;
  Gauge& parked_;
  Gauge& parked_groups_;
  Gauge& pending_;
  Gauge& barriers_;
  Gauge& topics_;
  Gauge& brokers_;
};

}  // namespace weir::admin
