// SpanSource: reads the bytes of many spans for a merge, with few requests.
//
// What the cache holds costs none. Spans of one object are read together: the entry of inline spans
// once, a segment in ranges that run across small gaps. How a region is stored the segment's footer
// says; it is read with the last range where that is near, and else only if a region does not prove
// to be what was produced. Every region is verified and copied into memory of its own, stamped with
// its final offsets, on the pool. A span whose object is gone, because the
// state has moved on, is simply absent from the result; a damaged one, or one that the store
// refuses, is reported and absent, so that it stays where it is.
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/cache.h"
#include "engine/maintenance/job.h"
#include "engine/segment.h"
#include "rt/scope.h"

namespace weir::engine {

class SpanSource {
 public:
  explicit SpanSource(JobContext& context) : context_(context), room_(context.loop) {}

  /// Errors: of the store or log, for which trying again later may help, or a refusal if it seems
  /// to be of the store as a whole.
  rt::Task<Result<void>> load(const std::vector<state::SpanInfo>& spans);
  /// The final batches of the span; null if it could not be had.
  const SharedBytes* find(const state::SpanInfo& span) const;
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  using Spans = std::vector<state::SpanInfo>;
  rt::Task<void> load_object(Spans spans);
  rt::Task<Result<void>> load_inline(const Spans& spans);
  rt::Task<Result<void>> load_ranges(const Spans& spans);
  rt::Task<Result<std::optional<SegmentView>>> read_footer(state::ObjectRef object);
  void note_failed(const Error& error);
  bool take_cached(const state::SpanInfo& span);
  void take(const state::SpanInfo& span, Result<SharedBytes> batches);

  JobContext& context_;
  std::unordered_map<RegionKey, SharedBytes, RegionKeyHash> loaded_;
  std::optional<Error> failure_;
  /// What a person would have to change, of a single object perhaps.
  std::optional<Error> refusal_;
  std::size_t refusals_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::size_t in_flight_ = 0;
  rt::Event room_;
};

}  // namespace weir::engine
