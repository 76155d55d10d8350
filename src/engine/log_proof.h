// LogProof: whether a result at a log position may be believed (docs/design.md, 4e).
//
// Entries below the floor are removed, and a store that does not see the chain lets a late create
// land on a freed name. So a result at position n (a win, an entry, an absence) may be a lie if n
// has been freed meanwhile. It counts only if the last proof that this broker had, a floor read at
// or below n or a confirmed tail, *started* less than half the grace before now, for nobody
// removes an entry within the grace; or else if the floor, read after the result, is at or below n.
// Otherwise nothing may be made of it: the broker starts again from a snapshot.
//
// A log that checks the floor itself needs none of this. Used on the engine's loop.
#pragma once

#include <optional>

#include "base/result.h"
#include "base/time.h"
#include "commitlog/commit_log.h"
#include "rt/loop.h"
#include "rt/task.h"

namespace weir::engine {

class LogProof {
 public:
  /// `grace` 0: no clock is trusted, every result is confirmed by reading the floor.
  LogProof(rt::Loop& loop, commitlog::CommitLog& log, Duration grace)
      : loop_(loop), log_(log), grace_(grace) {}

  /// Whether a result at `at` that has just arrived counts. Errors: of reading the floor.
  rt::Task<Result<bool>> counts(Position at);
  /// A confirmed result (a win or an absence) proves the tail as of the start of its request.
  void proved_since(MonoTime started);
  std::uint64_t floor_reads() const { return floor_reads_; }

 private:
  rt::Loop& loop_;
  commitlog::CommitLog& log_;
  Duration grace_;
  std::optional<MonoTime> last_;
  std::uint64_t floor_reads_ = 0;
};

}  // namespace weir::engine
