// The consumer protocol that is embedded in the classic group protocol: what a consumer's JoinGroup
// metadata and SyncGroup assignment hold.
//
// The state needs it where classic groups of consumers are asked what they read, and where a live
// group changes between the classic and the consumer protocol. Unknown newer versions are read as
// the newest known one: fields are only ever added at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace weir::state {

/// Partitions of topics by name, as both messages list them.
using NamedPartitions = std::vector<std::pair<std::string, std::vector<std::int32_t>>>;

/// Newest version of both messages that we know.
inline constexpr std::int16_t kEmbeddedVersionMax = 3;

struct EmbeddedSubscription {
  std::int16_t version = 0;
  std::vector<std::string> topics;
  NamedPartitions owned;
  std::optional<std::string> rack;
};

/// Nothing if the bytes are not such a message.
std::optional<EmbeddedSubscription> parse_subscription(const SharedBytes& bytes);
std::optional<NamedPartitions> parse_assignment(const SharedBytes& bytes);
/// An assignment without user data.
SharedBytes encode_assignment(std::int16_t version, const NamedPartitions& partitions);

}  // namespace weir::state
