// Assignors: from members and their subscriptions to the partitions that each of them shall have.
//
// Pure and deterministic; what a member has to give up and when is not decided here. Every
// partition of a subscribed topic goes to exactly one member that subscribes to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "state/consumer_groups/assignment.h"

namespace weir::engine {

struct AssignableTopic {
  TopicId id;
  std::int32_t partitions = 0;
};

struct AssignableMember {
  std::string id;
  std::optional<std::string> instance;
  /// Indexes into the topics of the input, ascending, each once.
  std::vector<std::size_t> topics;
  /// Its last target.
  state::PartitionList current;
};

struct AssignorInput {
  /// By id, each once.
  std::vector<AssignableTopic> topics;
  /// By id, each once.
  std::vector<AssignableMember> members;
};

/// One list per member of the input, in its order.
using Assignment = std::vector<state::PartitionList>;

/// As even as the subscriptions allow, and as much of the last target kept as that allows.
Assignment assign_uniform(const AssignorInput& input);
/// Topic by topic, contiguous ranges; static members first, by instance id. Topics with the same
/// number of partitions and subscribers are cut alike.
Assignment assign_range(const AssignorInput& input);

/// By the name that clients use: `uniform` or `range`; anything else is uniform.
Assignment assign(std::string_view assignor, const AssignorInput& input);
bool is_assignor(std::string_view name);

}  // namespace weir::engine
