// CompactionRules: the settings of a topic that say when and how it is compacted.
#pragma once

#include "compaction/due.h"
#include "engine/maintenance/topic_rules.h"

namespace weir::engine {

/// Of `min.compaction.lag.ms`, `max.compaction.lag.ms`, `min.cleanable.dirty.ratio` and
/// `delete.retention.ms`; nothing where `cleanup.policy` does not say compact.
std::optional<compaction::Settings> compaction_rules(const TopicConfigs& configs,
                                                     const state::Catalog& catalog,
                                                     const state::TopicInfo& topic);

}  // namespace weir::engine
