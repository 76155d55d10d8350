// Flush plan: how the batches of one flush become spans, segments and commands. Pure.
//
// Batches are grouped by partition, in the order of arrival. A span is as long as it can be:
// batches without a producer join; batches of one producer join while their sequences are
// consecutive (a run). What fits goes inline; else the spans are cut, between partitions, into
// segments of the target size.
#pragma once

#include <optional>
#include <vector>

#include "engine/produce_call.h"
#include "state/spans.h"

namespace weir::engine {

struct PlannedSpan {
  state::NewSpan span;
  std::vector<QueuedBatch> batches;
  /// What is stored in place of the batches, if they were compressed for storage; `span.bytes` is
  /// its length then.
  std::optional<SharedBytes> compressed = std::nullopt;
};

/// What one AppendSpans command holds.
struct PlannedObject {
  std::vector<PlannedSpan> spans;
  /// As they were produced.
  std::size_t bytes = 0;
};

struct FlushLimits {
  /// A flush of at most this many bytes is one inline object.
  std::size_t inline_bytes = 0;
  std::size_t segment_bytes = 0;
  std::size_t spans_max = 0;
};

struct FlushPlan {
  bool is_inline = false;
  std::vector<PlannedObject> objects;
};

FlushPlan plan_flush(std::vector<QueuedBatch> batches, const FlushLimits& limits);

/// The sequence that follows `records` records from `first`: 2^31-1 is followed by 0.
std::int32_t sequence_after(std::int32_t first, std::int32_t records);

}  // namespace weir::engine
