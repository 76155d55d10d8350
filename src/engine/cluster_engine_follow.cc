// ClusterEngine, the part that keeps up with the log: catching up at the start, looking for entries
// of other brokers, and starting anew from a snapshot when the log was truncated beyond us.
#include <algorithm>

#include "engine/cluster_engine.h"

namespace weir::engine {

namespace {
constexpr Duration kRetryPause = 2s;
/// A client that asked so recently may ask again.
constexpr Duration kAtWork = 30s;
}  // namespace

/// A damaged entry is no end while a peer lives that folded it before it was damaged: the next
/// snapshot lies behind it.
rt::Task<Result<void>> ClusterEngine::catch_up(MonoTime deadline) {
  WEIR_CO_TRY(co_await snapshotter_.load_newest());
  Result<void> replayed = co_await follower_.replay();
  // Snapshots are removed and the log is truncated while we read: a newer one is there then.
  while (!replayed && follower_.truncated() && !stopping_ && parts_.loop.now() < deadline) {
    auto reloaded = co_await reload();
    if (!reloaded && parts_.loop.now() + kRetryPause >= deadline)
      co_return std::unexpected(reloaded.error());
    if (!reloaded) {
      parts_.logger.warn("reload_failed", {{"error", describe(reloaded.error())}});
      co_await rt::sleep_for(parts_.loop, kRetryPause);
    }
    replayed = co_await follower_.replay();
  }
  while (!replayed && replayed.error().is(ErrorCode::corrupt) && !stopping_ &&
         parts_.loop.now() + kRetryPause < deadline) {
    parts_.logger.warn("waiting_for_a_snapshot_behind_damage",
                       {{"error", describe(replayed.error())},
                        {"advice",
                         "another broker of this cluster may write one within a minute; without "
                         "one, restore the damaged part of the log from a copy"}});
    co_await rt::sleep_for(parts_.loop, kRetryPause);
    auto loaded = co_await snapshotter_.load_newest();
    if (!loaded) co_return std::unexpected(loaded.error());
    if (*loaded) replayed = co_await follower_.replay();
  }
  if (!replayed && replayed.error().is(ErrorCode::corrupt))
    co_return fail(ErrorCode::corrupt,
                   replayed.error().message +
                       "; no snapshot lies behind the damage: restore this part of the log from a "
                       "backup of the store");
  // A snapshot says what the log held; a log that lacks it must not be written on.
  if (replayed) co_await follower_.check_tail();
  if (replayed && !follower_.halted().empty())
    co_return fail(ErrorCode::configuration, follower_.halted());
  co_return replayed;
}

/// Where no newer snapshot is needed, because the log can be read after all, it just goes on. Else
/// everything that waits for an outcome, a fold or a barrier goes on with the newer state; commands
/// whose fate the snapshot hides are told so (docs/design.md, 4d).
rt::Task<Result<void>> ClusterEngine::reload() {
  auto loaded = co_await snapshotter_.load_newest();
  if (!loaded) co_return std::unexpected(loaded.error());
  if (!*loaded) {
    auto found = co_await follower_.read_next();
    if (found) co_return Result<void>{};
    co_return fail(ErrorCode::unavailable,
                   "no snapshot from position " + std::to_string(follower_.next().value) +
                       " on is there, and the log cannot be read on either (" +
                       describe(found.error()) + "); see weir verify");
  }
  decisions_.record(parts_.loop.now(), DecisionKind::fold,
                    {static_cast<std::int64_t>(follower_.next().value), -1, 0});
  proposer_.reloaded();
  membership_.reloaded();
  std::ignore = follower_.mutable_state().take_changed_partitions();
  fetcher_.wake_all();
  sequences_.on_all_changed();
  follower_.progress().notify_all();
  co_return Result<void>{};
}

bool ClusterEngine::clients_at_work() const {
  return asked_at_ > MonoTime{} && parts_.loop.now() - asked_at_ < kAtWork;
}

/// Never so rare that a broker that joins would take our silence for death before we noticed it.
Duration ClusterEngine::poll_pace() const {
  bool parked = fetcher_.parked() > 0 || groups_.parked() > 0;
  Duration pace = parked ? std::max(poll_step_, options_.poll_busy) : options_.poll_quiet;
  if (!parked && !clients_at_work()) pace = options_.poll_idle.value_or(pace);
  if (membership_.alone())
    pace = parked || parts_.witness ? options_.poll_alone : options_.poll_alone * 2;
  // A broker with peers reads the log anyway when it vouches.
  return std::min(pace, options_.session_timeout / (membership_.alone() ? 3 : 2));
}

/// Where each look costs money, looks that find nothing make the next ones rarer.
void ClusterEngine::adapt_poll(bool found) {
  if (!pacer_.active()) return;
  poll_step_ = found ? options_.poll_busy
                     : std::min(std::max(poll_step_, options_.poll_busy) * 2, options_.poll_quiet);
}

/// Looks for entries of other brokers.
rt::Task<void> ClusterEngine::poll() {
  MonoTime looked = parts_.loop.now();
  MonoTime tail_checked = looked;
  while (!stopping_) {
    MonoTime now = parts_.loop.now();
    // Where looks cost money, what else reads the log, or writes it, says as much as one.
    MonoTime due =
        (pacer_.active() ? std::max(looked, follower_.last_read()) : looked) + poll_pace();
    if (follower_.truncated()) due = looked + options_.poll_quiet;
    if (now < due) {
      // Not to the end at once: a fetch that is parked meanwhile wants a faster pace.
      co_await stop_.wait_until(std::min(due, now + options_.poll_quiet));
      continue;
    }
    looked = now;
    if (!follower_.halted().empty()) continue;
    if (follower_.truncated()) {
      auto reloaded = co_await reload();
      if (!reloaded) parts_.logger.error("reload_failed", {{"error", describe(reloaded.error())}});
      continue;
    }
    auto found = co_await follower_.read_next();
    adapt_poll(found && *found);
    while (found && *found && !stopping_) found = co_await follower_.read_next();
    if (!found) parts_.logger.warn("log_read_failed", {{"error", describe(found.error())}});
    if (parts_.loop.now() - tail_checked >= options_.tail_check) {
      tail_checked = parts_.loop.now();
      co_await follower_.check_tail();
    }
  }
}

}  // namespace weir::engine
