#include "state/commands/advance_start.h"
#include "state/commands/forget_segments.h"
#include "state/fold.h"
#include "state/log/drop.h"

namespace weir::state {
namespace {

ItemOutcome advance(FoldContext& context, const command::AdvanceStart::AdvancedPartition& item) {
  Tables& tables = context.tables;
  if (item.start_offset < 0) return {Refusal::malformed, 0};
  const Topic* topic = tables.topics.find(item.topic_id);
  if (topic == nullptr) return {Refusal::unknown_topic, 0};
  Slot slot = tables.topics.partition_slot({item.topic_id, PartitionIndex(item.partition)});
  if (slot == kNoSlot) return {Refusal::unknown_partition, 0};
  const Partition& partition = tables.partitions[slot];
  Offset start(item.start_offset);
  if (start > partition.end()) return {Refusal::offset_out_of_range, 0};
  // What retention asks for was judged by this start and these settings.
  bool as_judged =
      (item.guard_start < 0 || item.guard_start == partition.start().value) &&
      (item.guard_config_version < 0 || item.guard_config_version == topic->info().config_version);
  if (!as_judged) return {Refusal::guard_mismatch, 0};
  // A start that is already beyond is what was asked for.
  if (start > partition.start()) drop_below(tables, slot, start);
  return {Refusal::none, partition.start().value};
}

Refusal forget(FoldContext& context, const command::ForgetSegments::ForgottenSegment& item) {
  Tables& tables = context.tables;
  if (item.born < 0 || item.counter < 0) return Refusal::malformed;
  SegmentName name{Position(static_cast<std::uint64_t>(item.born)),
                   Incarnation::from_bytes(item.writer.view()),
                   static_cast<std::uint64_t>(item.counter)};
  Slot slot = tables.objects.find_segment(name);
  if (slot == kNoSlot) return Refusal::not_found;
  // The one rule for every deletion: unreferenced, and too old to be named again.
  if (tables.objects.segment(slot).live_bytes() != 0) return Refusal::guard_mismatch;
  if (name.born >= tables.meta->horizon) return Refusal::guard_mismatch;
  tables.objects.remove_segment(context.ledger(), slot);
  return Refusal::none;
}

}  // namespace

void fold(FoldContext& context, const command::AdvanceStart& command, Verdict& verdict) {
  for (const auto& item : command.partitions) verdict.items.push_back(advance(context, item));
}

void fold(FoldContext& context, const command::ForgetSegments& command, Verdict& verdict) {
  for (const auto& item : command.segments) verdict.item(forget(context, item));
}

}  // namespace weir::state
