// GroupSettings: what the configuration says of one group of the consumer protocol.
//
// A group's own config wins over the brokers', within the bounds that the brokers' configs set
// (`group.consumer.min.…`, `group.consumer.max.…`): bounds that were moved later count as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broker/config/sources.h"

namespace weir::broker::config {

struct GroupSettings {
  std::int32_t session_timeout_ms = 0;
  std::int32_t heartbeat_interval_ms = 0;
  std::int32_t assignment_interval_ms = 0;
  std::int32_t members_max = 0;
  /// The first one is for members that do not ask for one.
  std::vector<std::string> assignors;
  bool may_upgrade = false;
  bool may_downgrade = false;
  /// Whether the consumer protocol is switched on.
  bool enabled = false;
};

GroupSettings group_settings(const Sources& sources, std::string_view group);

/// Why a value that is good by itself cannot be set on a group; empty if it can.
std::string group_value_problem(const Sources& sources, const ConfigDef& def,
                                std::string_view value);

}  // namespace weir::broker::config
