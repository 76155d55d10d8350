// Partition: where a partition starts and ends, and where its records are.
//
// Invariants: spans are dense from at or below `start` to `end` (or there is none, and start =
// end); `bytes` is the sum of their bytes, `spans_digest` of their hashes.
#pragma once

#include <cstdint>

#include "state/catalog.h"
#include "state/log/span_list.h"
#include "state/slab.h"
#include "state/unit.h"

namespace weir::state {

class Partition {
 public:
  const PartitionRef& ref() const { return ref_; }
  Offset start() const { return start_; }
  Offset end() const { return end_; }
  std::uint64_t bytes() const { return bytes_; }
  std::int64_t max_timestamp_ms() const { return max_timestamp_ms_; }
  /// Everything below is clean of older values of a key; -1 if it was never compacted.
  Offset compacted_to() const { return compacted_to_; }
  const SpanList& spans() const { return spans_; }

  bool live() const { return live_; }
  Hash128 hash() const;

  void create(EditKey, const PartitionRef& ref) {
    ref_ = ref;
    live_ = true;
  }
  /// For a snapshot: an empty partition that begins at `start`.
  void restore(EditKey, Offset start, Offset first_base, std::int64_t max_timestamp_ms) {
    start_ = start;
    end_ = first_base;
    max_timestamp_ms_ = max_timestamp_ms;
  }
  /// `span.base` must be the end.
  void append(EditKey key, const Span& span) {
    ENSURE(span.base == end_);
    spans_.append(key, span);
    spans_digest_ += span.hash();
    bytes_ += span.bytes;
    end_ = span.end();
    if (span.max_timestamp_ms > max_timestamp_ms_) max_timestamp_ms_ = span.max_timestamp_ms;
  }
  /// Spans wholly below are dropped, and told.
  template <class Dropped>
  void advance_start(EditKey key, Offset start, Dropped&& dropped) {
    ENSURE(start >= start_);
    ENSURE(start <= end_);
    start_ = start;
    spans_.drop_below(key, start, [&](const Span& span) {
      spans_digest_ -= span.hash();
      bytes_ -= span.bytes;
      dropped(span);
    });
  }
  /// Puts `fresh` in the place of the spans from `base` to `end`, which `replaced` is told of.
  /// Both are bounds of spans, and `fresh` covers exactly what lies between.
  template <class Replaced>
  void replace(EditKey key, Offset base, Offset end, std::span<const Span> fresh,
               Replaced&& replaced) {
    spans_.replace(key, base, end, fresh, [&](const Span& span) {
      spans_digest_ -= span.hash();
      bytes_ -= span.bytes;
      replaced(span);
    });
    for (const Span& span : fresh) {
      spans_digest_ += span.hash();
      bytes_ += span.bytes;
    }
  }
  void set_compacted_to(EditKey, Offset to) { compacted_to_ = to; }
  /// Everything is gone; all spans are told.
  template <class Dropped>
  void remove(EditKey key, Dropped&& dropped) {
    spans_.drop_below(key, end_, dropped);
    live_ = false;
  }

  // Bookkeeping that is not part of the state.
  SnapshotMark mark;
  /// First of the producers that have state here; the list goes on in the producer table.
  Slot first_producer = kNoSlot;
  std::uint32_t changed_round = 0;

 private:
  bool live_ = false;
  PartitionRef ref_;
  Offset start_;
  Offset end_;
  std::uint64_t bytes_ = 0;
  std::int64_t max_timestamp_ms_ = -1;
  Offset compacted_to_{-1};
  Hash128 spans_digest_;
  SpanList spans_;
};

}  // namespace weir::state
