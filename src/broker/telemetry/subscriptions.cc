#include "broker/telemetry/subscriptions.h"

#include <algorithm>
#include <set>

#include "broker/config/config_def.h"
#include "codec/crc32c.h"

namespace weir::broker::telemetry {
namespace {

/// The configured value, or the default. A stored value that does not hold (another version wrote
/// it) counts as unset.
std::string value_of(const state::ConfigMap& configs, std::string_view name) {
  const config::ConfigDef* def = config::find_def(config::client_metrics_defs(), name);
  ENSURE(def != nullptr);
  const std::string* value = state::find_config(configs, name);
  if (value && config::value_problem(*def, *value).empty()) return *value;
  return def->default_value;
}

}  // namespace

void Subscriptions::parse(const state::Catalog& catalog) {
  items_.clear();
  catalog.visit_resources(state::ResourceType::client_metrics,
                          [&](const std::string&, const state::ConfigMap& configs) {
                            Result<ClientMatch> match =
                                ClientMatch::parse(config::split_list(value_of(configs, "match")));
                            if (!match) return;
                            const auto interval_ms =
                                config::parse_integer(value_of(configs, "interval.ms"));
                            items_.push_back({std::move(*match), interval_ms.value_or(0) * 1ms,
                                              config::split_list(value_of(configs, "metrics"))});
                          });
  version_ = catalog.resources_version();
}

Subscription Subscriptions::of(const state::Catalog& catalog, Uuid instance,
                               const ClientTraits& client) {
  if (version_ != catalog.resources_version()) parse(catalog);
  const std::string fallback(value_of({}, "interval.ms"));
  Subscription out;
  out.interval = config::parse_integer(fallback).value_or(0) * 1ms;
  std::set<std::string> metrics;
  bool any = false;
  for (const Item& item : items_) {
    if (!item.match.matches(client)) continue;
    out.interval = any ? std::min(out.interval, item.interval) : item.interval;
    any = true;
    metrics.insert(item.metrics.begin(), item.metrics.end());
  }
  if (metrics.contains("*"))
    out.metrics = {"*"};
  else
    out.metrics.assign(metrics.begin(), metrics.end());
  std::string text = config::join_list(out.metrics) + ";" + std::to_string(out.interval / 1ms);
  text.append(as_text(instance.view()));
  out.id = static_cast<std::int32_t>(codec::crc32c(as_bytes(text)));
  return out;
}

}  // namespace weir::broker::telemetry
