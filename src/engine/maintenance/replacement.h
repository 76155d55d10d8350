// Replacement: regions that take the place of spans, written as one segment and committed.
//
// Whoever makes final regions (merge, key compaction) adds runs here, each with the guard of the
// spans that it replaces; `commit` uploads them as one segment of level 1 and proposes
// ReplaceSpans. The fold judges each run alone. A kill in between leaves an orphan.
#pragma once

#include <vector>

#include "engine/maintenance/job.h"
#include "engine/segment.h"
#include "state/commands/replace_spans.h"

namespace weir::engine {

/// One region of a run: whole batches with final offsets and epochs that end exactly where the next
/// one begins.
struct FinalSpan {
  Offset base;
  Offset end;
  BytesChain batches;
};

struct ReplacementRun {
  state::PartitionRef at;
  /// What `State::spans_digest` said of the spans that are replaced.
  Hash128 old_digest;
  /// Offset below which the partition is clean afterwards; -1: as it was.
  Offset compacted_to{-1};
  std::vector<FinalSpan> spans;
};

struct ReplacementOutcome {
  /// Per run, in order.
  std::vector<Refusal> runs;
  std::uint64_t segment_bytes = 0;
};

/// Errors: of the store or the log; then it is not known whether the replacement happened.
rt::Task<Result<ReplacementOutcome>> commit_replacement(JobContext& context,
                                                        std::vector<ReplacementRun> runs);

}  // namespace weir::engine
