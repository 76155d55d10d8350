#include "broker/config/group_settings.h"

#include <algorithm>
#include <cctype>

#include "base/narrow.h"

namespace weir::broker::config {
namespace {

constexpr std::string_view kPrefix = "consumer.";

/// The brokers' bounds of a group config: `group.consumer.min.` and `.max.` before the rest of it.
std::int64_t bound(const Sources& sources, std::string_view end, std::string_view name) {
  return broker_integer(sources, "group.consumer." + std::string(end) + "." +
                                     std::string(name.substr(kPrefix.size())));
}

bool is_bounded(std::string_view name) {
  return name == "consumer.session.timeout.ms" || name == "consumer.heartbeat.interval.ms" ||
         name == "consumer.assignment.interval.ms";
}

std::int32_t value_of(const Sources& sources, std::string_view group, std::string_view name) {
  const auto& own = sources.catalog.resource_configs(state::ResourceType::group, group);
  const std::string* set = state::find_config(own, name);
  std::optional<std::int64_t> value = set ? parse_integer(*set) : std::nullopt;
  if (!value) return narrow<std::int32_t>(broker_integer(sources, "group." + std::string(name)));
  std::int64_t low = bound(sources, "min", name);
  std::int64_t high = std::max(low, bound(sources, "max", name));
  return narrow<std::int32_t>(std::clamp(*value, low, high));
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

GroupSettings group_settings(const Sources& sources, std::string_view group) {
  GroupSettings out;
  out.session_timeout_ms = value_of(sources, group, "consumer.session.timeout.ms");
  out.heartbeat_interval_ms = value_of(sources, group, "consumer.heartbeat.interval.ms");
  out.assignment_interval_ms = value_of(sources, group, "consumer.assignment.interval.ms");
  out.members_max = narrow<std::int32_t>(broker_integer(sources, "group.consumer.max.size"));
  out.assignors = split_list(broker_value(sources, "group.consumer.assignors").value_or("uniform"));
  if (out.assignors.empty()) out.assignors.emplace_back("uniform");
  std::string policy =
      lower(broker_value(sources, "group.consumer.migration.policy").value_or("bidirectional"));
  out.may_upgrade = policy == "bidirectional" || policy == "upgrade";
  out.may_downgrade = policy == "bidirectional" || policy == "downgrade";
  std::vector<std::string> protocols =
      split_list(broker_value(sources, "group.coordinator.rebalance.protocols").value_or(""));
  out.enabled = std::ranges::find(protocols, "consumer") != protocols.end();
  return out;
}

std::string group_value_problem(const Sources& sources, const ConfigDef& def,
                                std::string_view value) {
  std::string name = def.name;
  std::optional<std::int64_t> number = parse_integer(value);
  if (!is_bounded(name) || !number) return "";
  std::string rest = name.substr(kPrefix.size());
  if (*number < bound(sources, "min", name))
    return name + " must be greater than or equal to group.consumer.min." + rest;
  if (*number > bound(sources, "max", name))
    return name + " must be less than or equal to group.consumer.max." + rest;
  return "";
}

}  // namespace weir::broker::config
