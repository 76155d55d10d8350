#include "broker/handlers/group_requests.h"

#include "broker/handlers/handlers.h"

namespace weir::broker::handlers {
namespace {

/// 8-4-4-4-12 hexadecimal digits.
std::string uuid_text(const Uuid& id) {
  std::string text = id.hex();
  for (const std::size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
  return text;
}

AskedPartition find_one(const Broker& broker, const AskedTopic& topic, std::int32_t partition) {
  const state::TopicInfo* info = find_topic(broker.catalog(), topic.id, topic.name);
  const bool by_id = !topic.id.is_nil();
  AskedPartition out;
  if (info == nullptr) {
    out.error = by_id ? KafkaError::unknown_topic_id : KafkaError::unknown_topic_or_partition;
  } else if (!has_partition(*info, partition)) {
    out.error = KafkaError::unknown_topic_or_partition;
  } else {
    out.at = {info->id, PartitionIndex(partition)};
  }
  return out;
}

std::vector<std::vector<AskedPartition>> find_all(const Broker& broker,
                                                  const std::vector<AskedTopic>& topics,
                                                  bool& missing) {
  std::vector<std::vector<AskedPartition>> out;
  for (const AskedTopic& topic : topics) {
    auto& partitions = out.emplace_back();
    for (std::int32_t index : topic.partitions) {
      partitions.push_back(find_one(broker, topic, index));
      missing |= partitions.back().error != KafkaError::none;
    }
  }
  return out;
}

}  // namespace

KafkaError check_group_id(std::string_view group) {
  const bool good = !group.empty() && group.size() <= kGroupIdBytesMax;
  return good ? KafkaError::none : KafkaError::invalid_group_id;
}

KafkaError error_of(const engine::GroupOutcome& outcome) {
  // Trying again would not make it smaller.
  if (outcome.failure && outcome.failure->code == ErrorCode::too_large)
    return KafkaError::invalid_request;
  if (outcome.failure) return to_kafka(ApiClass::coordinator, outcome.failure->code);
  return to_kafka(ApiClass::coordinator, outcome.refusal);
}

std::string client_host_of(const RequestContext& context) {
  return "/" + context.connection.peer.host;
}

std::string new_member_id(Broker& broker, const RequestContext& context,
                          const std::optional<std::string>& instance) {
  std::string prefix = instance ? *instance : context.client_id.value_or("");
  prefix.resize(std::min(prefix.size(), kGroupIdBytesMax / 2));
  return prefix + "-" + uuid_text(broker.random().id128<Uuid>());
}

rt::Task<std::vector<std::vector<AskedPartition>>> resolve(Broker& broker,
                                                           std::vector<AskedTopic> topics,
                                                           MonoTime deadline) {
  bool missing = false;
  auto found = find_all(broker, topics, missing);
  if (!missing) co_return found;
  auto proved = co_await broker.engine().barrier(deadline);
  found = find_all(broker, topics, missing);
  if (proved) co_return found;
  const KafkaError unproved = to_kafka(ApiClass::coordinator, proved.error().code);
  for (auto& partitions : found)
    for (AskedPartition& partition : partitions)
      if (partition.error != KafkaError::none) partition.error = unproved;
  co_return found;
}

}  // namespace weir::broker::handlers
