#include <algorithm>

#include "state/commands/create_partitions.h"
#include "state/commands/create_topics.h"
#include "state/commands/delete_topics.h"
#include "state/fold.h"
#include "state/limits.h"
#include "state/log/drop.h"
#include "state/topics/configs.h"
#include "state/topics/names.h"

namespace weir::state {
namespace {

bool too_many_partitions(const Tables& tables, std::int32_t more) {
  return tables.partitions.used() + static_cast<std::size_t>(more) > kPartitionsMax;
}

Refusal create(FoldContext& context, const command::CreateTopics::NewTopic& topic) {
  Tables& tables = context.tables;
  if (!is_topic_name(topic.name) || topic.topic_id.is_nil() || topic.replication_factor < 1 ||
      tables.topics.find(topic.topic_id) != nullptr) {
    return Refusal::malformed;
  }
  if (topic.partitions < 1 || topic.partitions > kPartitionsPerTopicMax)
    return Refusal::invalid_partitions;
  TopicInfo info;
  for (const auto& config : topic.configs) {
    if (!is_config(config.key, config.value) || find_config(info.configs, config.key) != nullptr)
      return Refusal::malformed;
    apply_config(info.configs, config.key, config.value);
    if (info.configs.size() > kConfigsPerResourceMax) return Refusal::limit_reached;
  }
  if (const Topic* other = tables.topics.find_collision(topic.name)) {
    return other->info().name == topic.name ? Refusal::topic_exists : Refusal::topic_name_collision;
  }
  if (too_many_partitions(tables, topic.partitions)) return Refusal::limit_reached;
  info.id = topic.topic_id;
  info.name = topic.name;
  info.partitions = topic.partitions;
  info.replication_factor = topic.replication_factor;
  tables.topics.add(context.ledger(), std::move(info));
  return Refusal::none;
}

Refusal remove(FoldContext& context, TopicId id) {
  Tables& tables = context.tables;
  const Topic* topic = tables.topics.find(id);
  if (topic == nullptr) return Refusal::unknown_topic;
  for (Slot slot : topic->partitions()) {
    tables.producers.forget_partition(context.ledger(), slot);
    tables.offsets.forget_partition(context.ledger(), slot);
    drop_partition(tables, slot);
  }
  tables.topics.remove(context.ledger(), id);
  return Refusal::none;
}

Refusal grow(FoldContext& context, const command::CreatePartitions::GrownTopic& grown) {
  Tables& tables = context.tables;
  const Topic* topic = tables.topics.find(grown.topic_id);
  if (topic == nullptr) return Refusal::unknown_topic;
  std::int32_t present = topic->info().partitions;
  if (grown.partitions <= present || grown.partitions > kPartitionsPerTopicMax)
    return Refusal::invalid_partitions;
  if (too_many_partitions(tables, grown.partitions - present)) return Refusal::limit_reached;
  tables.topics.grow(context.ledger(), grown.topic_id, grown.partitions);
  return Refusal::none;
}

}  // namespace

void fold(FoldContext& context, const command::CreateTopics& command, Verdict& verdict) {
  for (const auto& topic : command.topics) verdict.item(create(context, topic));
}

void fold(FoldContext& context, const command::DeleteTopics& command, Verdict& verdict) {
  for (const TopicId& id : command.topic_ids) verdict.item(remove(context, id));
}

void fold(FoldContext& context, const command::CreatePartitions& command, Verdict& verdict) {
  for (const auto& topic : command.topics) verdict.item(grow(context, topic));
}

}  // namespace weir::state
