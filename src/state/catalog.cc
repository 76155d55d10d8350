#include "state/catalog.h"

#include <algorithm>
#include <array>

#include "base/ensure.h"
#include "base/hash.h"

namespace weir::state {
namespace {

template <std::size_t size>
void put_le(std::array<std::byte, size>& out, std::size_t at, std::int32_t value) {
  for (std::size_t i = 0; i < 4; ++i)
    out[at + i] = static_cast<std::byte>(static_cast<std::uint32_t>(value) >> (8 * i));
}

std::uint64_t weight(const std::array<std::byte, 20>& key, NodeId node) {
  std::array<std::byte, 4> candidate;
  put_le(candidate, 0, node.value);
  return rendezvous_weight(key, candidate);
}

}  // namespace

const std::string* find_config(const ConfigMap& configs, std::string_view key) {
  auto at = std::lower_bound(configs.begin(), configs.end(), key,
                             [](const auto& pair, std::string_view k) { return pair.first < k; });
  return at != configs.end() && at->first == key ? &at->second : nullptr;
}

const BrokerInfo& leader_of(const std::vector<BrokerInfo>& brokers, PartitionRef at,
                            const std::optional<std::string>& zone) {
  ENSURE(!brokers.empty());
  std::array<std::byte, 20> key;
  std::copy_n(at.topic.view().begin(), 16, key.begin());
  put_le(key, 16, at.partition.value);
  bool in_zone = zone && std::any_of(brokers.begin(), brokers.end(),
                                     [&](const BrokerInfo& b) { return b.zone == zone; });
  const BrokerInfo* best = nullptr;
  std::uint64_t best_weight = 0;
  for (const BrokerInfo& broker : brokers) {
    if (in_zone && broker.zone != zone) continue;
    std::uint64_t own = weight(key, broker.node_id);
    if (best != nullptr && own <= best_weight) continue;
    best = &broker;
    best_weight = own;
  }
  return *best;
}

}  // namespace weir::state
