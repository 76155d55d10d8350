#include "admin/pages.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

namespace weir::admin {
namespace {

namespace json = boost::json;

json::string text(std::string_view value) { return json::string(value.data(), value.size()); }

/// 64-bit values that a JavaScript reader would round are text.
std::string hex64(std::uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

json::object broker_json(const state::BrokerInfo& broker) {
  json::array endpoints;
  for (const state::BrokerEndpoint& endpoint : broker.endpoints)
    endpoints.push_back(json::object{{"listener", text(endpoint.listener)},
                                     {"protocol", text(endpoint.protocol)},
                                     {"host", text(endpoint.host)},
                                     {"port", endpoint.port}});
  json::object out{{"node_id", broker.node_id.value},
                   {"incarnation", text(broker.incarnation.hex())},
                   {"version", text(broker.software_version)},
                   {"last_sign", broker.last_sign.value},
                   {"endpoints", std::move(endpoints)}};
  if (broker.zone) out["zone"] = text(*broker.zone);
  return out;
}

}  // namespace

std::string not_ready_reason(const engine::Status& status) {
  if (!status.halted.empty()) return "halted: " + status.halted;
  if (!status.commit_trouble.empty()) return "cannot commit: " + status.commit_trouble;
  if (!status.node_id) return "not registered yet";
  return "catching up or draining";
}

std::string state_page(const engine::Status& status, const CatalogSummary& catalog,
                       const std::vector<const MemoryPool*>& pools) {
  json::object page{{"cluster_id", text(catalog.cluster_id)},
                    {"ready", status.ready},
                    {"folded", status.folded.value},
                    {"feature_level", status.feature_level.value},
                    {"incarnation", text(status.incarnation.hex())}};
  page["node_id"] = status.node_id ? json::value(status.node_id->value) : json::value(nullptr);
  if (!status.ready) page["reason"] = text(not_ready_reason(status));
  page["state_digest"] = text(hex64(status.state_digest_high) + hex64(status.state_digest_low));
  page["parked_fetches"] = status.parked_fetches;
  page["parked_group_calls"] = status.parked_group_calls;
  page["pending_commands"] = status.pending_commands;
  page["barriers_waiting"] = status.barriers_waiting;
  json::array jobs;
  for (const engine::MaintenanceStatus& job : status.maintenance)
    jobs.push_back(json::object{{"job", text(job.job)},
                                {"rounds", job.rounds},
                                {"failures", job.failures},
                                {"last_error", text(job.last_error)}});
  page["maintenance"] = json::object{{"horizon", status.horizon.value},
                                     {"segments", status.segments},
                                     {"awaiting_deletion", status.segments_awaiting_deletion},
                                     {"snapshots_disputed", status.snapshots_disputed},
                                     {"jobs", std::move(jobs)}};
  page["topics"] = catalog.topics;
  page["placement_epoch"] = catalog.placement_epoch.value;
  json::array brokers;
  for (const state::BrokerInfo& broker : catalog.brokers) brokers.push_back(broker_json(broker));
  page["brokers"] = std::move(brokers);
  json::array memory;
  for (const MemoryPool* pool : pools)
    memory.push_back(json::object{{"pool", text(pool->name())},
                                  {"used_bytes", pool->used()},
                                  {"limit_bytes", pool->bytes_max()}});
  page["memory"] = std::move(memory);
  return json::serialize(page) + "\n";
}

std::string decisions_page(const std::vector<const DecisionRing*>& rings, std::size_t count_max) {
  json::array all;
  for (const DecisionRing* ring : rings) {
    json::array decisions;
    for (const Decision& decision : ring->last(count_max))
      decisions.push_back(json::object{{"at_ns", decision.at.time_since_epoch().count()},
                                       {"kind", text(to_string(decision.kind))},
                                       {"a", decision.a},
                                       {"b", decision.b},
                                       {"c", decision.c},
                                       {"label", text(decision.label)}});
    all.push_back(json::object{{"ring", text(ring->name())},
                               {"recorded", ring->recorded()},
                               {"decisions", std::move(decisions)}});
  }
  return json::serialize(all) + "\n";
}

}  // namespace weir::admin
