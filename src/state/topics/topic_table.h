// TopicTable: topics by id and by name, and the partitions that they own.
//
// Names are unique even if '.' and '_' are taken as one, so one index answers look-ups and the
// collision check. A second one in name order serves listings.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "state/catalog.h"
#include "state/ledger.h"
#include "state/log/partition.h"
#include "state/slab.h"
#include "state/slot_index.h"
#include "state/unit.h"

namespace weir::state {

class Topic {
 public:
  const TopicInfo& info() const { return info_; }
  TopicInfo& change(EditKey) { return info_; }
  /// Of each partition, by index.
  const std::vector<Slot>& partitions() const { return partitions_; }
  std::vector<Slot>& change_partitions(EditKey) { return partitions_; }

  bool live() const { return !info_.id.is_nil(); }
  Hash128 hash() const;
  void remove(EditKey) { info_.id = TopicId(); }

  SnapshotMark mark;

 private:
  TopicInfo info_;
  std::vector<Slot> partitions_;
};

class TopicTable {
 public:
  explicit TopicTable(Slab<Partition>& partitions) : partitions_(partitions) {}

  std::size_t count() const { return topics_.used(); }
  const Topic* find(TopicId id) const;
  const Topic* find(std::string_view name) const;
  /// The topic whose name collides with `name` (or is it).
  const Topic* find_collision(std::string_view name) const;
  /// kNoSlot for an unknown topic or partition.
  Slot partition_slot(const PartitionRef& at) const;
  void visit(std::string_view from, const std::function<bool(const TopicInfo&)>& visit) const;

  /// `info.partitions` empty partitions are made as well. Nothing may have this id or collide.
  void add(Ledger& ledger, TopicInfo info);
  /// More partitions, up to `count`.
  void grow(Ledger& ledger, TopicId id, std::int32_t count);
  /// Takes the topic out; its partitions must have been emptied and are released.
  void remove(Ledger& ledger, TopicId id);
  void set_configs(Ledger& ledger, TopicId id, ConfigMap configs);

  Slab<Topic>& topics() { return topics_; }

 private:
  struct ByName {
    using is_transparent = void;
    const Slab<Topic>* topics;
    bool operator()(Slot a, Slot b) const { return name(a) < name(b); }
    bool operator()(Slot a, std::string_view b) const { return name(a) < b; }
    bool operator()(std::string_view a, Slot b) const { return a < name(b); }
    std::string_view name(Slot slot) const { return (*topics)[slot].info().name; }
  };
  Slot slot_of(TopicId id) const;
  void add_partitions(Ledger& ledger, Topic& topic, EditKey key);

  Slab<Partition>& partitions_;
  Slab<Topic> topics_;
  SlotIndex by_id_;
  SlotIndex by_name_;
  std::set<Slot, ByName> in_order_{ByName{&topics_}};
};

}  // namespace weir::state
