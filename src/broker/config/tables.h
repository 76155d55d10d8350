// The pieces that the config tables are made of. Included by the tables and config_def.cc alone.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "broker/config/config_def.h"

namespace weir::broker::config {

inline constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kMax32 = std::numeric_limits<std::int32_t>::max();

namespace checks {

constexpr Check any() { return {}; }
constexpr Check range(std::int64_t low, std::int64_t high) {
  return {.kind = Check::Kind::range, .low = low, .high = high};
}
constexpr Check at_least(std::int64_t low) { return range(low, kMax64); }
constexpr Check range_or_less(std::int64_t low, std::int64_t high) {
  return {.kind = Check::Kind::range_or_less, .low = low, .high = high};
}
constexpr Check one_of(const char* choices) {
  return {.kind = Check::Kind::one_of, .choices = choices};
}
constexpr Check one_of_any_case(const char* choices) {
  return {.kind = Check::Kind::one_of, .choices = choices, .any_case = true};
}
constexpr Check each_of(const char* choices) {
  return {.kind = Check::Kind::each_of, .choices = choices};
}
constexpr Check replicas() { return {.kind = Check::Kind::replicas}; }
constexpr Check client_match() { return {.kind = Check::Kind::client_match}; }

}  // namespace checks

/// One per file; the order of the pieces is that of the names.
std::span<const ConfigDef> topic_table();
std::span<const ConfigDef> client_metrics_table();
std::span<const ConfigDef> group_table();
std::span<const ConfigDef> broker_a_to_f();
std::span<const ConfigDef> broker_group();
std::span<const ConfigDef> broker_i_to_p();
std::span<const ConfigDef> broker_q_to_r();
std::span<const ConfigDef> broker_s_to_u();

}  // namespace weir::broker::config
