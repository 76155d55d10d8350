#include "commitlog/file_log.h"

#include <algorithm>

namespace weir::commitlog {
namespace {

/// Pauses between two looks at a lock that others hold, with a limit.
class LockWait {
 public:
  explicit LockWait(rt::Loop& loop) : loop_(loop), deadline_(loop.now() + kFileLockWaitMax) {}

  bool over() const { return loop_.now() >= deadline_; }
  auto pause() {
    Duration now = pause_;
    pause_ = std::min(pause_ * 2, kFileLockPauseMax);
    return rt::sleep_for(loop_, now);
  }

 private:
  rt::Loop& loop_;
  MonoTime deadline_;
  Duration pause_ = kFileLockPauseFirst;
};

std::unexpected<Error> locked(const FileLogDirectory& directory) {
  return fail(ErrorCode::unavailable,
              "file log " + directory.options().directory + " stays locked by another process");
}

}  // namespace

rt::Task<Result<CreateOutcome>> FileLog::create(Position at, BytesChain entry) {
  using Kind = FileLogDirectory::CreateStep::Kind;
  for (LockWait wait(loop_);;) {
    Result<FileLogDirectory::CreateStep> step = fail(ErrorCode::internal, "");
    {
      rt::Turn::Held turn = co_await turn_.take();
      step = co_await rt::run_blocking(loop_, workers_,
                                       [&] { return directory_.create_step(at, entry); });
    }
    if (!step) co_return std::unexpected(std::move(step).error());
    if (step->kind == Kind::exists) co_return CreateOutcome::exists;
    if (step->kind == Kind::unknown) co_return CreateOutcome::unknown;
    if (step->kind == Kind::appended) {
      Result<void> durable = co_await make_durable(step->segment, step->end);
      if (!durable && durable.error().is(ErrorCode::not_found))
        co_return std::unexpected(std::move(durable).error());
      co_return durable ? CreateOutcome::won : CreateOutcome::unknown;
    }
    if (step->kind == Kind::sync_first) {
      Result<void> durable = co_await make_durable(step->segment, step->end);
      if (!durable && durable.error().is(ErrorCode::not_found))
        co_return std::unexpected(std::move(durable).error());
      if (!durable) co_return fail(ErrorCode::unavailable, std::move(durable).error().message);
    }
    if (wait.over()) co_return locked(directory_);
    if (step->kind == Kind::busy) co_await wait.pause();
  }
}

rt::Task<Result<void>> FileLog::make_durable(FileLogDirectory::Segment segment,
                                             std::uint64_t target) {
  if (directory_.is_durable(*segment, target)) co_return Result<void>();
  rt::Turn::Held one_at_a_time = co_await sync_turn_.take();
  // Whoever had to wait is usually served by the sync that it waited for.
  if (directory_.is_durable(*segment, target)) co_return Result<void>();
  FileLogDirectory::SyncPlan plan;
  {
    rt::Turn::Held turn = co_await turn_.take();
    plan = directory_.plan_sync(segment);
  }
  Result<void> synced =
      co_await rt::run_blocking(loop_, workers_, [&] { return directory_.sync(plan); });
  rt::Turn::Held turn = co_await turn_.take();
  directory_.finish_sync(plan, synced.has_value());
  if (!synced) co_return with_context(std::move(synced).error(), "file log " + segment->path);
  co_return synced;
}

rt::Task<Result<FileLogDirectory::Run>> FileLog::locate(Position at, std::size_t count,
                                                        std::size_t bytes_max) {
  for (LockWait wait(loop_);;) {
    Result<FileLogDirectory::Run> run = fail(ErrorCode::internal, "");
    {
      rt::Turn::Held turn = co_await turn_.take();
      if (directory_.knows(at))
        run = directory_.locate(at, count, bytes_max);
      else
        run = co_await rt::run_blocking(loop_, workers_,
                                        [&] { return directory_.locate(at, count, bytes_max); });
    }
    if (!run || !run->busy) co_return run;
    if (wait.over()) co_return locked(directory_);
    co_await wait.pause();
  }
}

// Appends entries of one segment; none if `at` is absent.
rt::Task<Result<void>> FileLog::read_some(Position at, std::size_t count, std::size_t bytes_max,
                                          std::vector<SharedBytes>& entries) {
  for (bool again = false;; again = true) {
    Result<FileLogDirectory::Run> run = co_await locate(at, count, bytes_max);
    if (!run) co_return std::unexpected(std::move(run).error());
    if (!run->segment) co_return Result<void>();
    // At least one entry in all, but no further one that would be too much.
    if (!entries.empty() && run->ends.front() - run->begin > bytes_max) co_return Result<void>();
    WEIR_CO_TRY(co_await make_durable(run->segment, run->ends.back()));
    Result<void> read = co_await rt::run_blocking(
        loop_, workers_, [&] { return FileLogDirectory::read_run(*run, entries); });
    if (read || again || !read.error().is(ErrorCode::corrupt)) co_return read;
    // Perhaps the index is wrong and not the file: see take_in.
    rt::Turn::Held turn = co_await turn_.take();
    FileLogDirectory::doubt(*run->segment);
  }
}

rt::Task<Result<std::optional<SharedBytes>>> FileLog::read(Position at) {
  std::vector<SharedBytes> entries;
  Result<void> done = co_await read_some(at, 1, 0, entries);
  if (!done) co_return std::unexpected(std::move(done).error());
  if (entries.empty()) co_return std::nullopt;
  co_return std::move(entries.front());
}

rt::Task<Result<std::vector<SharedBytes>>> FileLog::read_many(Position from, std::size_t count,
                                                              std::size_t bytes_max) {
  std::vector<SharedBytes> entries;
  std::size_t bytes = 0;
  while (entries.size() < count && (entries.empty() || bytes < bytes_max)) {
    std::size_t before = entries.size();
    Result<void> done = co_await read_some(Position(from.value + before), count - before,
                                           bytes_max - bytes, entries);
    // What was read before a failure is good; the failure returns with the next call.
    if (!done && before == 0) co_return std::unexpected(std::move(done).error());
    if (!done || entries.size() == before) break;
    for (std::size_t i = before; i < entries.size(); ++i) bytes += entries[i].size();
  }
  co_return entries;
}

rt::Task<Result<Position>> FileLog::read_floor() {
  co_return co_await rt::run_blocking(loop_, workers_, [&] { return directory_.read_floor(); });
}

rt::Task<Result<void>> FileLog::raise_floor(Position to) {
  for (LockWait wait(loop_);;) {
    Result<bool> done = fail(ErrorCode::internal, "");
    {
      rt::Turn::Held turn = co_await turn_.take();
      done = co_await rt::run_blocking(loop_, workers_,
                                       [&] { return directory_.try_raise_floor(to); });
    }
    if (!done) co_return std::unexpected(std::move(done).error());
    if (*done) co_return Result<void>();
    if (wait.over()) co_return locked(directory_);
    co_await wait.pause();
  }
}

rt::Task<Result<void>> FileLog::remove(Position first, Position last) {
  for (LockWait wait(loop_);;) {
    Result<bool> done = fail(ErrorCode::internal, "");
    {
      rt::Turn::Held turn = co_await turn_.take();
      done = co_await rt::run_blocking(loop_, workers_,
                                       [&] { return directory_.try_remove(first, last); });
    }
    if (!done) co_return std::unexpected(std::move(done).error());
    if (*done) co_return Result<void>();
    if (wait.over()) co_return locked(directory_);
    co_await wait.pause();
  }
}

std::string FileLog::describe() const {
  return "file://" + directory_.options().directory +
         (directory_.options().sync ? "" : "?sync=none");
}

}  // namespace weir::commitlog
