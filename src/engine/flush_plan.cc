#include "engine/flush_plan.h"

#include <algorithm>
#include <numeric>

#include "base/narrow.h"

namespace weir::engine {

namespace {

/// Spans address bytes with 32 bits; a span stays far below.
constexpr std::size_t kSpanBytesMax = 64u << 20;

bool continues(const PlannedSpan& planned, const QueuedBatch& batch) {
  const state::NewSpan& span = planned.span;
  const record::BatchInfo& info = batch.item.info;
  if (span.at != batch.item.at || span.bytes + info.bytes > kSpanBytesMax) return false;
  if (span.records > INT32_MAX - info.records) return false;
  if (!span.run) return !info.idempotent();
  return info.idempotent() && span.run->producer == info.producer &&
         span.run->epoch == info.epoch &&
         sequence_after(span.run->first_sequence, span.records) == info.base_sequence;
}

PlannedSpan span_of(const QueuedBatch& batch) {
  const record::BatchInfo& info = batch.item.info;
  PlannedSpan planned;
  planned.span.at = batch.item.at;
  if (info.idempotent())
    planned.span.run = state::ProducerRun{info.producer, info.epoch, info.base_sequence};
  return planned;
}

void append(PlannedSpan& planned, QueuedBatch batch) {
  state::NewSpan& span = planned.span;
  span.bytes += batch.item.info.bytes;
  span.records += batch.item.info.records;
  span.batches += 1;
  span.max_timestamp_ms = std::max(span.max_timestamp_ms, batch.item.info.max_timestamp_ms);
  planned.batches.push_back(std::move(batch));
}

}  // namespace

std::int32_t sequence_after(std::int32_t first, std::int32_t records) {
  std::int64_t next = std::int64_t{first} + records;
  return narrow<std::int32_t>(next % (std::int64_t{INT32_MAX} + 1));
}

FlushPlan plan_flush(std::vector<QueuedBatch> batches, const FlushLimits& limits) {
  std::vector<std::uint32_t> order(batches.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    auto by_partition = batches[a].item.at <=> batches[b].item.at;
    return by_partition != 0 ? by_partition < 0 : a < b;  // Within a partition: as they arrived.
  });
  std::size_t total = 0;
  for (const QueuedBatch& batch : batches) total += batch.item.info.bytes;

  FlushPlan plan;
  plan.is_inline = total <= limits.inline_bytes;
  for (std::uint32_t index : order) {
    QueuedBatch& batch = batches[index];
    bool joins = !plan.objects.empty() && !plan.objects.back().spans.empty() &&
                 continues(plan.objects.back().spans.back(), batch);
    if (!joins) {
      bool full = plan.objects.empty() || plan.objects.back().spans.size() >= limits.spans_max ||
                  (!plan.is_inline && plan.objects.back().bytes >= limits.segment_bytes);
      if (full) plan.objects.emplace_back();
      plan.objects.back().spans.push_back(span_of(batch));
    }
    plan.objects.back().bytes += batch.item.info.bytes;
    append(plan.objects.back().spans.back(), std::move(batch));
  }
  return plan;
}

}  // namespace weir::engine
