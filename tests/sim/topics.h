// Topics: what the clients of a simulation know of the topics that exist.
#pragma once

#include <string>
#include <vector>

#include "rt/random.h"
#include "tests/sim/checker.h"

namespace weir::sim {

struct KnownTopic {
  std::string name;
  TopicId id;
  std::int32_t partitions = 0;
  /// Nobody may rely on it from the moment that its deletion is asked for.
  bool live = true;
};

struct Topics {
  std::vector<KnownTopic> all;

  bool is_live(TopicId id) const {
    for (const KnownTopic& topic : all)
      if (topic.id == id) return topic.live;
    return false;
  }
  std::vector<PartitionRef> live_partitions() const {
    std::vector<PartitionRef> found;
    for (const KnownTopic& topic : all)
      for (std::int32_t p = 0; topic.live && p < topic.partitions; ++p)
        found.push_back({topic.id, PartitionIndex(p)});
    return found;
  }
};

}  // namespace weir::sim
