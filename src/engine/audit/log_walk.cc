#include "engine/audit/log_walk.h"

#include <algorithm>
#include <utility>

#include "engine/limits.h"
#include "engine/snapshotter.h"
#include "state/entry.h"
#include "state/snapshot/snapshot.h"

namespace weir::engine::audit {

namespace {

/// Whether the bytes, and not the way to them, are at fault.
bool is_damage(const Error& error) {
  return error.is(ErrorCode::corrupt) || error.is(ErrorCode::unsupported);
}

}  // namespace

std::string LogWalk::name_of(Position at) const {
  return parts_.log.describe() + " position " + std::to_string(at.value);
}

void LogWalk::report(FindingKind kind, Position at, const std::string& what) {
  findings_.push_back({kind, name_of(at), {}, {}, name_of(at) + ": " + what});
}

rt::Task<Result<void>> LogWalk::run(const Inventory& inventory) {
  WEIR_CO_TRY(co_await read_floor());
  WEIR_CO_TRY(co_await check_snapshots(inventory));
  listed_end_ = floor_;
  if (inventory.last_entry) listed_end_ = std::max(listed_end_, inventory.last_entry->next());
  for (const SnapshotFile& snapshot : snapshots_)
    if (snapshot.usable) listed_end_ = std::max(listed_end_, snapshot.position.next());

  if (floor_.value > 0) {
    auto begun = co_await resume_after(Position(floor_.value - 1));
    if (!begun) co_return std::unexpected(begun.error());
    if (!*begun) {
      report(FindingKind::missing_snapshot, floor_,
             "the log begins here, and no usable snapshot reaches it; the cluster cannot start. "
             "Restore a snapshot/ object from a copy of the store");
      co_return Result<void>{};
    }
  }
  WEIR_CO_TRY(co_await catch_up());
  co_return co_await check_notes();
}

rt::Task<Result<void>> LogWalk::read_floor() {
  auto floor = co_await parts_.log.read_floor();
  if (floor) {
    floor_ = *floor;
  } else if (is_damage(floor.error())) {
    if (std::exchange(floor_damaged_, true)) co_return Result<void>{};
    findings_.push_back({FindingKind::damaged_floor,
                         parts_.log.describe(),
                         {},
                         {},
                         parts_.log.describe() + ": " + floor.error().message});
  } else {
    co_return with_context(floor.error(), parts_.log.describe());
  }
  co_return Result<void>{};
}

rt::Task<Result<void>> LogWalk::check_snapshots(const Inventory& inventory) {
  for (const auto& [name, object] : inventory.objects) {
    if (object.identity.kind != ObjectKind::snapshot) continue;
    auto bytes = co_await parts_.store.get(name);
    if (!bytes && bytes.error().is(ErrorCode::not_found)) continue;  // Removed since the listing.
    if (!bytes) co_return with_context(bytes.error(), name);
    SnapshotFile file{.name = name,
                      .bytes = bytes->size(),
                      .position = object.identity.position,
                      .writer = object.identity.writer,
                      .counter = object.identity.counter};
    auto info = state::read_snapshot_info(*bytes);
    auto loaded = state::load_snapshot(*bytes);
    std::string problem;
    if (!info || !loaded) {
      problem = (info ? loaded.error() : info.error()).message;
    } else if (info->position != file.position) {
      problem = "it is of position " + std::to_string(info->position.value);
    } else {
      file.digest = info->digest;
      file.nonce = info->nonce;
      file.usable = true;
    }
    if (!file.usable)
      findings_.push_back(
          {FindingKind::damaged_snapshot,
           name,
           {},
           {},
           name + ": " + problem + "; brokers start from an older one, or from the whole log"});
    snapshots_.push_back(std::move(file));
  }
  std::stable_sort(snapshots_.begin(), snapshots_.end(),
                   [](const auto& a, const auto& b) { return a.position < b.position; });
  co_return Result<void>{};
}

/// Continues from the lowest usable snapshot that stands at or behind `at`. False: there is none.
rt::Task<Result<bool>> LogWalk::resume_after(Position at) {
  for (const SnapshotFile& file : snapshots_) {
    if (!file.usable || file.position < at) continue;
    auto bytes = co_await parts_.store.get(file.name);
    if (!bytes && bytes.error().is(ErrorCode::not_found)) continue;
    if (!bytes) co_return with_context(bytes.error(), file.name);
    auto loaded = state::load_snapshot(*bytes);
    if (!loaded) continue;  // It was good a moment ago: replaced or damaged since.
    state_ = std::move(*loaded);
    next_ = file.position.next();
    co_return true;
  }
  co_return false;
}

rt::Task<Result<void>> LogWalk::catch_up() {
  for (;;) {
    std::vector<SharedBytes> entries;
    WEIR_CO_TRY(co_await read_chunk(entries));
    bool damaged = false;
    for (const SharedBytes& entry : entries) {
      damaged = !take(next_, entry);
      if (damaged) break;
    }
    bool resumed = false;
    if (damaged) {
      auto found = co_await resume_after(next_);
      if (!found) co_return std::unexpected(found.error());
      resumed = *found;
    } else if (entries.empty()) {
      WEIR_CO_TRY(co_await read_floor());
      if (floor_ <= next_ && next_ >= listed_end_) {
        complete_ = state_.position().has_value();
        co_return Result<void>{};
      }
      auto found = co_await (floor_ > next_ ? resume_at_floor() : resume_behind_gap());
      if (!found) co_return std::unexpected(found.error());
      resumed = *found;
    } else {
      resumed = true;
    }
    if (!resumed) {
      complete_ = false;
      co_return Result<void>{};
    }
  }
}

/// Brokers have truncated the log while we read it.
rt::Task<Result<bool>> LogWalk::resume_at_floor() {
  auto found = co_await resume_after(Position(floor_.value - 1));
  if (found && !*found)
    co_return fail(ErrorCode::unavailable,
                   "the log was truncated while it was read, and the snapshots that were listed "
                   "lie before its new floor; run it again");
  co_return found;
}

rt::Task<Result<bool>> LogWalk::resume_behind_gap() {
  report(FindingKind::log_gap, next_,
         "the entry is missing though the store holds later ones or a later snapshot, up to "
         "position " +
             std::to_string(listed_end_.value - 1) +
             "; restore it from a copy of the store, or what was committed behind it is lost");
  co_return co_await resume_after(next_);
}

/// Empty at the tail, and at a gap. An entry that the log itself calls damaged is given as nothing,
/// with the log's words in `unreadable_`.
rt::Task<Result<void>> LogWalk::read_chunk(std::vector<SharedBytes>& entries) {
  unreadable_.clear();
  auto many = co_await parts_.log.read_many(next_, kReplayEntries, kReplayBytes);
  if (many) {
    entries = std::move(*many);
    co_return Result<void>{};
  }
  // Below the floor, says the log itself; the caller looks at the floor.
  if (many.error().is(ErrorCode::precondition)) co_return Result<void>{};
  if (!is_damage(many.error())) co_return with_context(many.error(), "reading the commit log");
  // Which of them it was: one by one.
  auto one = co_await parts_.log.read(next_);
  if (one) {
    if (*one) entries.push_back(std::move(**one));
    co_return Result<void>{};
  }
  if (!is_damage(one.error())) co_return with_context(one.error(), "reading the commit log");
  unreadable_ = one.error().message;
  entries.emplace_back();
  co_return Result<void>{};
}

bool LogWalk::take(Position at, const SharedBytes& bytes) {
  auto entry = state::decode_entry(bytes);
  if (!entry) {
    report(FindingKind::damaged_entry, at,
           (unreadable_.empty() ? entry.error().message : unreadable_) +
               "; restore this entry from a copy of the store, else brokers "
               "can only start from a snapshot taken after it");
    return false;
  }
  if (entry->header.position != at) {
    report(FindingKind::damaged_entry, at,
           "the entry says that it is position " + std::to_string(entry->header.position.value) +
               "; another object lies under this name");
    return false;
  }
  bool same_cluster =
      !state_.position() || entry->header.cluster_tag == state::cluster_tag_of(state_.cluster_id());
  if (at.value > 0 && (entry->header.previous != state_.nonce() || !same_cluster)) {
    report(FindingKind::broken_chain, at,
           same_cluster ? "the entry does not continue the one before it: two histories were mixed"
                        : "the entry belongs to another cluster");
    return false;
  }
  if (entry->malformed)
    report(FindingKind::damaged_entry, at,
           "the commands make no sense though their checksum is right; nothing of them was "
           "applied. This is a bug of weir, please report it");
  if (entry->inline_bytes > 0) {
    auto section = state::inline_section(*entry);
    if (!section)
      report(FindingKind::damaged_region, at, "inline section: " + section.error().message);
  }
  state_.apply(*entry);
  ++entries_;
  next_ = at.next();
  compare_with_snapshots();
  return true;
}

void LogWalk::compare_with_snapshots() {
  Position at = *state_.position();
  for (SnapshotFile& file : snapshots_) {
    if (!file.usable || file.position != at) continue;
    if (file.digest == state_.digest() && file.nonce == state_.nonce()) continue;
    file.usable = false;
    findings_.push_back({FindingKind::digest_mismatch,
                         file.name,
                         {},
                         {},
                         file.name + " is intact, but the log folds to another state at position " +
                             std::to_string(at.value) +
                             "; a broker that starts from it would diverge. Remove it, and report "
                             "it together with the commit log"});
  }
}

/// The newest snapshot that the log speaks of must be there: truncation relies on it.
rt::Task<Result<void>> LogWalk::check_notes() {
  if (!complete_ || state_.noted_snapshots().empty()) co_return Result<void>{};
  state::NotedSnapshot newest = state_.noted_snapshots().back();
  std::string name = snapshot_name(newest.position, newest.writer, newest.counter);
  auto head = co_await parts_.store.head(name);
  if (head) co_return Result<void>{};
  if (!head.error().is(ErrorCode::not_found)) co_return with_context(head.error(), name);
  findings_.push_back({FindingKind::missing_snapshot,
                       name,
                       {},
                       {},
                       name + " is missing though the log notes it as the newest snapshot; "
                              "the next one that a broker writes replaces it"});
  co_return Result<void>{};
}

}  // namespace weir::engine::audit
