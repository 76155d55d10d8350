// AppendSpans: the one command of the produce path. One flush of thousands of partitions, in one
// pass over its columns.
#include <limits>

#include "state/commands/append_spans.h"
#include "state/fold.h"
#include "state/limits.h"

namespace weir::state {
namespace {

/// The object that holds the command's bytes.
struct Source {
  ObjectId id;
  /// In the table already: by an earlier command.
  Slot segment = kNoSlot;
  bool known = false;
  /// Place of the next region.
  std::uint64_t next_byte = 0;
  /// Of this command's spans that were accepted.
  std::uint64_t accepted_bytes = 0;
};

std::uint64_t total_bytes(const std::vector<NewSpan>& spans) {
  std::uint64_t total = 0;
  for (const NewSpan& span : spans) total += span.bytes;
  return total;
}

SegmentName name_of(const FoldContext& context, const command::AppendSpans& command) {
  return {Position(static_cast<std::uint64_t>(command.segment_born_position)), context.incarnation,
          static_cast<std::uint64_t>(command.segment_counter)};
}

Refusal open_segment(FoldContext& context, const command::AppendSpans& command, Source& source) {
  Tables& tables = context.tables;
  std::uint64_t total = total_bytes(context.spans);
  if (command.segment_counter < 0 || command.first_byte < 0 || command.segment_bytes <= 0 ||
      command.segment_bytes > kSegmentBytesMax || command.first_byte > command.segment_bytes) {
    return Refusal::malformed;
  }
  auto bytes = static_cast<std::uint64_t>(command.segment_bytes);
  source.next_byte = static_cast<std::uint64_t>(command.first_byte);
  SegmentName name = name_of(context, command);
  if (total > bytes - source.next_byte || name.born >= context.position())
    return Refusal::malformed;
  // Such a segment may be collected as an orphan at any moment (spec Orphans.tla).
  if (name.born < tables.meta->horizon) return Refusal::born_before_horizon;
  source.segment = tables.objects.find_segment(name);
  source.known = source.segment != kNoSlot;
  if (!source.known) {
    source.id = ObjectId::make(tables.meta->next_object, true);
    return Refusal::none;
  }
  const Segment& segment = tables.objects.segment(source.segment);
  source.id = segment.id();
  bool agrees = segment.bytes() == bytes && segment.live_bytes() + total <= bytes;
  return agrees ? Refusal::none : Refusal::malformed;
}

Refusal open_inline(FoldContext& context, const command::AppendSpans& command, Source& source) {
  Tables& tables = context.tables;
  std::uint64_t total = total_bytes(context.spans);
  std::uint64_t section = context.entry.inline_bytes;
  if (command.segment_born_position != -1 || command.inline_offset < 0) return Refusal::malformed;
  source.next_byte = static_cast<std::uint64_t>(command.inline_offset);
  if (source.next_byte > section || total > section - source.next_byte) return Refusal::malformed;
  if (context.inline_sequence) {
    source.id = ObjectId::make(*context.inline_sequence, false);
    source.known = tables.objects.knows(source.id);
  }
  if (source.known) {
    // Commands of one entry never share bytes, so that their sum fits the section.
    bool fits = tables.objects.inline_live_bytes(source.id) + total <= section;
    return fits ? Refusal::none : Refusal::malformed;
  }
  source.id = ObjectId::make(
      tables.objects.place_inline(tables.meta->next_object, context.position()), false);
  return Refusal::none;
}

ItemOutcome append(FoldContext& context, const NewSpan& fresh, Source& source,
                   std::uint64_t& producer_uses) {
  Tables& tables = context.tables;
  Slot slot = tables.topics.partition_slot(fresh.at);
  if (slot == kNoSlot) {
    bool topic = tables.topics.find(fresh.at.topic) != nullptr;
    return {topic ? Refusal::unknown_partition : Refusal::unknown_topic, 0};
  }
  Partition& partition = tables.partitions[slot];
  Offset base = partition.end();
  if (base.value > std::numeric_limits<std::int64_t>::max() - fresh.records)
    return {Refusal::limit_reached, 0};
  if (fresh.run) {
    ItemOutcome judged = tables.producers.judge(slot, *fresh.run, fresh.records, base);
    if (judged.refusal != Refusal::none) return judged;
    tables.producers.accept(
        context.ledger(), slot, *fresh.run,
        {context.position(), ++producer_uses, base, fresh.records, fresh.batches});
  }
  Span span;
  span.base = base;
  span.records = fresh.records;
  span.bytes = fresh.bytes;
  span.object = source.id;
  span.first_byte = static_cast<std::uint32_t>(source.next_byte);
  span.max_timestamp_ms = fresh.max_timestamp_ms;
  span.epoch = tables.meta->placement_epoch;
  context.ledger().edit(partition, [&](Partition& unit, EditKey key) { unit.append(key, span); });
  ++tables.span_count;
  source.accepted_bytes += fresh.bytes;
  return {Refusal::none, base.value};
}

/// Enters the object, or its new live bytes, into the table.
void close_source(FoldContext& context, const command::AppendSpans& command, Source& source) {
  Tables& tables = context.tables;
  if (source.id.is_segment()) {
    // Also one of which nothing was accepted: the state then knows that it awaits deletion.
    if (!source.known) {
      source.segment =
          tables.objects.add_segment(context.ledger(), source.id, name_of(context, command),
                                     static_cast<std::uint64_t>(command.segment_bytes));
    }
    const Segment& segment = tables.objects.segment(source.segment);
    tables.objects.set_segment_live(context.ledger(), source.segment,
                                    segment.live_bytes() + source.accepted_bytes);
    return;
  }
  if (source.accepted_bytes == 0) return;
  auto bytes = static_cast<std::uint32_t>(source.accepted_bytes);
  if (source.known) {
    tables.objects.grow_inline(context.ledger(), source.id.sequence(), bytes);
    return;
  }
  const EntryHeader& header = context.entry.header;
  tables.objects.add_inline(context.ledger(), source.id.sequence(), header.position,
                            nonce_tag_of(header.nonce), bytes);
  context.inline_sequence = source.id.sequence();
}

}  // namespace

void fold(FoldContext& context, const command::AppendSpans& command, Verdict& verdict) {
  if (!decode_spans(command.columns.view(), context.spans) || context.spans.empty())
    return verdict.refuse(Refusal::malformed);
  Source source;
  Refusal refusal = command.segment_born_position >= 0 ? open_segment(context, command, source)
                                                       : open_inline(context, command, source);
  if (refusal != Refusal::none) return verdict.refuse(refusal);

  Tables& tables = context.tables;
  std::uint64_t producer_uses = tables.meta->producer_uses;
  verdict.items.reserve(context.spans.size());
  for (const NewSpan& span : context.spans) {
    verdict.items.push_back(append(context, span, source, producer_uses));
    source.next_byte += span.bytes;
  }
  close_source(context, command, source);
  bool new_object = !source.known && (source.id.is_segment() || source.accepted_bytes > 0);
  tables.edit_meta([&](MetaValues& meta) {
    meta.producer_uses = producer_uses;
    if (new_object) meta.next_object = source.id.sequence() + 1;
  });
}

}  // namespace weir::state
