#include "engine/maintenance/job.h"

#include <array>
#include <cstring>

#include "base/hash.h"
#include "engine/region_transform.h"

namespace weir::engine {

bool is_mine(const JobContext& context, Bytes what) {
  Incarnation self = context.proposer.incarnation();
  std::uint64_t own = rendezvous_weight(what, self.view());
  bool registered = false;
  for (const state::BrokerInfo& broker : context.state().brokers()) {
    if (broker.incarnation == self) {
      registered = true;
    } else if (rendezvous_weight(what, broker.incarnation.view()) > own) {
      return false;
    }
  }
  return registered;
}

bool is_mine(const JobContext& context, std::string_view what) {
  return is_mine(context, as_bytes(what));
}

bool is_mine(const JobContext& context, const state::PartitionRef& at) {
  std::array<std::byte, 20> key;
  std::memcpy(key.data(), at.topic.bytes.data(), 16);
  std::memcpy(std::span(key).subspan(16).data(), &at.partition.value, 4);
  return is_mine(context, Bytes(key));
}

const TopicRules& rules_of(JobContext& context, const state::TopicInfo& topic) {
  const state::Catalog& catalog = context.state();
  return context.topic_rules.of(catalog, topic,
                                [&] { return topic_rules(context.configs, catalog, topic); });
}

std::uint64_t memory_weight_of(const JobContext& context, const state::TopicInfo& topic) {
  return wants_compression(context.configs, context.state(), topic) ? kTransformRatioMax : 1;
}

}  // namespace weir::engine
