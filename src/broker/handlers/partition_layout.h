// Leader, epoch and replicas of one partition: what Metadata and DescribeTopicPartitions say alike.
#pragma once

#include <cstdint>
#include <vector>

#include "broker/placement.h"
#include "state/catalog.h"

namespace weir::broker::handlers {

struct PartitionLayout {
  std::int32_t leader = 0;
  std::int32_t epoch = 0;
  std::vector<std::int32_t> replicas;
};

/// `placement.known()` must hold.
inline PartitionLayout layout_of(const Placement& placement, const state::TopicInfo& topic,
                                 std::int32_t partition) {
  const NodeId leader = placement.leader({topic.id, PartitionIndex(partition)});
  return {leader.value, placement.epoch().value,
          placement.replicas(leader, topic.replication_factor)};
}

}  // namespace weir::broker::handlers
