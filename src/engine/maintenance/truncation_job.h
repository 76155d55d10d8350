// TruncationJob: raises the floor of the commit log and removes entries below it.
//
// The floor never passes the second-newest verified snapshot (the newest may turn out unreadable)
// nor an entry whose inline data a span names. Verified: noted in the log, of the size that was
// noted, with the digest that this broker computed itself at that position, and disputed by nobody.
// Entries are removed only after this broker has waited the grace since it saw the floor published,
// for whoever read them before may still believe what it read (log_proof.h); each run removes
// everything that it finds below, strays included. spec Truncate.tla has the proof.
#pragma once

#include <optional>

#include "engine/maintenance/digest_watch.h"
#include "engine/maintenance/job.h"

namespace weir::engine {

class TruncationJob final : public Job {
 public:
  TruncationJob(JobContext& context, const DigestWatch& digests);
  std::string_view name() const override { return "truncation"; }
  Duration period() const override { return context_.rules().truncate_interval; }
  rt::Task<Result<bool>> run_once() override;

 private:
  /// A floor that this broker saw in the log, and when.
  struct Published {
    Position floor;
    MonoTime seen;
  };
  rt::Task<Result<bool>> snapshots_are_there();
  /// Whether truncation still counts on it.
  bool is_wanted(const state::NotedSnapshot& snapshot) const;
  rt::Task<Result<void>> raise(Position to);
  void note_published(Position floor);
  rt::Task<Result<bool>> remove_below();

  JobContext& context_;
  const DigestWatch& digests_;
  std::optional<Position> floor_;
  /// In the order of their floors; all above what was removed. What was seen stays seen while the
  /// job is another broker's: else, where brokers come and go more often than once in a grace,
  /// nobody would ever have waited long enough. One for each raise or return of the job in a grace.
  std::vector<Published> published_;
  Position removed_below_;
  Gauge& floor_gauge_;
  Counter& removals_;
};

}  // namespace weir::engine
