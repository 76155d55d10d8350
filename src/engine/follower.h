// Follower: reads the commit log, folds it, and proves that nothing committed was missed.
//
// It owns the cluster state. Entries arrive from three sides: from the proposer that won or lost a
// position, from a poll, and from a barrier; `offer` takes them in any order of arrival and folds
// only the next one, so the sides need not know of each other. Duty 4g: a barrier is proved by
// reading the next position as absent, started after the request; waiting requests share one proof.
//
// A result counts only as log_proof.h says; when the log begins beyond our position, `truncated`
// says so, and the engine starts anew from a snapshot.
//
// When the log contradicts what was folded (a broken chain, a tail below our position), or is gone,
// or has a feature level that this program does not know, the follower halts: it folds no more, and
// everything that would need a fresh state answers `unavailable` with the reason.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/decision_ring.h"
#include "base/log.h"
#include "base/result.h"
#include "commitlog/commit_log.h"
#include "engine/log_proof.h"
#include "rt/event.h"
#include "rt/scope.h"
#include "state/entry.h"
#include "state/state.h"

namespace weir::engine {

/// Told of each entry right after it was folded, on the engine's loop; may not suspend.
class FoldListener {
 public:
  virtual ~FoldListener() = default;
  virtual void on_folded(const state::EntryView& entry, const state::Folded& folded) = 0;
};

class Follower {
 public:
  Follower(rt::Loop& loop, commitlog::CommitLog& log, Logger& logger, DecisionRing& decisions,
           Duration grace = 0ms);

  const state::State& state() const { return state_; }
  state::State& mutable_state() { return state_; }
  /// Position of the entry to be folded next.
  Position next() const;
  /// Replaces the state by that of a snapshot, at start-up; a damaged entry before it no longer
  /// matters.
  void reset(state::State state) {
    state_ = std::move(state);
    halted_.clear();
    truncated_ = false;
  }
  LogProof& proof() { return proof_; }
  /// Whether what was read at `at` may be believed; if not, this broker has been left behind by
  /// truncation. Errors: unavailable (then `truncated` is true), or of reading the floor.
  rt::Task<Result<void>> confirm(Position at);
  /// The log begins beyond our position: only a snapshot helps. Cleared by `reset`, and by a read
  /// that counts: one that began before the log was truncated may bring us past its floor.
  bool truncated() const { return truncated_; }
  /// Something at `at` was refused because the log begins beyond. Of what is folded by now that
  /// says nothing.
  void note_truncated(Position at);
  /// Told when `truncated` changes, but for `reset`; may not suspend.
  void on_truncated(std::function<void()> told) { on_truncated_ = std::move(told); }
  /// Listeners are told in the order of being added; they outlive the follower's work.
  void add_listener(FoldListener* listener) { listeners_.push_back(listener); }

  /// Folds `entry` if it is the next one; one that is already folded is ignored. The bytes may lack
  /// the inline section. Errors (after halting): corrupt.
  Result<void> offer(Position at, const SharedBytes& entry);
  /// Reads the next position. True: an entry was found and folded; false: absent.
  rt::Task<Result<bool>> read_next();
  /// Folds up to the first absent position with large sequential reads. For start-up.
  rt::Task<Result<void>> replay();
  /// Folds everything that was committed before the call. Errors: timed_out, unavailable.
  rt::Task<Result<void>> barrier(MonoTime deadline);
  /// Checks that the last folded entry is still in the log as folded; halts if the store was rolled
  /// back.
  rt::Task<void> check_tail();

  void halt(std::string why);
  /// Halts if the error says that the log itself is gone (commit_log.h); what failed with it would
  /// never succeed again.
  void halt_if_log_is_gone(const Error& error);
  const std::string& halted() const { return halted_; }
  std::size_t barriers_waiting() const { return barriers_waiting_; }
  /// Notified after each folded entry and when the follower halts.
  rt::Event& progress() { return progress_; }
  std::uint64_t bytes_folded() const { return bytes_folded_; }
  /// When the log was last read with success: an entry, or that there is none yet.
  MonoTime last_read() const { return last_read_; }

  void stop();
  rt::Task<void> join() { return scope_.join(); }

 private:
  void note_readable();
  rt::Task<void> prove_barriers();
  Result<void> check_level(FeatureLevel level, const std::string& where);
  /// The entries from `from` on, read side by side, up to the first absent one.
  rt::Task<Result<std::vector<SharedBytes>>> read_ahead(Position from);
  rt::Task<void> read_into(Position at, Result<std::optional<SharedBytes>>& out);

  rt::Loop& loop_;
  commitlog::CommitLog& log_;
  Logger& logger_;
  DecisionRing& decisions_;
  state::State state_;
  std::vector<FoldListener*> listeners_;
  std::string halted_;
  bool stopping_ = false;
  bool truncated_ = false;
  std::function<void()> on_truncated_;
  LogProof proof_;

  rt::Event progress_;
  rt::Event barrier_done_;
  std::uint64_t barrier_wanted_ = 0;
  std::uint64_t barrier_proved_ = 0;
  bool barrier_running_ = false;
  std::size_t barriers_waiting_ = 0;
  std::uint64_t bytes_folded_ = 0;
  MonoTime last_read_{};
  rt::Scope scope_;
};

}  // namespace weir::engine
