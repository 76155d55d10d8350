// PartitionCompactor: one compaction run over one partition, span by span.
//
// Reads the dirty spans to map their keys, then all spans up to where the map reached, and gives
// the result as runs of final regions, in offset order. A span of which nothing changes is left
// where it is if it is large. The last run always holds the last span that was looked at, because
// accepting it is what makes the partition clean; whoever commits must not offer it before the
// others were accepted: a later offset could otherwise count as clean while an earlier one is not.
//
// Memory: the key map, `read_bytes_max` of sources, and one run. Records are worked through on the
// pool, some spans at a time, while the loop waits for nothing but the next piece.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "compaction/pass.h"
#include "engine/compaction/compaction_plan.h"
#include "engine/maintenance/replacement.h"
#include "engine/maintenance/span_source.h"

namespace weir::engine {

/// What a compaction reads at once: kCompactionReadBytes, or less where memory is small.
std::uint64_t read_bytes_max(const JobContext& context);

class PartitionCompactor {
 public:
  /// `map` and `plan` outlive it. `loaded`: holds the bytes of all spans of the plan; null: they
  /// are read as they are needed.
  PartitionCompactor(JobContext& context, const CompactionPlan& plan, compaction::KeyMap& map,
                     const SpanSource* loaded);

  /// First. Errors: not_found (a span is gone or damaged: the source said so), corrupt (records
  /// that do not parse), of the store.
  rt::Task<Result<void>> index();

  struct Run {
    ReplacementRun replacement;
    std::uint64_t bytes = 0;
    /// Its `compacted_to` is set.
    bool last = false;
  };
  /// The next run; nothing after the last one. Errors as `index`.
  rt::Task<Result<std::optional<Run>>> next();

  /// Whether everything that was due is decided; else another run is due at once.
  bool whole() const { return pass_.whole(); }
  const compaction::PassStats& stats() const { return pass_.stats(); }
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  struct Compacted {
    BytesChain batches;
    bool changed = false;
    Offset last{-1};
  };
  /// Spans from `first` on, with their bytes: at least one.
  struct Piece {
    std::size_t first = 0;
    std::vector<SharedBytes> bytes;
  };
  rt::Task<Result<SharedBytes>> bytes_of(std::size_t index);
  rt::Task<Result<Piece>> piece_from(std::size_t first);
  Result<bool> index_piece(const Piece& piece);
  Result<std::vector<Compacted>> compact_piece(const Piece& piece);
  Result<Compacted> compact_span(const state::SpanInfo& span, const SharedBytes& bytes);
  rt::Task<Result<Compacted>> take_compacted();
  void append(Run& run, const state::SpanInfo& span, Compacted compacted);
  void close_region(Run& run, const state::SpanInfo& last_span);
  bool is_last(std::size_t index) const;

  JobContext& context_;
  const CompactionPlan& plan_;
  compaction::Pass pass_;
  const SpanSource* loaded_;
  /// Where `loaded_` is null: the spans [window_begin_, window_end_).
  std::unique_ptr<SpanSource> window_;
  std::size_t window_begin_ = 0;
  std::size_t window_end_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::size_t next_span_ = 0;
  /// Of the spans from `next_span_` on.
  std::deque<Compacted> ready_;
  /// Last offset of what the open region holds.
  Offset region_last_{-1};
};

}  // namespace weir::engine
