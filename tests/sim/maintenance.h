// The parts of the workload `maintenance`: options that make years of maintenance happen within a
// minute, and the audit at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/cluster_engine.h"
#include "rt/random.h"
#include "tests/sim/checker.h"

namespace weir::sim {

engine::MaintenanceOptions draw_maintenance(rt::Random& random);

/// What is wrong with the store, by the folded state of one broker. While jobs run, things are on
/// their way to being right, so only what stays counts.
rt::Task<std::vector<Finding>> audit_storage(engine::ClusterEngine& engine,
                                             std::map<TopicId, Checker::Retention> retention);

}  // namespace weir::sim
