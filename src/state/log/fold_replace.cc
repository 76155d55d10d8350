// ReplaceSpans: other bytes in the place of spans, in a segment that a merge or a compaction wrote.
//
// Judged run by run: a run is accepted only where the spans from its base to its end are exactly
// those that the proposer read (their hashes say which object holds them and where), so what was
// deleted, appended or replaced meanwhile is never lost. Offsets, starts and ends do not change.
// Runs of one partition stand next to each other, and one that is refused takes those behind it
// along: compaction may drop a tombstone only where the older values are gone.
#include <limits>
#include <span>

#include "state/commands/replace_spans.h"
#include "state/fold.h"
#include "state/limits.h"

namespace weir::state {
namespace {

using Run = command::ReplaceSpans::ReplacedRun;

struct Target {
  ObjectId id;
  std::uint64_t next_byte = 0;
  std::uint64_t live_bytes = 0;
};

/// Bytes of the run's regions; nothing if a number is out of bounds.
std::optional<std::uint64_t> bytes_of(const Run& run) {
  if (run.base_offset < 0 || run.end_offset <= run.base_offset || run.spans.empty() ||
      run.spans.size() > kSpansPerRunMax) {
    return std::nullopt;
  }
  std::uint64_t bytes = 0;
  std::int64_t offsets = 0;
  for (const auto& span : run.spans) {
    if (span.offsets < 1 || span.offsets > std::numeric_limits<std::int32_t>::max() ||
        span.bytes < 1 || span.bytes > kSegmentBytesMax) {
      return std::nullopt;
    }
    bytes += static_cast<std::uint64_t>(span.bytes);
    offsets += span.offsets;
  }
  if (offsets != run.end_offset - run.base_offset) return std::nullopt;
  return bytes;
}

Refusal check(FoldContext& context, const command::ReplaceSpans& command, SegmentName& name) {
  if (command.segment_counter < 0 || command.segment_born_position < 0 || command.first_byte < 0 ||
      command.segment_bytes <= 0 || command.segment_bytes > kSegmentBytesMax ||
      command.runs.empty() || command.runs.size() > kSpansPerCommandMax) {
    return Refusal::malformed;
  }
  name = {Position(static_cast<std::uint64_t>(command.segment_born_position)), context.incarnation,
          static_cast<std::uint64_t>(command.segment_counter)};
  if (name.born >= context.position()) return Refusal::malformed;
  std::uint64_t end = static_cast<std::uint64_t>(command.first_byte);
  for (const Run& run : command.runs) {
    std::optional<std::uint64_t> bytes = bytes_of(run);
    if (!bytes) return Refusal::malformed;
    end += *bytes;
  }
  if (end > static_cast<std::uint64_t>(command.segment_bytes)) return Refusal::malformed;
  // Such a segment may be collected as an orphan at any moment (spec Orphans.tla).
  if (name.born < context.tables.meta->horizon) return Refusal::born_before_horizon;
  // One command names all regions of such a segment.
  if (context.tables.objects.find_segment(name) != kNoSlot) return Refusal::malformed;
  return Refusal::none;
}

std::vector<Span> spans_of(const Run& run, const Target& target, LeaderEpoch epoch) {
  std::vector<Span> spans;
  Offset base(run.base_offset);
  std::uint64_t at = target.next_byte;
  for (const auto& merged : run.spans) {
    Span span;
    span.base = base;
    span.records = static_cast<std::int32_t>(merged.offsets);
    span.bytes = static_cast<std::uint32_t>(merged.bytes);
    span.object = target.id;
    span.first_byte = static_cast<std::uint32_t>(at);
    span.max_timestamp_ms = merged.max_timestamp_ms;
    span.epoch = epoch;
    base = span.end();
    at += span.bytes;
    spans.push_back(span);
  }
  return spans;
}

Refusal replace(FoldContext& context, const Run& run, Target& target) {
  Tables& tables = context.tables;
  PartitionRef at{run.topic_id, PartitionIndex(run.partition)};
  Slot slot = tables.topics.partition_slot(at);
  if (slot == kNoSlot) return Refusal::unknown_partition;
  Partition& partition = tables.partitions[slot];
  Offset base(run.base_offset), end(run.end_offset);
  std::optional<Hash128> present = partition.spans().digest_of(base, end);
  Hash128 seen;
  seen.low = static_cast<std::uint64_t>(run.old_digest_low);
  seen.high = static_cast<std::uint64_t>(run.old_digest_high);
  if (!present || *present != seen) return Refusal::guard_mismatch;
  if (run.compacted_to > partition.end().value) return Refusal::offset_out_of_range;
  // Its batches hold their own epochs; the span says the last of them.
  LeaderEpoch epoch;
  partition.spans().visit_from(base, [&](const Span& span) {
    epoch = span.epoch;
    return span.end() < end;
  });
  std::vector<Span> fresh = spans_of(run, target, epoch);
  // The start lies in the first span, always.
  if (fresh.front().end() <= partition.start()) return Refusal::guard_mismatch;
  std::vector<Span> old;
  context.ledger().edit(partition, [&](Partition& unit, EditKey key) {
    unit.replace(key, base, end, fresh, [&](const Span& span) { old.push_back(span); });
    if (run.compacted_to > unit.compacted_to().value)
      unit.set_compacted_to(key, Offset(run.compacted_to));
  });
  for (const Span& span : old) tables.objects.release(context.ledger(), span.object, span.bytes);
  tables.span_count = tables.span_count - old.size() + fresh.size();
  for (const Span& span : fresh) target.live_bytes += span.bytes;
  return Refusal::none;
}

}  // namespace

void fold(FoldContext& context, const command::ReplaceSpans& command, Verdict& verdict) {
  SegmentName name;
  Refusal refusal = check(context, command, name);
  if (refusal != Refusal::none) return verdict.refuse(refusal);
  Tables& tables = context.tables;
  Target target;
  target.id = ObjectId::make(tables.meta->next_object, true);
  target.next_byte = static_cast<std::uint64_t>(command.first_byte);
  const Run* refused = nullptr;
  for (const Run& run : command.runs) {
    const bool follows = refused != nullptr && run.topic_id == refused->topic_id &&
                         run.partition == refused->partition;
    const Refusal outcome = follows ? Refusal::guard_mismatch : replace(context, run, target);
    verdict.item(outcome);
    refused = outcome == Refusal::none ? nullptr : &run;
    target.next_byte += *bytes_of(run);
  }
  // Also if nothing was accepted: the state then knows that the segment awaits deletion.
  Slot slot = tables.objects.add_segment(context.ledger(), target.id, name,
                                         static_cast<std::uint64_t>(command.segment_bytes));
  tables.objects.set_segment_final(context.ledger(), slot);
  tables.objects.set_segment_live(context.ledger(), slot, target.live_bytes);
  tables.edit_meta([&](MetaValues& meta) { meta.next_object = target.id.sequence() + 1; });
}

}  // namespace weir::state
