#include "engine/proposer.h"

#include <algorithm>

#include "engine/limits.h"

namespace weir::engine {

namespace {

constexpr Duration kBackoffFirst = 5ms;
constexpr Duration kBackoffMax = 1s;
/// What a person must change does not change within milliseconds.
constexpr Duration kBackoffConfiguration = 2s;

/// Waits for one outcome. Shared between the coroutine that waits and the queue, because the
/// command stays queued when the wait ends at its deadline.
struct OutcomeWait final : ProposalSink {
  explicit OutcomeWait(rt::Loop& loop) : done(loop) {}
  void on_outcome(const state::EntryView&, const state::CommandOutcome& o) override {
    outcome = o;
    done.notify_all();
  }
  rt::Event done;
  std::optional<state::CommandOutcome> outcome;
};

}  // namespace

Proposer::Proposer(Parts parts, Incarnation incarnation, Duration commit_gap)
    : parts_(parts),
      incarnation_(incarnation),
      commit_gap_(commit_gap),
      arrived_(parts.loop),
      entries_written_(parts.metrics.counter("weir_log_entries_written_total",
                                             "Entries that this broker created in the commit log")),
      creates_lost_(
          parts.metrics.counter("weir_log_creates_lost_total",
                                "Creates that found the position taken or stayed unclear")),
      create_errors_(parts.metrics.counter("weir_log_create_errors_total",
                                           "Creates that the store refused or could not apply")),
      commit_seconds_(parts.metrics.histogram("weir_log_create_seconds",
                                              "Time of one create of a log entry", 1e-6)) {}

void Proposer::restart_as(Incarnation incarnation, Proposal registration,
                          std::shared_ptr<ProposalSink> sink) {
  state::CommandOutcome gone;
  gone.incarnation = std::exchange(incarnation_, incarnation);
  gone.status = state::CommandStatus::refused;
  gone.refusal = Refusal::not_registered;
  first_pending_ = CommandCounter(1);
  std::deque<Pending> stays;
  std::vector<Pending> stale;
  for (Pending& pending : pending_) {
    if (pending.proposal.names_own_object || pending.proposal.dies_with_incarnation)
      stale.push_back(std::move(pending));
    else
      stays.push_back(std::move(pending));
  }
  pending_ = std::move(stays);
  pending_.push_front({std::move(registration), std::move(sink)});
  for (Pending& pending : stale)
    if (pending.sink) pending.sink->on_outcome({}, gone);
  arrived_.notify_all();
}

void Proposer::reloaded() {
  std::optional<CommandCounter> last = parts_.follower.state().last_counter(incarnation_);
  std::size_t unknown = pending_.size();
  if (last && *last < first_pending_) unknown = 0;
  if (last && *last >= first_pending_)
    unknown = std::min<std::size_t>(pending_.size(), last->value - first_pending_.value + 1);
  drop_front(unknown);
  arrived_.notify_all();
}

/// Whoever waits for these hears that their fate will not be known here.
void Proposer::drop_front(std::size_t count) {
  state::CommandOutcome lost;
  lost.incarnation = incarnation_;
  lost.status = state::CommandStatus::repeat;
  std::vector<Pending> dropped;
  for (std::size_t i = 0; i < count; ++i) {
    dropped.push_back(std::move(pending_.front()));
    pending_.pop_front();
    first_pending_ = first_pending_.next();
  }
  for (Pending& pending : dropped)
    if (pending.sink) pending.sink->on_outcome({}, lost);
}

bool Proposer::submit(Proposal proposal, std::shared_ptr<ProposalSink> sink) {
  if (give_up_ || pending_.size() >= kPendingCommandsMax || !parts_.follower.halted().empty())
    return false;
  pending_.push_back({std::move(proposal), std::move(sink)});
  arrived_.notify_all();
  return true;
}

rt::Task<Result<state::CommandOutcome>> Proposer::propose(Proposal proposal, MonoTime deadline) {
  auto wait = std::make_shared<OutcomeWait>(parts_.loop);
  if (!submit(std::move(proposal), wait)) {
    const std::string& halted = parts_.follower.halted();
    co_return fail(ErrorCode::unavailable,
                   halted.empty() ? "too many changes are waiting for the commit log" : halted);
  }
  while (!wait->outcome)
    if (!co_await wait->done.wait_until(deadline) && !wait->outcome)
      co_return fail(ErrorCode::timed_out, "the commit log at " + parts_.log.describe() +
                                               " did not take the change in time");
  if (wait->outcome->status == state::CommandStatus::repeat)
    co_return fail(ErrorCode::timed_out,
                   "the broker stopped, or the log was truncated, before it could see what became "
                   "of the change");
  co_return std::move(*wait->outcome);
}

void Proposer::stop(MonoTime give_up) {
  give_up_ = give_up;
  arrived_.notify_all();
}

bool Proposer::may_offer() const {
  if (!parts_.follower.halted().empty() || parts_.follower.truncated()) return false;
  return first_pending_.value == 1 || parts_.follower.state().is_registered(incarnation_);
}

rt::Task<void> Proposer::run() {
  Duration backoff = kBackoffFirst;
  // Nobody registers a broker again that stops.
  auto over = [this] {
    return give_up_ && (pending_.empty() || parts_.loop.now() >= *give_up_ || !may_offer());
  };
  while (!over()) {
    if (pending_.empty() || !may_offer()) {
      co_await arrived_.wait();  // No deadline: `submit`, `restart_as` and `stop` notify.
      continue;
    }
    MonoTime due = next_start();
    if (parts_.loop.now() < due) {
      // `stop` ends the wait, which may be seconds.
      co_await arrived_.wait_until(due);
      continue;
    }
    co_await read_what_others_wrote();
    if (pending_.empty() || !may_offer()) continue;
    auto progressed = co_await write_once();
    if (progressed && *progressed) {
      backoff = kBackoffFirst;
      trouble_.succeeded();
      continue;
    }
    trouble_.failed(parts_.loop.now(),
                    progressed ? Error{ErrorCode::unknown_outcome, "no create had a clear answer"}
                               : progressed.error());
    bool fix_needed = !progressed && progressed.error().is(ErrorCode::configuration);
    if (!progressed) report(progressed.error());
    Duration pause = fix_needed ? kBackoffConfiguration : backoff;
    std::uint64_t jitter = parts_.random.below(static_cast<std::uint64_t>(pause.count()));
    co_await rt::sleep_for(parts_.loop,
                           pause / 2 + Duration(static_cast<std::int64_t>(jitter / 2)));
    backoff = std::min(backoff * 2, kBackoffMax);
  }
  drop_front(pending_.size());
}

MonoTime Proposer::next_start() {
  MonoTime gap_over = last_start_ + commit_gap_;
  if (!parts_.pacer.active() || give_up_) return gap_over;
  return std::max(gap_over,
                  std::min(parts_.pacer.when(1), last_start_ + parts_.pacer.commit_gap_max()));
}

/// A failed read is no obstacle: the create finds out by itself.
rt::Task<void> Proposer::read_what_others_wrote() {
  if (!parts_.pacer.active() || parts_.follower.state().brokers().size() <= 1) co_return;
  auto found = co_await parts_.follower.read_next();
  while (found && *found) found = co_await parts_.follower.read_next();
}

std::string Proposer::trouble() const {
  MonoTime now = parts_.loop.now();
  if (trouble_.since() && now - *trouble_.since() >= kTroubleShownAfter)
    return "the commit log at " + parts_.log.describe() + " takes no entries: " + trouble_.what();
  if (creating_ && now - last_start_ >= kTroubleShownAfter)
    return "the commit log at " + parts_.log.describe() + " does not answer";
  return {};
}

void Proposer::report(const Error& error) {
  create_errors_.add();
  bool person = error.is(ErrorCode::configuration);
  parts_.logger.write(person ? LogLevel::error : LogLevel::warn,
                      person ? "commit_refused" : "commit_failed",
                      {{"log", parts_.log.describe()}, {"error", describe(error)}});
}

void Proposer::record(DecisionKind kind, const Attempt& attempt, Duration took) {
  parts_.decisions.record(parts_.loop.now(), kind,
                          {static_cast<std::int64_t>(attempt.at.value),
                           static_cast<std::int64_t>(attempt.commands), took / 1us});
}

/// One create and what follows from its answer. True: an entry was folded; false: nothing is known
/// yet.
rt::Task<Result<bool>> Proposer::write_once() {
  Attempt attempt = build_attempt();
  MonoTime started = last_start_ = parts_.loop.now();
  creating_ = true;
  parts_.pacer.spend(1);
  auto outcome = co_await parts_.log.create(attempt.at, attempt.bytes);
  creating_ = false;
  Duration took = parts_.loop.now() - last_start_;
  commit_seconds_.observe(static_cast<std::uint64_t>(took.count() / 1000));
  if (!outcome) {
    if (attempt.at < parts_.follower.next())
      co_return true;  // Somebody else's entry was folded meanwhile.
    if (outcome.error().is(ErrorCode::precondition)) {
      auto floor = co_await parts_.log.read_floor();
      if (floor && *floor > attempt.at) parts_.follower.note_truncated(attempt.at);
      co_await parts_.follower.check_tail();
    }
    parts_.follower.halt_if_log_is_gone(outcome.error());
    co_return std::unexpected(outcome.error());
  }
  if (*outcome == commitlog::CreateOutcome::won) {
    entries_written_.add();
    record(DecisionKind::entry_won, attempt, took);
    WEIR_CO_TRY(co_await parts_.follower.confirm(attempt.at));
    parts_.follower.proof().proved_since(started);
    WEIR_CO_TRY(parts_.follower.offer(attempt.at, attempt.head));
    co_return true;
  }
  creates_lost_.add();
  record(DecisionKind::entry_lost, attempt, took);
  co_return co_await resolve(std::move(attempt));
}

/// Duty 4b: the position is read, and whatever is there is folded; our own nonce in it needs no
/// special case, because the fold tells the outcomes of our commands either way.
rt::Task<Result<bool>> Proposer::resolve(Attempt attempt) {
  if (attempt.at < parts_.follower.next()) co_return true;
  auto found = co_await parts_.log.read(attempt.at);
  if (!found) {
    if (found.error().is(ErrorCode::precondition)) parts_.follower.note_truncated(attempt.at);
    parts_.follower.halt_if_log_is_gone(found.error());
    co_return std::unexpected(found.error());
  }
  WEIR_CO_TRY(co_await parts_.follower.confirm(attempt.at));
  if (!*found) co_return false;
  WEIR_CO_TRY(parts_.follower.offer(attempt.at, **found));
  co_return true;
}

Proposer::Attempt Proposer::build_attempt() {
  Attempt attempt;
  attempt.at = parts_.follower.next();
  attempt.nonce = parts_.random.id128<Nonce>();
  const state::State& state = parts_.follower.state();

  state::CommandGroup group;
  group.incarnation = incarnation_;
  group.first = first_pending_;
  BytesChain inline_data;
  std::size_t command_bytes = 0;
  std::size_t entry_bytes_max = parts_.log.item_bytes_max() - kEntryCommandBytesMax / 2;
  for (Pending& pending : pending_) {
    Proposal& p = pending.proposal;
    bool full = group.commands.size() >= kEntryCommandsMax ||
                command_bytes >= kEntryCommandBytesMax / 2 ||
                inline_data.size() + p.inline_data.size() + command_bytes > entry_bytes_max;
    if (full && !group.commands.empty()) break;
    SharedBytes body = p.body;
    if (p.inline_spans) {
      p.inline_spans->inline_offset = static_cast<std::int64_t>(inline_data.size());
      body = encode_body(*p.inline_spans);
      inline_data.append(p.inline_data);
    }
    command_bytes += body.size();
    group.commands.push_back({p.type, std::move(body)});
  }
  attempt.commands = group.commands.size();

  state::EntryHeader header;
  header.cluster_tag = state::cluster_tag_of(state.cluster_id());
  header.position = attempt.at;
  header.previous = state.nonce();
  header.nonce = attempt.nonce;
  header.writer = incarnation_;
  header.wall = parts_.loop.wall_now();
  header.level = state.level();
  attempt.bytes = state::encode_entry(header, std::span(&group, 1), inline_data);
  BytesChain head;
  std::size_t head_bytes = attempt.bytes.size() - inline_data.size();
  for (const SharedBytes& part : attempt.bytes.parts()) {
    if (head.size() >= head_bytes) break;
    head.append(part.slice(0, std::min(part.size(), head_bytes - head.size())));
  }
  attempt.head = head.flatten();
  return attempt;
}

void Proposer::on_folded(const state::EntryView& entry, const state::Folded& folded) {
  for (const state::CommandOutcome& outcome : folded.outcomes) {
    if (first_pending_.value == 0 || outcome.incarnation != incarnation_) continue;
    if (outcome.status == state::CommandStatus::repeat ||
        outcome.status == state::CommandStatus::ahead)
      continue;
    if (outcome.refusal == Refusal::not_registered)
      continue;  // Stays pending until membership registers again.
    if (pending_.empty() || outcome.counter != first_pending_) {
      parts_.follower.halt(
          "the log holds commands of this broker that it did not write; another process uses the "
          "same incarnation id. Restart this broker");
      return;
    }
    if (outcome.refusal != Refusal::none)
      parts_.decisions.record(
          parts_.loop.now(), DecisionKind::refusal,
          {static_cast<std::int64_t>(outcome.refusal), pending_.front().proposal.type,
           static_cast<std::int64_t>(outcome.counter.value)});
    Pending done = std::move(pending_.front());
    pending_.pop_front();
    first_pending_ = first_pending_.next();
    if (done.sink) done.sink->on_outcome(entry, outcome);
  }
}

}  // namespace weir::engine
