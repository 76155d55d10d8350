#include "state/spans.h"

#include <limits>

#include "base/narrow.h"
#include "state/limits.h"
#include "state/varint.h"

namespace weir::state {
namespace {

constexpr std::uint64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
/// Partition, bytes, records, batches and timestamp take a byte each.
constexpr std::size_t kSpanBytesMin = 5;

using Out = std::vector<std::byte>;

/// Topics in the order of their first use, and for each stretch of spans of one topic the topic's
/// number and the length.
void encode_topics(std::span<const NewSpan> spans, Out& out) {
  std::vector<TopicId> topics;
  std::vector<std::pair<std::size_t, std::size_t>> stretches;
  for (const NewSpan& span : spans) {
    if (!stretches.empty() && topics[stretches.back().first] == span.at.topic) {
      ++stretches.back().second;
      continue;
    }
    // Spans come sorted by topic; where they do not, a topic may stand in the table twice.
    topics.push_back(span.at.topic);
    stretches.emplace_back(topics.size() - 1, 1);
  }
  append_varint(out, stretches.size());
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    Bytes id = topics[i].view();
    out.insert(out.end(), id.begin(), id.end());
    append_varint(out, stretches[i].second);
  }
}

bool decode_topics(VarintReader& in, std::vector<NewSpan>& spans) {
  std::uint64_t stretches = in.next_at_most(spans.size());
  std::size_t filled = 0;
  for (std::uint64_t i = 0; i < stretches; ++i) {
    Bytes id = in.take(16);
    if (!in.ok()) return false;
    TopicId topic = TopicId::from_bytes(id);
    std::uint64_t length = in.next_at_most(spans.size() - filled);
    if (!in.ok() || length == 0) return false;
    if (filled > 0 && spans[filled - 1].at.topic == topic) return false;
    for (; length > 0; --length) spans[filled++].at.topic = topic;
  }
  return in.ok() && filled == spans.size();
}

void encode_runs(std::span<const NewSpan> spans, Out& out) {
  std::int64_t producer = 0;
  for (const NewSpan& span : spans) {
    if (!span.run) continue;
    append_varint(out, zigzag(wrapping_difference(span.run->producer.value, producer)));
    producer = span.run->producer.value;
  }
  for (const NewSpan& span : spans) {
    if (span.run) append_varint(out, static_cast<std::uint64_t>(span.run->epoch.value));
  }
  for (const NewSpan& span : spans) {
    if (span.run) append_varint(out, static_cast<std::uint64_t>(span.run->first_sequence));
  }
}

void decode_runs(VarintReader& in, std::vector<NewSpan>& spans, bool& valid) {
  std::int64_t producer = 0;
  for (NewSpan& span : spans) {
    if (!span.run) continue;
    producer = wrapping_sum(producer, unzigzag(in.next()));
    valid = valid && producer >= 0;
    span.run->producer = ProducerId(producer);
  }
  for (NewSpan& span : spans) {
    if (!span.run) continue;
    span.run->epoch = ProducerEpoch(
        static_cast<std::int16_t>(in.next_at_most(std::numeric_limits<std::int16_t>::max())));
  }
  for (NewSpan& span : spans) {
    if (!span.run) continue;
    span.run->first_sequence = static_cast<std::int32_t>(in.next_at_most(kInt32Max));
  }
}

bool is_valid(const NewSpan& span) {
  bool run = !span.run || (span.run->producer.value >= 0 && span.run->epoch.value >= 0 &&
                           span.run->first_sequence >= 0);
  return run && span.at.partition.value >= 0 && span.bytes >= 1 && span.bytes <= kInt32Max &&
         span.records >= 1 && span.batches >= 1 && span.batches <= span.records;
}

}  // namespace

SharedBytes encode_spans(std::span<const NewSpan> spans) {
  ENSURE(spans.size() <= kSpansPerCommandMax);
  for (const NewSpan& span : spans) ENSURE(is_valid(span));
  Out out;
  out.reserve(spans.size() * 24 + 64);
  append_varint(out, spans.size());
  encode_topics(spans, out);
  std::int64_t partition = 0;
  for (const NewSpan& span : spans) {
    append_varint(out, zigzag(span.at.partition.value - partition));
    partition = span.at.partition.value;
  }
  for (const NewSpan& span : spans) append_varint(out, span.bytes);
  for (const NewSpan& span : spans) append_varint(out, static_cast<std::uint64_t>(span.records));
  for (const NewSpan& span : spans) {
    append_varint(out, static_cast<std::uint64_t>(span.batches - 1) << 1 | (span.run ? 1 : 0));
  }
  std::int64_t timestamp = 0;
  for (const NewSpan& span : spans) {
    append_varint(out, zigzag(wrapping_difference(span.max_timestamp_ms, timestamp)));
    timestamp = span.max_timestamp_ms;
  }
  encode_runs(spans, out);
  return SharedBytes::copy_of(out);
}

bool decode_spans(Bytes columns, std::vector<NewSpan>& spans) {
  spans.clear();
  VarintReader in(columns);
  std::uint64_t count = in.next_at_most(kSpansPerCommandMax);
  if (!in.ok() || count > in.remaining() / kSpanBytesMin) return false;
  spans.resize(count);
  if (!decode_topics(in, spans)) return false;
  bool valid = true;
  std::int64_t partition = 0;
  for (NewSpan& span : spans) {
    partition = wrapping_sum(partition, unzigzag(in.next()));
    valid = valid && partition >= 0 && partition <= std::int64_t{kInt32Max};
    span.at.partition = PartitionIndex(static_cast<std::int32_t>(partition));
  }
  for (NewSpan& span : spans) span.bytes = static_cast<std::uint32_t>(in.next_at_most(kInt32Max));
  for (NewSpan& span : spans) span.records = static_cast<std::int32_t>(in.next_at_most(kInt32Max));
  for (NewSpan& span : spans) {
    std::uint64_t packed = in.next_at_most(kInt32Max << 1);
    span.batches = static_cast<std::int32_t>((packed >> 1) + 1 > kInt32Max ? 0 : (packed >> 1) + 1);
    if ((packed & 1) != 0) span.run.emplace();
  }
  std::int64_t timestamp = 0;
  for (NewSpan& span : spans) {
    timestamp = wrapping_sum(timestamp, unzigzag(in.next()));
    span.max_timestamp_ms = timestamp;
  }
  decode_runs(in, spans, valid);
  if (!in.ok() || in.remaining() != 0 || !valid) return false;
  for (const NewSpan& span : spans) {
    if (!is_valid(span)) return false;
  }
  return true;
}

}  // namespace weir::state
