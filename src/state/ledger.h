// Ledger: the one place where the state changes.
//
// `edit` is the choke point: it shows the unit to a running snapshot before the change,
// takes the unit's old hash out of the digest and puts the new one in, and notes changed
// partitions. A unit that does not exist yet, or no more, is not `live()` and has no hash, so
// creating and removing are edits as well.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "state/catalog.h"
#include "state/limits.h"
#include "state/log/partition.h"
#include "state/state.h"
#include "state/unit.h"

namespace weir::state {

class Topic;
class Producer;
class Sequences;
class Segment;
class InlineUnit;
class Broker;
class BrokerConfigs;
class ResourceConfigs;
class Group;
class GroupMember;
class GroupOffset;
class Meta;
class LogClock;
class DigestVotes;

/// A running snapshot. Each unit is shown before every change; it may not change the state.
class SnapshotSink {
 public:
  virtual ~SnapshotSink() = default;
  virtual void before_change(Topic& unit) = 0;
  virtual void before_change(Partition& unit) = 0;
  virtual void before_change(Producer& unit) = 0;
  virtual void before_change(Sequences& unit) = 0;
  virtual void before_change(Segment& unit) = 0;
  virtual void before_change(InlineUnit& unit) = 0;
  virtual void before_change(Group& unit) = 0;
  virtual void before_change(GroupMember& unit) = 0;
  virtual void before_change(GroupOffset& unit) = 0;
  // Few and small: a snapshot writes them when it begins.
  void before_change(Broker&) {}
  void before_change(BrokerConfigs&) {}
  void before_change(ResourceConfigs&) {}
  void before_change(Meta&) {}
  void before_change(LogClock&) {}
  void before_change(DigestVotes&) {}
};

class Ledger {
 public:
  template <class Unit, class Change>
  void edit(Unit&& unit, Change&& change) {
    if (sink_ != nullptr) sink_->before_change(unit);
    digest_ -= unit.hash();
    change(unit, EditKey());
    digest_ += unit.hash();
    note_changed(unit);
  }
  /// Groups and members note themselves by name (GroupTable): the engine's timers look at these.
  void note_group(std::string_view id) {
    if (changed_groups_.all) return;
    if (changed_groups_.groups.size() == kChangedGroupsMax) {
      changed_groups_ = {.all = true, .groups = {}, .signs = {}};
      return;
    }
    changed_groups_.groups.emplace_back(id);
  }
  void note_sign(std::string_view group, std::string_view member) {
    if (changed_groups_.all) return;
    if (changed_groups_.signs.size() == kChangedGroupsMax) {
      changed_groups_ = {.all = true, .groups = {}, .signs = {}};
      return;
    }
    changed_groups_.signs.emplace_back(group, member);
  }
  /// Number of the present list, to note each thing once.
  std::uint32_t groups_round() const { return groups_round_; }
  ChangedGroups take_changed_groups() {
    ++groups_round_;
    return std::exchange(changed_groups_, {});
  }

  const Hash128& digest() const { return digest_; }

  /// One sink at a time; null ends it.
  void set_sink(SnapshotSink* sink) {
    ENSURE(sink == nullptr || sink_ == nullptr);
    sink_ = sink;
  }
  /// Number of the running or last snapshot.
  std::uint32_t snapshot = 0;

  /// For a state that was loaded.
  void set_all_changed() {
    changed_ = {.all = true, .partitions = {}};
    changed_groups_ = {.all = true, .groups = {}, .signs = {}};
  }
  ChangedPartitions take_changed() {
    ++changed_round_;
    return std::exchange(changed_, {});
  }

 private:
  template <class Unit>
  void note_changed(Unit&) {}
  void note_changed(Partition& partition) {
    if (partition.changed_round == changed_round_ || changed_.all) return;
    if (changed_.partitions.size() == kChangedPartitionsMax) {
      changed_.all = true;
      changed_.partitions.clear();
      return;
    }
    partition.changed_round = changed_round_;
    changed_.partitions.push_back(partition.ref());
  }

  Hash128 digest_;
  SnapshotSink* sink_ = nullptr;
  /// Number of the list below; a partition that is on it holds the same number.
  std::uint32_t changed_round_ = 1;
  ChangedPartitions changed_;
  std::uint32_t groups_round_ = 1;
  ChangedGroups changed_groups_;
};

}  // namespace weir::state
