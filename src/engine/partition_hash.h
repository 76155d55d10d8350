// Hash of a partition, for the tables that are keyed by it. Not part of any contract.
#pragma once

#include "state/catalog.h"

namespace weir::engine {

struct PartitionHash {
  std::size_t operator()(const state::PartitionRef& at) const noexcept {
    std::uint64_t index = static_cast<std::uint32_t>(at.partition.value);
    return at.topic.low64() ^ (index + 1) * 0x9e3779b97f4a7c15u;
  }
};

}  // namespace weir::engine
