// The admin pages as text, from plain values: what /debug/state and /debug/decisions show.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/decision_ring.h"
#include "base/memory_pool.h"
#include "engine/api.h"

namespace weir::admin {

/// What the state page shows of the catalog.
struct CatalogSummary {
  std::string cluster_id;
  std::size_t topics = 0;
  LeaderEpoch placement_epoch;
  std::vector<state::BrokerInfo> brokers;
};

/// JSON with a line break at the end.
std::string state_page(const engine::Status& status, const CatalogSummary& catalog,
                       const std::vector<const MemoryPool*>& pools);
std::string decisions_page(const std::vector<const DecisionRing*>& rings, std::size_t count_max);

/// Why a broker with this status is not ready; for people.
std::string not_ready_reason(const engine::Status& status);

}  // namespace weir::admin
