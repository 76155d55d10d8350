#include "broker/server_metrics.h"

#include "wire/api_table.h"

namespace weir::broker {
namespace {

ApiMetrics api_metrics(Metrics& registry, std::string_view name) {
  const std::string labels = "api=\"" + std::string(name) + "\"";
  const auto stage = [&](std::string_view stage_name) {
    return &registry.histogram("weir_request_seconds",
                               "Time from the first byte of a request to the end of a stage", 1e-6,
                               labels + ",stage=\"" + std::string(stage_name) + "\"");
  };
  return {.requests = &registry.counter("weir_requests_total", "Requests received", labels),
          .errors = &registry.counter("weir_request_errors_total",
                                      "Items of requests that were answered with an error", labels),
          .received = stage("received"),
          .handled = stage("handled"),
          .answered = stage("answered")};
}

}  // namespace

ServerMetrics::ServerMetrics(Metrics& registry, const HandlerTable& table)
    : connections(registry.gauge("weir_connections", "Open client connections")),
      accepted(registry.counter("weir_connections_accepted_total", "Connections accepted")),
      rejected(registry.counter("weir_connections_rejected_total",
                                "Connections turned away by a limit per address")),
      closed_for_cause(registry.counter("weir_connections_closed_for_cause_total",
                                        "Connections closed because of what the peer did")),
      bytes_in(registry.counter("weir_network_received_bytes_total", "Bytes read from clients")),
      bytes_out(registry.counter("weir_network_sent_bytes_total", "Bytes written to clients")),
      requests_in_flight(
          registry.gauge("weir_requests_in_flight", "Requests read and not yet answered")),
      zone_hits(registry.counter("weir_zone_hints_total", "Requests by zone hint of the client id",
                                 "hint=\"present\"")),
      zone_misses(registry.counter("weir_zone_hints_total",
                                   "Requests by zone hint of the client id", "hint=\"absent\"")) {
  for (const HandlerRow& row : table.rows)
    apis_.emplace(row.key, api_metrics(registry, wire::find_api(row.key)->name));
}

}  // namespace weir::broker
