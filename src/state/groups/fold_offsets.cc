// CommitOffsets, DeleteOffsets, ExpireOffsets and DeleteGroups, for groups of every kind.
//
// Outcomes: CommitOffsets and DeleteOffsets one item per partition, DeleteGroups one per group. A
// commit that is refused as a whole (generation, member) changes nothing.
#include <algorithm>

#include "base/narrow.h"
#include "state/commands/commit_offsets.h"
#include "state/commands/delete_groups.h"
#include "state/commands/delete_offsets.h"
#include "state/commands/expire_offsets.h"
#include "state/fold.h"
#include "state/groups/checks.h"
#include "state/groups/classic.h"
#include "state/groups/hooks.h"
#include "state/limits.h"

namespace weir::state {
namespace {

using command::CommitOffsets;

Refusal unknown(const Tables& tables, TopicId topic) {
  return tables.topics.find(topic) == nullptr ? Refusal::unknown_topic : Refusal::unknown_partition;
}

/// Members commit by generation; without one only where there is nobody to be disturbed.
Refusal check_classic(FoldContext& context, Slot group, const CommitOffsets& command) {
  GroupTable& groups = context.tables.groups;
  const Group& unit = groups.group(group);
  if (command.generation < 0 && unit->phase == GroupPhase::empty) return Refusal::none;
  if (command.generation < 0 && command.member_id.empty() && !command.instance_id)
    return Refusal::unknown_member;
  const MemberClaim claim{group, command.member_id, command.instance_id};
  const Refusal refusal = check_member(groups, claim, command.generation);
  if (refusal != Refusal::none) return refusal;
  if (unit->phase == GroupPhase::completing) return Refusal::rebalance_in_progress;
  groups.sign(context.ledger(), find_claimed(groups, claim).member, context.position());
  return Refusal::none;
}

/// The group of a commit; made where nobody in particular commits for the first time.
Slot group_of(FoldContext& context, const CommitOffsets& command, Verdict& verdict) {
  GroupTable& groups = context.tables.groups;
  const Slot group = groups.find_slot(command.group_id);
  if (group != kNoSlot) return group;
  if (command.generation >= 0) {
    verdict.refuse(Refusal::group_not_found);
    return kNoSlot;
  }
  if (!has_room(context.tables, true, command.group_id.size() + 1'024)) {
    verdict.refuse(Refusal::limit_reached);
    return kNoSlot;
  }
  GroupValues values;
  values.id = command.group_id;
  values.phase_since = context.position();
  values.empty_since_ms = context.entry.header.wall.value;
  return groups.add(context.ledger(), std::move(values));
}

Refusal commit(FoldContext& context, Slot group, const PartitionRef& at,
               const CommitOffsets::CommittedPartition& partition, std::int64_t commit_ms) {
  Tables& tables = context.tables;
  const Slot slot = tables.topics.partition_slot(at);
  if (slot == kNoSlot) return unknown(tables, at.topic);
  const bool full =
      tables.offsets.count() >= kGroupOffsetsMax ||
      tables.offsets.metadata_bytes() + partition.metadata.size() > kOffsetMetadataTotalMax;
  if (full && tables.offsets.find(group, slot) == nullptr) return Refusal::limit_reached;
  OffsetValues values;
  values.offset = partition.offset;
  values.leader_epoch = partition.leader_epoch;
  values.commit_ms = commit_ms;
  values.committed_at = context.position();
  values.metadata = partition.metadata;
  tables.offsets.set(context.ledger(), group, slot, at, std::move(values));
  return Refusal::none;
}

void remove_group(FoldContext& context, Slot group) {
  Tables& tables = context.tables;
  tables.groups.drop_classic_members(context.ledger(), group);
  tables.offsets.forget_group(context.ledger(), group);
  tables.groups.remove(context.ledger(), group);
}

bool is_vacant(const Group& group) {
  return group.empty() && (group.consumer() != nullptr || group->phase == GroupPhase::empty);
}

}  // namespace

void fold(FoldContext& context, const CommitOffsets& command, Verdict& verdict) {
  if (!well_formed(command)) return verdict.refuse(Refusal::malformed);
  const Slot group = group_of(context, command, verdict);
  if (group == kNoSlot) return;
  const bool consumer = context.tables.groups.group(group)->kind == GroupKind::consumer;
  if (!consumer) {
    const Refusal refusal = check_classic(context, group, command);
    if (refusal != Refusal::none) return verdict.refuse(refusal);
  }
  const CommitClaim claim{command.member_id, command.instance_id, command.generation};
  for (const auto& topic : command.topics) {
    for (const auto& partition : topic.partitions) {
      const PartitionRef at{topic.topic_id, PartitionIndex(partition.partition)};
      Refusal refusal = consumer ? check_consumer_commit(context, group, claim, at) : Refusal::none;
      if (refusal == Refusal::none)
        refusal = commit(context, group, at, partition, command.commit_ms);
      verdict.item(refusal);
    }
  }
}

void fold(FoldContext& context, const command::DeleteOffsets& command, Verdict& verdict) {
  Tables& tables = context.tables;
  const Slot group = tables.groups.find_slot(command.group_id);
  if (group == kNoSlot) return verdict.refuse(Refusal::group_not_found);
  const Group& unit = tables.groups.group(group);
  const bool classic = unit->kind == GroupKind::classic;
  if (classic && unit->phase != GroupPhase::empty && unit->protocol_type != "consumer")
    return verdict.refuse(Refusal::group_not_empty);
  const auto read =
      classic ? topics_read(tables.groups, unit) : std::set<std::string, std::less<>>();
  for (const auto& topic : command.topics) {
    const Topic* info = tables.topics.find(topic.topic_id);
    for (std::int32_t index : topic.partitions) {
      const PartitionRef at{topic.topic_id, PartitionIndex(index)};
      const Slot slot = tables.topics.partition_slot(at);
      const bool in_use = classic ? info != nullptr && read.contains(info->info().name)
                                  : consumer_group_reads(tables, unit, at);
      if (slot == kNoSlot) {
        verdict.item(unknown(tables, at.topic));
      } else if (in_use) {
        verdict.item(Refusal::group_reads_topic);
      } else {
        tables.offsets.remove(context.ledger(), group, slot);
        verdict.item(Refusal::none);
      }
    }
  }
}

void fold(FoldContext& context, const command::DeleteGroups& command, Verdict& verdict) {
  GroupTable& groups = context.tables.groups;
  for (const std::string& id : command.group_ids) {
    const Slot group = groups.find_slot(id);
    if (group == kNoSlot) {
      verdict.item(Refusal::group_not_found);
    } else if (!is_vacant(groups.group(group))) {
      verdict.item(Refusal::group_not_empty);
    } else {
      remove_group(context, group);
      verdict.item(Refusal::none);
    }
  }
}

void fold(FoldContext& context, const command::ExpireOffsets& command, Verdict& verdict) {
  Tables& tables = context.tables;
  for (const auto& expired : command.groups) {
    const Slot group = tables.groups.find_slot(expired.group_id);
    if (group == kNoSlot) {
      verdict.item(Refusal::group_not_found);
      continue;
    }
    if (expiry_guard(tables.groups.group(group)) != expired.guard) {
      verdict.item(Refusal::guard_mismatch);
      continue;
    }
    for (const auto& offset : expired.offsets) {
      const Slot slot =
          tables.topics.partition_slot({offset.topic_id, PartitionIndex(offset.partition)});
      if (slot == kNoSlot) continue;
      const GroupOffset* present = tables.offsets.find(group, slot);
      if (present != nullptr && (*present)->committed_at.value == offset.committed_at)
        tables.offsets.remove(context.ledger(), group, slot);
    }
    const Group& unit = tables.groups.group(group);
    const bool over = is_vacant(unit) && unit.members.empty() && unit.offset_count == 0;
    if (over) remove_group(context, group);
    verdict.item(Refusal::none, over ? 1 : 0);
  }
}

}  // namespace weir::state
