// What the connections of a broker count. One object per Server; the registry outlives it.
#pragma once

#include <map>
#include <string>

#include "base/metrics.h"
#include "broker/handler_table.h"
#include "broker/request_context.h"

namespace weir::broker {

class ServerMetrics {
 public:
  ServerMetrics(Metrics& registry, const HandlerTable& table);

  const ApiMetrics& of(std::int16_t key) const { return apis_.at(key); }

  Gauge& connections;
  Counter& accepted;
  /// Connections turned away by max.connections.per.ip.
  Counter& rejected;
  /// Connections closed for cause (bad input, time-outs, stalls).
  Counter& closed_for_cause;
  Counter& bytes_in;
  Counter& bytes_out;
  Gauge& requests_in_flight;
  Counter& zone_hits;
  Counter& zone_misses;

 private:
  std::map<std::int16_t, ApiMetrics> apis_;
};

}  // namespace weir::broker
