// Proposer: numbers commands, writes them into log entries, and tells each proposer what the fold
// made of its command.
//
// Group commit (duty 4f): one create is in flight; what arrives meanwhile goes into the next entry.
// Where requests cost money, a create waits for the request budget, but no longer than the greatest
// commit gap; and where others write too, what they wrote is read before, since a create that loses
// costs twelve times as much as a read.
// A command is numbered when it is queued and never withdrawn: whatever the store answers, it stays
// at the head of the queue until a folded entry holds its outcome. Ambiguity (duty 4b): each
// attempt has a fresh nonce; a create that does not clearly win is followed by a read of the
// position, and what was read is folded. A command takes another number only when the fold shows
// that its incarnation is gone and the command never applied (duty 4d).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "commitlog/commit_log.h"
#include "engine/follower.h"
#include "engine/request_pacer.h"
#include "engine/store_trouble.h"
#include "rt/event.h"
#include "rt/random.h"
#include "rt/task.h"
#include "serial/writer.h"
#include "state/commands/append_spans.h"
#include "state/refusal.h"

namespace weir::engine {

using state::Refusal;

/// Commands are written at feature level 1 until another level exists.
inline constexpr std::int16_t kCommandVersion = 1;

template <class Command>
SharedBytes encode_body(const Command& command) {
  serial::Writer writer;
  encode(command, writer, kCommandVersion);
  auto body = writer.finish();
  ENSURE(body.has_value());  // We encode our own, checked values.
  return body->flatten();
}

/// A command before it has a number.
struct Proposal {
  std::uint16_t type = 0;
  /// Encoded command; empty for an inline AppendSpans, which is encoded when its place in an entry
  /// is known.
  SharedBytes body;
  std::optional<state::command::AppendSpans> inline_spans;
  /// Record data that travels in the entry.
  BytesChain inline_data;
  /// It names an object whose name holds the incarnation that proposes: under another incarnation
  /// it would name an object that does not exist.
  bool names_own_object = false;
  /// It is only right close to when it was asked for: under another incarnation, so after this
  /// broker was away for a session, it could undo what its client did elsewhere meanwhile.
  bool dies_with_incarnation = false;
};

/// Where an outcome goes; called once, on the engine's loop, from within the fold or a restart. May
/// not suspend.
class ProposalSink {
 public:
  virtual ~ProposalSink() = default;
  virtual void on_outcome(const state::EntryView& entry, const state::CommandOutcome& outcome) = 0;
};

class Proposer final : public FoldListener {
 public:
  struct Parts {
    rt::Loop& loop;
    rt::Random& random;
    commitlog::CommitLog& log;
    Follower& follower;
    RequestPacer& pacer;
    Logger& logger;
    Metrics& metrics;
    DecisionRing& decisions;
  };
  Proposer(Parts parts, Incarnation incarnation, Duration commit_gap);

  Incarnation incarnation() const { return incarnation_; }
  /// Starts (again) as `incarnation`: `registration` becomes command 1 and everything still pending
  /// follows it, but for what names an object of the previous incarnation or dies with it: that is
  /// refused as `not_registered`, to be made anew. Only when the fold shows the previous
  /// incarnation gone.
  void restart_as(Incarnation incarnation, Proposal registration,
                  std::shared_ptr<ProposalSink> sink);

  /// Queues a command. False when too many are pending or the broker stops; then nothing was
  /// queued.
  bool submit(Proposal proposal, std::shared_ptr<ProposalSink> sink);
  /// Queues a command and waits for its outcome. Errors: timed_out (it may still be applied),
  /// unavailable.
  rt::Task<Result<state::CommandOutcome>> propose(Proposal proposal, MonoTime deadline);

  /// The follower starts anew from a snapshot. What became of commands that the snapshot has
  /// counted cannot be known: they are told as `repeat`, to be answered as retriable. The same
  /// holds for all of them if the snapshot does not know our incarnation.
  void reloaded();
  /// Whether commands may be offered has changed.
  void look_again() { arrived_.notify_all(); }
  /// For the name of an object that this broker uploads; with the incarnation it is never given
  /// twice.
  std::uint64_t next_object_number() { return ++object_number_; }

  std::size_t pending() const { return pending_.size(); }
  /// Why no entry could be written for some seconds, if so. Commands that wait are tried again and
  /// again, so this ends by itself.
  std::string trouble() const;
  /// Writes entries until stopped. `stop` lets pending commands be written until `give_up`.
  rt::Task<void> run();
  void stop(MonoTime give_up);

  void on_folded(const state::EntryView& entry, const state::Folded& folded) override;

 private:
  struct Pending {
    Proposal proposal;
    std::shared_ptr<ProposalSink> sink;
  };
  struct Attempt {
    Position at;
    Nonce nonce;
    BytesChain bytes;
    /// What a fold needs of `bytes`: everything before the inline section.
    SharedBytes head;
    std::size_t commands = 0;
  };
  /// Commands of an incarnation that the fold does not know would only be refused.
  bool may_offer() const;
  MonoTime next_start();
  rt::Task<void> read_what_others_wrote();
  void drop_front(std::size_t count);
  Attempt build_attempt();
  rt::Task<Result<bool>> write_once();
  rt::Task<Result<bool>> resolve(Attempt attempt);
  void report(const Error& error);
  void record(DecisionKind kind, const Attempt& attempt, Duration took);

  Parts parts_;
  Incarnation incarnation_;
  /// Counter of the first pending command; 0 before the first registration.
  CommandCounter first_pending_{0};
  std::deque<Pending> pending_;
  std::optional<MonoTime> give_up_;
  Duration commit_gap_;
  std::uint64_t object_number_ = 0;
  MonoTime last_start_{};
  bool creating_ = false;
  StoreTrouble trouble_;
  rt::Event arrived_;
  Counter& entries_written_;
  Counter& creates_lost_;
  Counter& create_errors_;
  Histogram& commit_seconds_;
};

/// A proposal of a command whose encoding does not depend on its place in an entry.
template <class Command>
Proposal make_proposal(const Command& command) {
  Proposal proposal;
  proposal.type = Command::kType;
  proposal.body = encode_body(command);
  return proposal;
}

}  // namespace weir::engine
