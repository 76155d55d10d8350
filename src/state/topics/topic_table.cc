#include "state/topics/topic_table.h"

#include "base/narrow.h"
#include "state/topics/names.h"

namespace weir::state {
namespace {

std::uint64_t index_hash(TopicId id) { return mix(id.low64()); }

}  // namespace

Hash128 Topic::hash() const {
  if (!live()) return {};
  Hash128 configs;
  for (const auto& [key, value] : info_.configs) {
    configs +=
        HashWords().add(std::string_view(key)).add(std::string_view(value)).finish(UnitKind::topic);
  }
  HashWords words;
  words.add(info_.id).add(std::string_view(info_.name)).add(std::int64_t{info_.partitions});
  words.add(std::int64_t{info_.replication_factor}).add(std::int64_t{info_.config_version});
  words.add(configs);
  return words.finish(UnitKind::topic);
}

Slot TopicTable::slot_of(TopicId id) const {
  return by_id_.find(index_hash(id), [&](Slot slot) { return topics_[slot].info().id == id; });
}

const Topic* TopicTable::find(TopicId id) const {
  Slot slot = slot_of(id);
  return slot == kNoSlot ? nullptr : &topics_[slot];
}

const Topic* TopicTable::find_collision(std::string_view name) const {
  Slot slot = by_name_.find(collision_hash(name), [&](Slot other) {
    return names_collide(topics_[other].info().name, name);
  });
  return slot == kNoSlot ? nullptr : &topics_[slot];
}

const Topic* TopicTable::find(std::string_view name) const {
  const Topic* topic = find_collision(name);
  return topic != nullptr && topic->info().name == name ? topic : nullptr;
}

Slot TopicTable::partition_slot(const PartitionRef& at) const {
  const Topic* topic = find(at.topic);
  if (topic == nullptr || !std::in_range<std::size_t>(at.partition.value)) return kNoSlot;
  auto index = static_cast<std::size_t>(at.partition.value);
  return index < topic->partitions().size() ? topic->partitions()[index] : kNoSlot;
}

void TopicTable::visit(std::string_view from,
                       const std::function<bool(const TopicInfo&)>& visit) const {
  for (auto at = in_order_.lower_bound(from); at != in_order_.end(); ++at) {
    if (!visit(topics_[*at].info())) return;
  }
}

void TopicTable::add(Ledger& ledger, TopicInfo info) {
  Slot slot = topics_.allocate();
  ledger.edit(topics_[slot], [&](Topic& topic, EditKey key) {
    topic.change(key) = std::move(info);
    add_partitions(ledger, topic, key);
  });
  const TopicInfo& added = topics_[slot].info();
  by_id_.insert(index_hash(added.id), slot,
                [&](Slot other) { return index_hash(topics_[other].info().id); });
  by_name_.insert(collision_hash(added.name), slot,
                  [&](Slot other) { return collision_hash(topics_[other].info().name); });
  in_order_.insert(slot);
}

void TopicTable::add_partitions(Ledger& ledger, Topic& topic, EditKey key) {
  std::vector<Slot>& slots = topic.change_partitions(key);
  auto count = narrow<std::size_t>(topic.info().partitions);
  slots.reserve(count);
  while (slots.size() < count) {
    PartitionRef ref{topic.info().id, PartitionIndex(narrow<std::int32_t>(slots.size()))};
    Slot slot = partitions_.allocate();
    ledger.edit(partitions_[slot],
                [&](Partition& partition, EditKey own) { partition.create(own, ref); });
    slots.push_back(slot);
  }
}

void TopicTable::grow(Ledger& ledger, TopicId id, std::int32_t count) {
  Topic& topic = topics_[slot_of(id)];
  ENSURE(count > topic.info().partitions);
  ledger.edit(topic, [&](Topic& grown, EditKey key) {
    grown.change(key).partitions = count;
    add_partitions(ledger, grown, key);
  });
}

void TopicTable::remove(Ledger& ledger, TopicId id) {
  Slot slot = slot_of(id);
  Topic& topic = topics_[slot];
  in_order_.erase(slot);
  by_id_.erase(index_hash(id), slot,
               [&](Slot other) { return index_hash(topics_[other].info().id); });
  by_name_.erase(collision_hash(topic.info().name), slot,
                 [&](Slot other) { return collision_hash(topics_[other].info().name); });
  for (Slot partition : topic.partitions()) {
    ENSURE(!partitions_[partition].live());
    partitions_.release(partition);
  }
  ledger.edit(topic, [](Topic& gone, EditKey key) { gone.remove(key); });
  topics_.release(slot);
}

void TopicTable::set_configs(Ledger& ledger, TopicId id, ConfigMap configs) {
  ledger.edit(topics_[slot_of(id)], [&](Topic& topic, EditKey key) {
    TopicInfo& info = topic.change(key);
    info.configs = std::move(configs);
    info.config_version = narrow<std::int32_t>(std::int64_t{info.config_version} + 1);
  });
}

}  // namespace weir::state
