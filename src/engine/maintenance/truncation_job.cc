#include "engine/maintenance/truncation_job.h"

#include <algorithm>

#include "base/narrow.h"
#include "engine/snapshotter.h"

namespace weir::engine {

TruncationJob::TruncationJob(JobContext& context, const DigestWatch& digests)
    : context_(context),
      digests_(digests),
      floor_gauge_(
          context.metrics.gauge("weir_log_floor", "Position below which log entries may be gone")),
      removals_(context.metrics.counter("weir_log_removals_total",
                                        "Runs that removed entries below the floor")) {}

rt::Task<Result<bool>> TruncationJob::run_once() {
  if (!is_mine(context_, "truncation")) {
    floor_.reset();
    co_return false;
  }
  if (!floor_) {
    auto floor = co_await context_.log.read_floor();
    if (!floor) co_return with_context(floor.error(), "reading the floor");
    floor_ = *floor;
    note_published(*floor);
  }
  std::optional<Position> wanted = digests_.truncatable_to();
  if (wanted) {
    if (auto oldest = context_.state().oldest_inline()) wanted = std::min(*wanted, *oldest);
    if (wanted->value >= floor_->value + context_.rules().truncate_entries_min) {
      auto there = co_await snapshots_are_there();
      if (!there) co_return std::unexpected(there.error());
      if (*there) WEIR_CO_TRY(co_await raise(*wanted));
    }
  }
  floor_gauge_.set(narrow<std::int64_t>(floor_->value));
  co_return co_await remove_below();
}

rt::Task<Result<bool>> TruncationJob::snapshots_are_there() {
  for (const state::NotedSnapshot& noted : digests_.newest_verified(2)) {
    std::string name = snapshot_name(noted.position, noted.writer, noted.counter);
    co_await context_.pacer.take(0);
    auto info = co_await context_.store.head(name);
    bool absent = !info && info.error().is(ErrorCode::not_found);
    if (!info && !absent) co_return with_context(info.error(), name);
    if (absent || info->size != noted.bytes) {
      // A broker that is behind counts on what others have replaced, and deleted, since.
      WEIR_CO_TRY(co_await context_.follower.barrier(context_.loop.now() + kJobProposeWait));
      if (!is_wanted(noted)) co_return false;
      context_.logger.error(
          "snapshot_missing_or_cut",
          {{"object", name},
           {"bytes", absent ? 0 : info->size},
           {"noted_bytes", noted.bytes},
           {"consequence", "the log is not truncated until there are newer ones"}});
      co_return false;
    }
  }
  co_return true;
}

bool TruncationJob::is_wanted(const state::NotedSnapshot& snapshot) const {
  const std::vector<state::NotedSnapshot> newest = digests_.newest_verified(2);
  return std::ranges::find(newest, snapshot) != newest.end();
}

rt::Task<Result<void>> TruncationJob::raise(Position to) {
  auto raised = co_await context_.log.raise_floor(to);
  if (!raised) co_return with_context(raised.error(), "raising the floor");
  // What counts is what the log says: only from now on is the floor known to be published.
  auto floor = co_await context_.log.read_floor();
  if (!floor) co_return with_context(floor.error(), "reading the floor");
  if (*floor > *floor_) {
    floor_ = *floor;
    note_published(*floor);
    context_.logger.info("log_floor_raised", {{"floor", floor->value}});
  }
  co_return Result<void>{};
}

void TruncationJob::note_published(Position floor) {
  Position known = published_.empty() ? removed_below_ : published_.back().floor;
  if (floor > known) published_.push_back({floor, context_.loop.now()});
}

rt::Task<Result<bool>> TruncationJob::remove_below() {
  Duration grace = context_.log.guards_floor() ? Duration(0) : context_.rules().log_grace;
  Position last;
  while (!published_.empty() && context_.loop.now() - published_.front().seen >= grace) {
    last = published_.front().floor;
    published_.erase(published_.begin());
  }
  if (last <= removed_below_) co_return false;
  co_await context_.pacer.take(0);
  auto removed = co_await context_.log.remove(Position(0), Position(last.value - 1));
  if (!removed) {
    published_.insert(published_.begin(), {last, context_.loop.now() - grace});
    co_return with_context(removed.error(), "removing log entries");
  }
  removed_below_ = last;
  removals_.add();
  co_return false;
}

}  // namespace weir::engine
