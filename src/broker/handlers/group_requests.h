// What the handlers of groups share: who asks, which topics are meant, which error is said.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/broker.h"
#include "broker/error_map.h"
#include "broker/request_context.h"
#include "broker/topic_lookup.h"
#include "engine/groups_api.h"

namespace weir::broker::handlers {

/// The longest group id, member id or instance id that the state takes.
inline constexpr std::size_t kGroupIdBytesMax = 4'096;

/// INVALID_GROUP_ID for an empty or absurd id.
KafkaError check_group_id(std::string_view group);
KafkaError error_of(const engine::GroupOutcome& outcome);

/// As DescribeGroups shows them.
std::string client_host_of(const RequestContext& context);
/// A new id for a member: its instance or client id, and a UUID.
std::string new_member_id(Broker& broker, const RequestContext& context,
                          const std::optional<std::string>& instance);

/// A partition that a request names, and what it is called here.
struct AskedPartition {
  state::PartitionRef at;
  KafkaError error = KafkaError::none;
};
struct AskedTopic {
  std::string name;
  TopicId id;
  std::vector<std::int32_t> partitions;
};
/// Partitions in the order of the request. What does not exist is said after a barrier only.
rt::Task<std::vector<std::vector<AskedPartition>>> resolve(Broker& broker,
                                                           std::vector<AskedTopic> topics,
                                                           MonoTime deadline);

}  // namespace weir::broker::handlers
