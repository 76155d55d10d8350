// Topic names: Kafka's rules.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir::state {

/// 1 to 249 of [a-zA-Z0-9._-], but not "." or "..".
bool is_topic_name(std::string_view name);
/// Names that differ only in '.' and '_' collide (Kafka's metric names would be equal).
bool names_collide(std::string_view a, std::string_view b);
/// Equal for names that collide. Not a contract.
std::uint64_t collision_hash(std::string_view name);

}  // namespace weir::state
