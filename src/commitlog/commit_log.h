// CommitLog: the one arbiter of the cluster, a dense chain of entries that are created once and
// never changed.
//
// Everything that weir promises about order rests on `create`: of all writers that ever try
// position n, one wins, and every reader on every broker sees the winner's bytes from then on. The
// log knows nothing about what entries mean; folding before claiming, nonces, the grace rule and
// barriers are the duties of the engine (docs/design.md, "Commit log", duties a to g).
//
// `read` and `read_floor` are linearizable: they see every create and raise that was answered
// before they began. `read` never returns an entry that a later recovery could drop.
//
// Error not_found of any call says that the log itself is gone: removed or replaced under us. What
// was acknowledged may be lost, and nothing more may be acknowledged; the engine halts.
//
// Ownership: a log outlives every task that it handed out. Each back end says in its header which
// loop its tasks end on; none minds several calls at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "rt/task.h"

namespace weir::commitlog {

enum class CreateOutcome : unsigned char {
  won,      // the entry is in the log, durable as the log's options say
  exists,   // the position was taken when we tried, perhaps by an earlier attempt of our own
  unknown,  // it may be in the log, now or later: read the position and compare the nonce
};

class CommitLog {
 public:
  virtual ~CommitLog() = default;

  /// Creates the entry at `at`. An error says that it was certainly not applied: unavailable (try
  /// again), out_of_space, configuration (a person must act), too_large, invalid_argument; and,
  /// from logs that see the whole chain, precondition: `at` lies beyond the entry after the tail
  /// (the log was rolled back under its writer) or below the floor. The parts of `entry` may not
  /// change until the task ends.
  virtual rt::Task<Result<CreateOutcome>> create(Position at, BytesChain entry) = 0;
  /// The entry at `at`, or nothing if it is absent. Error corrupt names the object and the
  /// position; precondition only where guards_floor() says so.
  virtual rt::Task<Result<std::optional<SharedBytes>>> read(Position at) = 0;

  /// The position below which entries may be gone; 0 if it was never raised.
  virtual rt::Task<Result<Position>> read_floor() = 0;
  /// Raises the floor to at least `to`; a floor that is already there or beyond stays.
  virtual rt::Task<Result<void>> raise_floor(Position to) = 0;
  /// Removes what is found from `first` to `last`, both included, strays too. `last` must lie below
  /// the floor (precondition). What shares a file with later entries may stay.
  virtual rt::Task<Result<void>> remove(Position first, Position last) = 0;

  /// Greatest size of an entry.
  virtual std::size_t item_bytes_max() const = 0;
  /// True if `create` and `read` themselves refuse positions below the floor (error precondition),
  /// so that "absent" and "won" are proofs without the grace rule (duty e). False if a read below
  /// the floor may answer "absent" and a create there may land.
  virtual bool guards_floor() const { return false; }
  /// True if each entry is a request of its own to a store elsewhere, so that a replay had better
  /// ask for many at once, by name.
  virtual bool reads_one_by_one() const { return false; }
  /// For logs and messages: "file:///srv/weir/log/0", without secrets.
  virtual std::string describe() const = 0;

  /// For replay: the entries from `from` on, stopping before the first absent one, after `count` of
  /// them, or before the one that would exceed `bytes_max` in sum (but at least one if it exists).
  virtual rt::Task<Result<std::vector<SharedBytes>>> read_many(Position from, std::size_t count,
                                                               std::size_t bytes_max);
};

}  // namespace weir::commitlog
