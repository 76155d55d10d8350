#include "engine/snapshotter.h"

#include <algorithm>
#include <cstdio>

#include "base/hash.h"
#include "base/narrow.h"
#include "engine/limits.h"
#include "state/commands/note_snapshot.h"

namespace weir::engine {

namespace {

constexpr std::string_view kPrefix = "snapshot/";
/// Units of one slice; about a millisecond.
constexpr std::size_t kUnitsPerSlice = 1'000;
constexpr Duration kLookEvery = 1s;
constexpr Duration kNoteWait = 30s;
/// Rest after a snapshot, in times of the work that it was: a twentieth of a core.
constexpr int kRestPerWork = 19;

std::string padded(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%020llu", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

std::string snapshot_name(Position at, Incarnation writer, std::uint64_t counter) {
  return std::string(kPrefix) + padded(at.value) + "-" + writer.hex() + "-" +
         std::to_string(counter);
}

Snapshotter::Snapshotter(Parts parts, const Options& options)
    : parts_(parts),
      options_(options),
      last_time_(parts.loop.now()),
      wake_(parts.loop),
      written_(parts.metrics.counter("weir_snapshots_written_total",
                                     "Snapshots of the state written to the store")),
      seconds_(parts.metrics.histogram("weir_snapshot_seconds",
                                       "Time from beginning a snapshot to its upload", 1e-6)) {}

rt::Task<Result<std::vector<std::string>>> Snapshotter::list_newest_first() {
  std::vector<std::string> names;
  std::string continuation;
  do {
    auto page = co_await parts_.store.list(std::string(kPrefix), continuation);
    if (!page)
      co_return with_context(page.error(), "listing snapshots in " + parts_.store.describe());
    for (const objstore::ObjectInfo& object : page->objects) names.push_back(object.name);
    continuation = page->next;
  } while (!continuation.empty());
  std::sort(names.rbegin(), names.rend());  // Positions are zero-padded.
  co_return names;
}

rt::Task<Result<bool>> Snapshotter::load_newest() {
  const bool left_behind = parts_.follower.truncated();
  auto names = co_await list_newest_first();
  if (!names) co_return std::unexpected(names.error());
  for (const std::string& name : *names) {
    if (name < std::string(kPrefix) + padded(parts_.follower.next().value)) break;
    auto bytes = co_await parts_.store.get(name);
    if (!bytes && bytes.error().is(ErrorCode::not_found))
      continue;  // Removed by a peer since the listing.
    if (!bytes) co_return with_context(bytes.error(), name);
    auto state = state::load_snapshot(*bytes);
    if (!state) {
      parts_.logger.error("snapshot_unusable",
                          {{"object", name}, {"error", describe(state.error())}});
      continue;
    }
    // Whoever waits for a barrier may have read on meanwhile.
    const bool read_on = left_behind && !parts_.follower.truncated();
    if (read_on || *state->position() < parts_.follower.next()) co_return false;
    parts_.logger.info("snapshot_loaded", {{"object", name}, {"bytes", bytes->size()}});
    last_position_ = *state->position();
    // A snapshot under way writes the state that is about to go.
    writer_.reset();
    parts_.follower.reset(std::move(*state));
    co_return true;
  }
  co_return false;
}

bool Snapshotter::preferred() const {
  Incarnation self = parts_.proposer.incarnation();
  std::uint64_t own = rendezvous_weight(as_bytes("snapshot"), self.view());
  for (const state::BrokerInfo& broker : parts_.follower.state().brokers())
    if (rendezvous_weight(as_bytes("snapshot"), broker.incarnation.view()) > own) return false;
  return true;
}

void Snapshotter::note_losses() {
  const state::State& state = parts_.follower.state();
  if (state.placement_epoch() == known_epoch_) return;
  std::vector<Incarnation> now;
  for (const state::BrokerInfo& broker : state.brokers()) now.push_back(broker.incarnation);
  bool lost = std::ranges::any_of(known_, [&](const Incarnation& broker) {
    return std::find(now.begin(), now.end(), broker) == now.end();
  });
  if (lost && state.position())
    lost_ = Loss{*state.position(), lost_ ? lost_->since : parts_.loop.now()};
  known_ = std::move(now);
  known_epoch_ = state.placement_epoch();
}

bool Snapshotter::due() {
  note_losses();
  std::optional<Position> at = parts_.follower.state().position();
  if (!at || !parts_.follower.halted().empty() || parts_.follower.truncated()) return false;
  Position newest = last_position_;
  for (const state::NotedSnapshot& noted : parts_.follower.state().noted_snapshots())
    newest = std::max(newest, noted.position);
  if (lost_ && newest >= lost_->at) lost_.reset();
  if (parts_.loop.now() < rests_until_) return false;
  std::uint64_t patience = preferred() ? 1 : 2;
  Duration pause = options_.snapshot_interval_min * static_cast<std::int64_t>(patience);
  if (parts_.loop.now() - last_time_ < pause) return false;
  std::uint64_t entries = at->value - std::min(at->value, newest.value);
  std::uint64_t bytes = parts_.follower.bytes_folded() - last_bytes_folded_;
  bool after_loss = lost_ && (patience == 1 || parts_.loop.now() - lost_->since >= pause);
  return entries >= options_.snapshot_entries * patience || (after_loss && entries > 0) ||
         (entries > 0 && bytes >= options_.snapshot_log_bytes * patience);
}

rt::Task<void> Snapshotter::run() {
  while (!stopping_) {
    co_await wake_.wait_until(parts_.loop.now() + kLookEvery);
    if (stopping_ || !due()) continue;
    auto written = co_await write();
    if (!written) parts_.logger.warn("snapshot_failed", {{"error", describe(written.error())}});
  }
}

rt::Task<Result<void>> Snapshotter::write() {
  MonoTime begun = parts_.loop.now();
  last_time_ = begun;
  if (writer_) co_return fail(ErrorCode::unavailable, "a snapshot is under way");
  writer_ = std::make_unique<state::SnapshotWriter>(parts_.follower.mutable_state());
  Position at = writer_->position();
  Hash128 digest = writer_->digest();
  last_bytes_folded_ = parts_.follower.bytes_folded();
  Duration spent{};
  for (bool done = false; !done;) {
    MonoTime slice = parts_.loop.now();
    done = writer_->step(kUnitsPerSlice);
    spent += parts_.loop.now() - slice;
    if (!done) co_await rt::yield(parts_.loop);
    if (!writer_) co_return fail(ErrorCode::cancelled, "the state was replaced meanwhile");
    if (!done && stopping_) {
      writer_.reset();
      co_return fail(ErrorCode::cancelled, "the broker is stopping");
    }
  }
  BytesChain bytes = writer_->finish();
  writer_.reset();
  rests_until_ = parts_.loop.now() + spent * kRestPerWork;
  std::uint64_t counter = ++counter_;
  std::string name = snapshot_name(at, parts_.proposer.incarnation(), counter);
  auto put = co_await parts_.store.put(name, bytes);
  if (!put) co_return with_context(put.error(), name);
  last_position_ = at;
  written_.add();
  seconds_.observe(static_cast<std::uint64_t>((parts_.loop.now() - begun).count() / 1000));
  parts_.logger.info("snapshot_written", {{"object", name}, {"bytes", bytes.size()}});

  state::command::NoteSnapshot note;
  note.snapshot_position = narrow<std::int64_t>(at.value);
  note.snapshot_counter = narrow<std::int64_t>(counter);
  note.digest_low = static_cast<std::int64_t>(digest.low);
  note.digest_high = static_cast<std::int64_t>(digest.high);
  note.bytes = narrow<std::int64_t>(bytes.size());
  Proposal proposal = make_proposal(note);
  proposal.names_own_object = true;
  auto noted = co_await parts_.proposer.propose(std::move(proposal), parts_.loop.now() + kNoteWait);
  if (!noted) co_return with_context(noted.error(), "noting " + name);
  co_await remove_old();
  co_return Result<void>{};
}

/// Everything before the third-newest noted one: nobody needs it, for the floor never passes the
/// second-newest.
rt::Task<void> Snapshotter::remove_old() {
  const auto& noted = parts_.follower.state().noted_snapshots();
  if (noted.size() < kSnapshotsKept) co_return;
  std::string oldest =
      std::string(kPrefix) + padded(noted[noted.size() - kSnapshotsKept].position.value);
  auto names = co_await list_newest_first();
  if (!names) co_return;
  std::erase_if(*names, [&](const std::string& name) { return name >= oldest; });
  if (names->empty()) co_return;
  auto failed = co_await parts_.store.remove(std::move(*names));
  if (!failed) parts_.logger.warn("snapshot_removal_failed", {{"error", describe(failed.error())}});
  if (!failed) co_return;
  for (const auto& [name, error] : *failed)
    parts_.logger.warn("snapshot_removal_failed", {{"object", name}, {"error", describe(error)}});
}

void Snapshotter::stop() {
  stopping_ = true;
  wake_.notify_all();
}

}  // namespace weir::engine
