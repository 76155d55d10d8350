// Retention: which offset a partition should begin at, by its topic's settings. Pure.
//
// A span is old when all of its records are (span_age.h).
// Whole spans go, from the start, as long as they are old or the partition holds more than its
// bytes without them.
#pragma once

#include <optional>

#include "engine/maintenance/topic_rules.h"
#include "state/state.h"

namespace weir::engine {

/// The new start, if it is another one.
std::optional<Offset> retained_start(const state::State& state, const state::PartitionRef& at,
                                     const TopicRules& rules);

}  // namespace weir::engine
