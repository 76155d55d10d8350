#include "engine/audit/references.h"

#include "engine/segment.h"

namespace weir::engine::audit {

namespace {

template <class Visit>
void visit_partitions(const state::State& state, Visit&& visit) {
  state.visit_topics("", [&](const state::TopicInfo& topic) {
    for (std::int32_t i = 0; i < topic.partitions; ++i)
      visit(state::PartitionRef{topic.id, PartitionIndex(i)});
    return true;
  });
}

void check_partition(const state::State& state, state::PartitionRef at, Findings& findings) {
  auto info = state.partition(at);
  if (!info) return;
  std::vector<OffsetRange> spans;
  state.visit_spans(at, Offset(0), [&](const state::SpanInfo& span) {
    spans.push_back({span.base, Offset(span.base.value + span.records)});
    return true;
  });
  for (const OffsetRange& gap : offset_gaps({info->start, info->end}, spans))
    findings.push_back(
        {.kind = FindingKind::offset_gap,
         .object = "cluster state",
         .region = describe(state, at),
         .offset = gap.first,
         .sentence = "cluster state, " + describe(state, at) + ": the spans break at offsets " +
                     std::to_string(gap.first.value) + " to " + std::to_string(gap.end.value) +
                     "; readers stop there. This is a bug of weir, please report "
                     "it together with the commit log"});
}

}  // namespace

std::vector<OffsetRange> offset_gaps(const OffsetRange& partition,
                                     const std::vector<OffsetRange>& spans) {
  std::vector<OffsetRange> gaps;
  Offset next = partition.first;
  for (const OffsetRange& span : spans) {
    // The first one may begin below the start, never another one below its predecessor's end.
    bool first = &span == &spans.front();
    if (span.first > next || (!first && span.first < next)) gaps.push_back({next, span.first});
    next = span.end;
  }
  if (next != partition.end) gaps.push_back({next, partition.end});
  return gaps;
}

References references_of(const state::State& state) {
  References references;
  visit_partitions(state, [&](state::PartitionRef at) {
    state.visit_spans(at, Offset(0), [&](const state::SpanInfo& span) {
      UsedObject& used = span.object.is_inline ? references.inlines[span.object.position]
                                               : references.segments[segment_name(span.object)];
      used.object = span.object;
      used.live_bytes += span.bytes;
      used.spans.push_back(
          {at, span.base, span.records, span.first_byte, span.bytes, span.max_timestamp_ms});
      ++references.spans;
      return true;
    });
  });
  state.visit_awaiting_deletion([&](const state::ObjectRef& object) {
    references.awaiting_deletion.insert(segment_name(object));
    return true;
  });
  return references;
}

void check_state(const state::State& state, const References& references, Findings& findings) {
  visit_partitions(state, [&](state::PartitionRef at) { check_partition(state, at, findings); });
  for (const auto& [name, used] : references.segments) {
    auto counted =
        state.segment_live_bytes(used.object.born, used.object.writer, used.object.counter);
    if (counted == used.live_bytes) continue;
    findings.push_back(
        {.kind = FindingKind::wrong_live_bytes,
         .object = name,
         .region = {},
         .offset = {},
         .sentence = name + ": the state counts " + std::to_string(counted.value_or(0)) +
                     " live bytes, its spans have " + std::to_string(used.live_bytes) +
                     "; this is a bug of weir, please report it together with the "
                     "commit log"});
  }
}

std::string describe(const state::State& state, state::PartitionRef at) {
  const state::TopicInfo* topic = state.topic(at.topic);
  return "topic " + (topic ? topic->name : at.topic.hex()) + ", partition " +
         std::to_string(at.partition.value);
}

std::string describe(const state::State& state, const std::vector<SpanUse>& spans) {
  if (spans.empty()) return "nothing";
  const SpanUse& first = spans.front();
  std::string text = describe(state, first.at) + ", offsets " + std::to_string(first.base.value) +
                     " to " + std::to_string(first.last().value);
  if (spans.size() > 1) text += ", and " + std::to_string(spans.size() - 1) + " more spans";
  return text;
}

}  // namespace weir::engine::audit
