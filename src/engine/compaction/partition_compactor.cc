#include "engine/compaction/partition_compactor.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "compaction/edit.h"
#include "engine/limits.h"
#include "record/batch_view.h"
#include "state/limits.h"

namespace weir::engine {

namespace {

Offset end_of(const state::SpanInfo& span) { return Offset(span.base.value + span.records); }

/// One block of memory, so that a few batches that stay do not hold that of many that go.
SharedBytes gathered(const BytesChain& chain) {
  Buffer buffer = Buffer::make(chain.size());
  std::size_t at = 0;
  for (const SharedBytes& part : chain.parts()) {
    std::memcpy(buffer.data().subspan(at).data(), part.view().data(), part.size());
    at += part.size();
  }
  return buffer;
}

std::unexpected<Error> damaged(const state::SpanInfo& span) {
  return fail(ErrorCode::corrupt, "the span at offset " + std::to_string(span.base.value) +
                                      " does not hold whole record batches");
}

}  // namespace

std::uint64_t read_bytes_max(const JobContext& context) {
  return std::min<std::uint64_t>(kCompactionReadBytes, context.rules().merge_segment_bytes);
}

PartitionCompactor::PartitionCompactor(JobContext& context, const CompactionPlan& plan,
                                       compaction::KeyMap& map, const SpanSource* loaded)
    : context_(context),
      plan_(plan),
      // Transactions that were aborted are not yet part of the state.
      pass_(plan.pass, map, {}, plan.producers),
      loaded_(loaded) {}

rt::Task<Result<SharedBytes>> PartitionCompactor::bytes_of(std::size_t index) {
  const SpanSource* source = loaded_;
  if (source == nullptr) {
    if (!window_ || index < window_begin_ || index >= window_end_) {
      std::vector<state::SpanInfo> spans;
      std::uint64_t bytes = 0;
      for (std::size_t i = index; i < plan_.spans.size(); ++i) {
        const std::uint64_t memory = plan_.spans[i].bytes * plan_.memory_weight;
        if (!spans.empty() && bytes + memory > read_bytes_max(context_)) break;
        bytes += memory;
        spans.push_back(plan_.spans[i]);
      }
      window_ = std::make_unique<SpanSource>(context_);
      window_begin_ = index;
      window_end_ = index + spans.size();
      WEIR_CO_TRY(co_await window_->load(spans));
      bytes_read_ += window_->bytes_read();
    }
    source = window_.get();
  }
  const SharedBytes* found = source->find(plan_.spans[index]);
  if (found == nullptr)
    co_return fail(ErrorCode::not_found, "the span at offset " +
                                             std::to_string(plan_.spans[index].base.value) +
                                             " is damaged, or was replaced meanwhile");
  co_return *found;
}

rt::Task<Result<PartitionCompactor::Piece>> PartitionCompactor::piece_from(std::size_t first) {
  Piece piece;
  piece.first = first;
  std::size_t size = 0;
  for (std::size_t i = first; i < plan_.spans.size(); ++i) {
    if (i > first && size + plan_.spans[i].bytes > kCompactionSliceBytes) break;
    auto bytes = co_await bytes_of(i);
    if (!bytes) co_return std::unexpected(bytes.error());
    size += bytes->size();
    piece.bytes.push_back(std::move(*bytes));
  }
  co_return piece;
}

rt::Task<Result<void>> PartitionCompactor::index() {
  std::size_t first = 0;
  while (first < plan_.spans.size() && end_of(plan_.spans[first]) <= plan_.pass.dirty_begin)
    ++first;
  while (first < plan_.spans.size()) {
    auto piece = co_await piece_from(first);
    if (!piece) co_return std::unexpected(piece.error());
    auto more = co_await off_loop(context_, [&] { return index_piece(*piece); });
    if (!more) co_return std::unexpected(more.error());
    if (!*more) break;
    first += piece->bytes.size();
  }
  co_return Result<void>{};
}

/// On the pool. False: no further batch is wanted.
Result<bool> PartitionCompactor::index_piece(const Piece& piece) {
  for (std::size_t i = 0; i < piece.bytes.size(); ++i) {
    record::BatchIterator batches(piece.bytes[i].view());
    for (;;) {
      auto batch = batches.next();
      if (!batch) return damaged(plan_.spans[piece.first + i]);
      if (!*batch) break;
      auto more = pass_.index(**batch);
      if (!more || !*more) return more;
    }
  }
  return true;
}

bool PartitionCompactor::is_last(std::size_t index) const {
  return index + 1 == plan_.spans.size() || plan_.spans[index + 1].base >= pass_.end();
}

/// On the pool.
Result<std::vector<PartitionCompactor::Compacted>> PartitionCompactor::compact_piece(
    const Piece& piece) {
  std::vector<Compacted> out;
  for (std::size_t i = 0; i < piece.bytes.size(); ++i) {
    const state::SpanInfo& span = plan_.spans[piece.first + i];
    if (span.base >= pass_.end()) break;
    auto compacted = compact_span(span, piece.bytes[i]);
    if (!compacted) return std::unexpected(compacted.error());
    out.push_back(std::move(*compacted));
  }
  return out;
}

Result<PartitionCompactor::Compacted> PartitionCompactor::compact_span(const state::SpanInfo& span,
                                                                       const SharedBytes& bytes) {
  using Kind = compaction::Pass::Filtered::Kind;
  Compacted out;
  BytesChain kept;
  record::BatchIterator batches(bytes.view());
  for (;;) {
    std::size_t at = batches.position();
    auto batch = batches.next();
    if (!batch) return damaged(span);
    if (!*batch) break;
    auto filtered = pass_.filter(**batch);
    if (!filtered) return std::unexpected(filtered.error());
    out.changed = out.changed || filtered->kind != Kind::original;
    if (filtered->kind == Kind::dropped) continue;
    out.last = (*batch)->last_offset();
    if (filtered->kind == Kind::original)
      kept.append(bytes.slice(at, (*batch)->size()));
    else
      kept.append(SharedBytes(std::move(filtered->batch)));
  }
  out.batches = out.changed ? BytesChain(gathered(kept)) : BytesChain(bytes);
  return out;
}

/// Of the span `next_span_`.
rt::Task<Result<PartitionCompactor::Compacted>> PartitionCompactor::take_compacted() {
  if (ready_.empty()) {
    auto piece = co_await piece_from(next_span_);
    if (!piece) co_return std::unexpected(piece.error());
    auto compacted = co_await off_loop(context_, [&] { return compact_piece(*piece); });
    if (!compacted) co_return std::unexpected(compacted.error());
    for (Compacted& one : *compacted) ready_.push_back(std::move(one));
  }
  Compacted front = std::move(ready_.front());
  ready_.pop_front();
  co_return front;
}

rt::Task<Result<std::optional<PartitionCompactor::Run>>> PartitionCompactor::next() {
  Run run;
  run.replacement.at = plan_.at;
  const MaintenanceOptions& rules = context_.rules();
  while (next_span_ < plan_.spans.size() && plan_.spans[next_span_].base < pass_.end()) {
    const state::SpanInfo& span = plan_.spans[next_span_];
    std::vector<FinalSpan>& regions = run.replacement.spans;
    bool full = run.bytes + span.bytes > rules.merge_segment_bytes ||
                regions.size() >= state::kSpansPerRunMax;
    if (!regions.empty() && full) break;
    auto compacted = co_await take_compacted();
    if (!compacted) co_return std::unexpected(compacted.error());
    bool last = is_last(next_span_);
    if (!last && !compacted->changed && span.bytes >= rules.merge_leave_bytes) {
      ++next_span_;
      if (!regions.empty()) {
        close_region(run, plan_.spans[next_span_ - 2]);
        co_return run;
      }
      continue;
    }
    append(run, span, std::move(*compacted));
    run.replacement.old_digest += plan_.digests[next_span_];
    ++next_span_;
    if (!last) continue;
    run.last = true;
    run.replacement.compacted_to = pass_.end();
  }
  if (run.replacement.spans.empty()) co_return std::nullopt;
  close_region(run, plan_.spans[next_span_ - 1]);
  co_return run;
}

void PartitionCompactor::append(Run& run, const state::SpanInfo& span, Compacted compacted) {
  std::vector<FinalSpan>& regions = run.replacement.spans;
  bool cut = regions.empty();
  if (!cut) {
    const FinalSpan& open = regions.back();
    cut = open.batches.size() + compacted.batches.size() > context_.rules().merge_region_bytes ||
          end_of(span).value - open.base.value > std::numeric_limits<std::int32_t>::max();
  }
  if (cut) {
    // Spans are dense, so the one before ends where this one begins.
    if (!regions.empty()) close_region(run, plan_.spans[next_span_ - 1]);
    regions.push_back({span.base, span.base, {}});
    region_last_ = Offset(-1);
  }
  run.bytes += compacted.batches.size();
  regions.back().batches.append(compacted.batches);
  regions.back().end = end_of(span);
  if (compacted.last.value >= 0) region_last_ = compacted.last;
}

/// A region ends exactly where its span ends, or no reader would get past what is gone.
void PartitionCompactor::close_region(Run& run, const state::SpanInfo& last_span) {
  FinalSpan& region = run.replacement.spans.back();
  if (region_last_.next() == region.end) return;
  Buffer closing = compaction::closing_batch(
      {Offset(region.end.value - 1), last_span.epoch, WallMillis(last_span.max_timestamp_ms)});
  run.bytes += closing.size();
  region.batches.append(SharedBytes(std::move(closing)));
}

}  // namespace weir::engine
