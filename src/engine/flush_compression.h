// Compression of a flush for storage: the regions of topics that want it (region_transform.h).
#pragma once

#include "engine/flush_plan.h"
#include "engine/maintenance/topic_rules.h"
#include "rt/task.h"
#include "rt/workers.h"
#include "state/state.h"

namespace weir::engine {

/// Both outlive the call.
struct CompressionWishes {
  const state::State& state;
  const TopicConfigs& configs;

  bool of(TopicId topic) const {
    const state::TopicInfo* info = state.topic(topic);
    return info != nullptr && wants_compression(configs, state, *info);
  }
};

/// Compresses what is worth it; the spans then have the length of what is stored. On a pool thread
/// if there are any; nothing else may change the batches meanwhile.
rt::Task<void> compress_object(rt::Loop& loop, rt::Workers* workers, CompressionWishes wishes,
                               PlannedObject& object);

}  // namespace weir::engine
