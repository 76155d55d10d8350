#include "engine/follower.h"

#include "engine/limits.h"
#include "state/limits.h"

namespace weir::engine {

namespace {
/// Pause between two tries of a read that failed; the waiters have deadlines of their own.
constexpr Duration kReadRetryPause = 50ms;
}  // namespace

Follower::Follower(rt::Loop& loop, commitlog::CommitLog& log, Logger& logger,
                   DecisionRing& decisions, Duration grace)
    : loop_(loop),
      log_(log),
      logger_(logger),
      decisions_(decisions),
      proof_(loop, log, grace),
      progress_(loop),
      barrier_done_(loop),
      scope_(loop) {}

Position Follower::next() const {
  std::optional<Position> at = state_.position();
  return at ? at->next() : Position(0);
}

void Follower::halt(std::string why) {
  if (!halted_.empty()) return;
  halted_ = std::move(why);
  decisions_.record(loop_.now(), DecisionKind::halt, {static_cast<std::int64_t>(next().value)});
  logger_.error("engine_halted", {{"reason", halted_}, {"position", next().value}});
  progress_.notify_all();
  barrier_done_.notify_all();
}

void Follower::halt_if_log_is_gone(const Error& error) {
  if (!error.is(ErrorCode::not_found)) return;
  halt("the commit log at " + log_.describe() + " is gone: " + error.message);
}

/// What a later level means is not known here; to go on would be to guess.
Result<void> Follower::check_level(FeatureLevel level, const std::string& where) {
  if (level.value <= state::kFeatureLevelNewest) return {};
  halt("the cluster has feature level " + std::to_string(level.value) + " (" + where +
       "), and this program knows levels up to " + std::to_string(state::kFeatureLevelNewest) +
       "; start a newer version of weir here");
  return fail(ErrorCode::unsupported, halted_);
}

Result<void> Follower::offer(Position at, const SharedBytes& entry) {
  if (at < next()) return {};
  if (!halted_.empty()) return fail(ErrorCode::unavailable, halted_);
  ENSURE(at == next());
  auto view = state::decode_entry(entry);
  std::string where = log_.describe() + " position " + std::to_string(at.value);
  if (!view) {
    halt(
        "damaged log entry at " + where + ": " + view.error().message +
        "; restore this entry from a backup of the store, or start from a snapshot taken after it");
    return with_context(view.error(), where);
  }
  if (view->header.position != at) {
    halt("log entry at " + where + " says it is position " +
         std::to_string(view->header.position.value) +
         "; the store returns another object than was written");
    return fail(ErrorCode::corrupt, halted_);
  }
  if (at.value > 0 && view->header.previous != state_.nonce()) {
    halt("log entry at " + where +
         " does not continue the chain that this broker has folded; the store was rolled back or "
         "two stores were "
         "mixed. Stop all brokers of this cluster and restore one consistent copy");
    return fail(ErrorCode::corrupt, halted_);
  }
  WEIR_TRY(check_level(view->header.level, where));
  MonoTime begun = loop_.now();
  state::Folded folded = state_.apply(*view);
  decisions_.record(
      loop_.now(), DecisionKind::fold,
      {static_cast<std::int64_t>(at.value), static_cast<std::int64_t>(folded.outcomes.size()),
       (loop_.now() - begun) / 1us});
  bytes_folded_ += entry.size();
  last_read_ = loop_.now();
  // An entry may raise the level; its own outcomes are of the level before, but nobody may rely on
  // a state that has another meaning now.
  WEIR_TRY(check_level(state_.level(), where));
  for (FoldListener* listener : listeners_) listener->on_folded(*view, folded);
  progress_.notify_all();
  return {};
}

rt::Task<Result<bool>> Follower::read_next() {
  Position at = next();
  MonoTime started = loop_.now();
  auto found = co_await log_.read(at);
  if (!found) {
    if (found.error().is(ErrorCode::precondition)) note_truncated(at);
    halt_if_log_is_gone(found.error());
    co_return with_context(found.error(), "reading the commit log");
  }
  WEIR_CO_TRY(co_await confirm(at));
  // Somebody else was faster; what was read says nothing any more.
  if (at != next()) co_return true;
  last_read_ = loop_.now();
  if (*found)
    WEIR_CO_TRY(offer(at, **found));
  else
    proof_.proved_since(started);
  note_readable();
  co_return found->has_value();
}

rt::Task<Result<void>> Follower::confirm(Position at) {
  auto counts = co_await proof_.counts(at);
  if (!counts) co_return with_context(counts.error(), "reading the floor of the commit log");
  // What is folded already is not looked at again.
  if (*counts || at < next()) co_return Result<void>{};
  note_truncated(at);
  co_return fail(ErrorCode::unavailable,
                 "the commit log at " + log_.describe() + " was truncated beyond position " +
                     std::to_string(at.value) + "; starting again from a snapshot");
}

void Follower::note_truncated(Position at) {
  if (truncated_ || at < next()) return;
  truncated_ = true;
  logger_.warn("log_truncated_beyond_us", {{"log", log_.describe()}, {"position", next().value}});
  progress_.notify_all();
  if (on_truncated_) on_truncated_();
}

void Follower::note_readable() {
  if (!truncated_) return;
  truncated_ = false;
  logger_.info("log_readable_again", {{"log", log_.describe()}, {"position", next().value}});
  if (on_truncated_) on_truncated_();
}

rt::Task<void> Follower::read_into(Position at, Result<std::optional<SharedBytes>>& out) {
  out = co_await log_.read(at);
}

rt::Task<Result<std::vector<SharedBytes>>> Follower::read_ahead(Position from) {
  std::vector<Result<std::optional<SharedBytes>>> read(kReplayRequests);
  rt::Scope reads(loop_);
  for (std::uint64_t i = 0; i < kReplayRequests; ++i)
    reads.spawn(read_into(Position(from.value + i), read[i]));
  co_await reads.join();
  if (!read.front()) co_return std::unexpected(read.front().error());
  std::vector<SharedBytes> entries;
  for (Result<std::optional<SharedBytes>>& one : read) {
    // What lies behind an absent entry, or one that could not be read, is asked for again.
    if (!one || !*one) break;
    entries.push_back(std::move(**one));
  }
  co_return entries;
}

rt::Task<Result<void>> Follower::replay() {
  for (;;) {
    Position at = next();
    MonoTime started = loop_.now();
    auto entries = log_.reads_one_by_one()
                       ? co_await read_ahead(at)
                       : co_await log_.read_many(at, kReplayEntries, kReplayBytes);
    if (!entries && entries.error().is(ErrorCode::precondition)) note_truncated(at);
    if (!entries) co_return with_context(entries.error(), "replaying the commit log");
    WEIR_CO_TRY(co_await confirm(at));
    if (at != next()) continue;
    if (entries->empty()) {
      proof_.proved_since(started);
      co_return Result<void>{};
    }
    for (const SharedBytes& entry : *entries) {
      WEIR_CO_TRY(offer(at, entry));
      at = at.next();
    }
    // Registration and answers may go on between two pieces of a long replay.
    co_await rt::yield(loop_);
  }
}

rt::Task<Result<void>> Follower::barrier(MonoTime deadline) {
  // Only a proof that starts after this line counts for this request.
  std::uint64_t ticket = ++barrier_wanted_;
  if (!barrier_running_ && !stopping_) {
    barrier_running_ = true;
    scope_.spawn(prove_barriers());
  }
  ++barriers_waiting_;
  bool in_time = true;
  while (barrier_proved_ < ticket && halted_.empty() && !stopping_ && in_time)
    in_time = co_await barrier_done_.wait_until(deadline);
  --barriers_waiting_;
  if (barrier_proved_ >= ticket) co_return Result<void>{};
  if (!halted_.empty()) co_return fail(ErrorCode::unavailable, halted_);
  if (stopping_) co_return fail(ErrorCode::cancelled, "the broker is stopping");
  co_return fail(ErrorCode::timed_out,
                 "the commit log at " + log_.describe() +
                     " did not answer in time to prove that nothing was missed");
}

rt::Task<void> Follower::prove_barriers() {
  while (barrier_proved_ < barrier_wanted_ && halted_.empty() && !stopping_) {
    std::uint64_t covers = barrier_wanted_;
    auto found = co_await read_next();
    while (found && *found) found = co_await read_next();
    if (found) {
      barrier_proved_ = covers;
      decisions_.record(
          loop_.now(), DecisionKind::barrier,
          {static_cast<std::int64_t>(next().value), static_cast<std::int64_t>(barriers_waiting_)});
      barrier_done_.notify_all();
    } else {
      logger_.warn("barrier_read_failed", {{"error", describe(found.error())}});
      co_await rt::sleep_for(loop_, kReadRetryPause);
    }
  }
  barrier_running_ = false;
}

rt::Task<void> Follower::check_tail() {
  std::optional<Position> at = state_.position();
  if (!at || !halted_.empty()) co_return;
  Nonce nonce = state_.nonce();
  auto found = co_await log_.read(*at);
  if (!found) halt_if_log_is_gone(found.error());
  if (!found || state_.position() != at) co_return;
  std::string where = log_.describe() + " position " + std::to_string(at->value);
  auto view = *found ? state::decode_entry(**found) : Result<state::EntryView>{};
  if (*found && view && view->header.nonce == nonce) co_return;
  // A truncated prefix also reads as absent, or as a late create that landed there; the floor tells
  // these from a store that was rolled back.
  auto floor = co_await log_.read_floor();
  if (!floor || *floor > *at || state_.position() != at) co_return;
  if (!*found) {
    halt("the log entry at " + where +
         ", which this broker has folded, is gone: the store was rolled back to an older copy. "
         "Stop all brokers of "
         "this cluster; what was acknowledged since that copy is lost");
    co_return;
  }
  if (view)
    halt("the log entry at " + where +
         " is another one than this broker has folded: the store was replaced. Stop "
         "all brokers of this cluster and restore one consistent copy");
}

void Follower::stop() {
  stopping_ = true;
  barrier_done_.notify_all();
}

}  // namespace weir::engine
