// Snapshotter: writes the state to the store now and then, and finds the newest good one at
// start-up.
//
// A snapshot is due after so many entries or bytes of log, at most once in so long, and takes at
// most a twentieth of a core. It is written in slices between folds, uploaded under a unique name,
// and then noted in the log with its digest. Any broker may write one; the one with the highest
// rendezvous weight does, the others only when it has not for twice the time (it may be the very
// one that comes and goes). When a broker was lost, one is due at once: it may have met a damaged
// log entry, and can only start behind it, from a snapshot of somebody who folded that entry
// before. Old ones are removed once three newer ones are noted: truncation relies on the
// second-newest (maintenance/truncation_job.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "engine/options.h"
#include "engine/proposer.h"
#include "objstore/object_store.h"
#include "state/snapshot/snapshot.h"

namespace weir::engine {

std::string snapshot_name(Position at, Incarnation writer, std::uint64_t counter);

class Snapshotter {
 public:
  struct Parts {
    rt::Loop& loop;
    objstore::ObjectStore& store;
    Follower& follower;
    Proposer& proposer;
    Logger& logger;
    Metrics& metrics;
  };
  Snapshotter(Parts parts, const Options& options);

  /// Loads the newest valid snapshot into the follower; an invalid one is reported and the one
  /// before it used. False: there is none beyond what is folded. Errors: of the store.
  rt::Task<Result<bool>> load_newest();
  rt::Task<void> run();
  void stop();
  /// Writes one now; for drain and tests. Errors: of the store.
  rt::Task<Result<void>> write();

 private:
  rt::Task<Result<std::vector<std::string>>> list_newest_first();
  rt::Task<void> remove_old();
  bool due();
  void note_losses();
  bool preferred() const;

  Parts parts_;
  const Options& options_;
  std::uint64_t counter_ = 0;
  Position last_position_;
  std::uint64_t last_bytes_folded_ = 0;
  /// The one under way; abandoned when the state that it writes is replaced.
  std::unique_ptr<state::SnapshotWriter> writer_;
  /// The next one begins no earlier, for its share of the core.
  MonoTime rests_until_{};
  MonoTime last_time_;
  /// Live brokers when they were last looked at.
  std::vector<Incarnation> known_;
  LeaderEpoch known_epoch_{-1};
  /// Set while no snapshot stands behind the last loss of a broker: where that was seen, and when
  /// the first one since the last snapshot was.
  struct Loss {
    Position at;
    MonoTime since;
  };
  std::optional<Loss> lost_;
  bool stopping_ = false;
  rt::Event wake_;
  Counter& written_;
  Histogram& seconds_;
};

}  // namespace weir::engine
