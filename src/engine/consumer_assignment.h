// What a consumer group's next assignment is, computed from the state: the work of the broker that
// proposes it.
//
// Resolves the members' expressions, hashes the topics that they read, and lets the assignor decide
// where something has changed. Pure, and total: any group of any state has an answer.
#pragma once

#include <optional>
#include <string>

#include "state/commands/assign_consumer_group.h"
#include "state/groups/group.h"
#include "state/state.h"

namespace weir::engine {

/// The command that brings the group's target up to date, or nothing if it is. `group` is a
/// consumer group.
std::optional<state::command::AssignConsumerGroup> plan_assignment(
    const state::Catalog& catalog, const state::Group& group, const std::string& default_assignor);

/// The assignor that most members ask for; `otherwise` if none does.
std::string preferred_assignor(const state::ConsumerGroup& group, const std::string& otherwise);

}  // namespace weir::engine
