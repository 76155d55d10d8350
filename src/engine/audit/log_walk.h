// LogWalk: folds the whole commit log of a bucket, from its floor to its tail, and says what is
// wrong with the log and with the snapshots.
//
// Unlike a broker, it begins as early as it can and goes on behind damage: where an entry is gone
// or damaged it continues from the next snapshot, so that one run tells everything. At the position
// of each snapshot its digest is compared with what the log folds to. Reads only; brokers may run.
//
// Memory: one state, one chunk of entries.
#pragma once

#include <string>
#include <vector>

#include "commitlog/commit_log.h"
#include "engine/audit/finding.h"
#include "engine/audit/inventory.h"
#include "objstore/object_store.h"
#include "state/state.h"

namespace weir::engine::audit {

struct SnapshotFile {
  std::string name;
  std::uint64_t bytes = 0;
  Position position;
  Incarnation writer;
  std::uint64_t counter = 0;
  Hash128 digest;
  Nonce nonce;
  bool usable = false;
};

class LogWalk {
 public:
  struct Parts {
    objstore::ObjectStore& store;
    commitlog::CommitLog& log;
  };
  LogWalk(Parts parts, Findings& findings) : parts_(parts), findings_(findings) {}

  /// `inventory` was taken before. Errors: the store or the log cannot be read now, which says
  /// nothing about the bucket.
  rt::Task<Result<void>> run(const Inventory& inventory);
  /// Folds what was committed meanwhile.
  rt::Task<Result<void>> catch_up();

  const state::State& state() const { return state_; }
  /// Whether the state is that of the tail. Without it nothing can be said about references.
  bool complete() const { return complete_; }
  Position floor() const { return floor_; }
  /// Behind the last entry.
  Position next() const { return next_; }
  /// By position.
  const std::vector<SnapshotFile>& snapshots() const { return snapshots_; }
  std::uint64_t entries() const { return entries_; }

 private:
  rt::Task<Result<void>> read_floor();
  rt::Task<Result<void>> check_snapshots(const Inventory& inventory);
  rt::Task<Result<void>> read_chunk(std::vector<SharedBytes>& entries);
  rt::Task<Result<bool>> resume_after(Position at);
  rt::Task<Result<bool>> resume_at_floor();
  rt::Task<Result<bool>> resume_behind_gap();
  bool take(Position at, const SharedBytes& bytes);
  void compare_with_snapshots();
  rt::Task<Result<void>> check_notes();
  std::string name_of(Position at) const;
  void report(FindingKind kind, Position at, const std::string& what);

  Parts parts_;
  Findings& findings_;
  state::State state_;
  bool complete_ = false;
  Position floor_;
  bool floor_damaged_ = false;
  Position next_;
  /// Nothing at or beyond this was there when the inventory was taken.
  Position listed_end_;
  std::vector<SnapshotFile> snapshots_;
  std::uint64_t entries_ = 0;
  /// What the log itself says of the entry at `next_`, if it calls that damaged.
  std::string unreadable_;
};

}  // namespace weir::engine::audit
