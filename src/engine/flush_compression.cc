#include "engine/flush_compression.h"

#include "base/narrow.h"
#include "engine/off_loop.h"
#include "engine/region_transform.h"

namespace weir::engine {

namespace {

struct ToCompress {
  PlannedSpan* span;
  std::optional<SharedBytes> result;
};

bool compress_all(std::vector<ToCompress>& spans) {
  for (ToCompress& each : spans) {
    BytesChain region;
    for (const QueuedBatch& batch : each.span->batches) region.append(batch.item.batch);
    each.result = compress_region(region);
  }
  return true;
}

}  // namespace

rt::Task<void> compress_object(rt::Loop& loop, rt::Workers* workers, CompressionWishes wishes,
                               PlannedObject& object) {
  std::vector<ToCompress> spans;
  for (PlannedSpan& planned : object.spans)
    if (wishes.of(planned.span.at.topic)) spans.push_back({&planned, {}});
  if (spans.empty()) co_return;
  co_await off_loop(loop, workers, [&] { return compress_all(spans); });
  for (ToCompress& each : spans) {
    if (!each.result) continue;
    each.span->span.bytes = narrow<std::uint32_t>(each.result->size());
    each.span->compressed = std::move(each.result);
  }
}

}  // namespace weir::engine
