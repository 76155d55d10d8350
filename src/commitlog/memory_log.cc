#include "commitlog/memory_log.h"

#include <algorithm>
#include <cstring>

namespace weir::commitlog {

std::unexpected<Error> MemoryLog::below_floor(Position at) const {
  return fail(ErrorCode::precondition, "position " + std::to_string(at.value) +
                                           " is below the floor " + std::to_string(floor_.value));
}

rt::Task<Result<CreateOutcome>> MemoryLog::create(Position at, BytesChain entry) {
  if (entry.size() > kEntryBytesMax)
    co_return fail(ErrorCode::too_large, "entry of " + std::to_string(entry.size()) + " bytes");
  // A copy even of a single part: the caller may change its memory once the task has ended.
  Buffer copy = Buffer::make(entry.size());
  MutableBytes rest = copy.data();
  for (const SharedBytes& part : entry.parts()) {
    std::memcpy(rest.data(), part.view().data(), part.size());
    rest = rest.subspan(part.size());
  }
  std::scoped_lock lock(mutex_);
  if (at < floor_) co_return below_floor(at);
  if (at < next()) co_return CreateOutcome::exists;
  if (at > next())
    co_return fail(ErrorCode::precondition,
                   "the log ends before position " + std::to_string(next().value));
  entries_.push_back(std::move(copy));
  co_return CreateOutcome::won;
}

rt::Task<Result<std::optional<SharedBytes>>> MemoryLog::read(Position at) {
  std::scoped_lock lock(mutex_);
  if (at < floor_) co_return below_floor(at);
  if (at >= next()) co_return std::nullopt;
  co_return entries_[at.value - first_.value];
}

rt::Task<Result<Position>> MemoryLog::read_floor() {
  std::scoped_lock lock(mutex_);
  co_return floor_;
}

rt::Task<Result<void>> MemoryLog::raise_floor(Position to) {
  std::scoped_lock lock(mutex_);
  if (to > next())
    co_return fail(ErrorCode::precondition,
                   "a floor of " + std::to_string(to.value) + " lies beyond the log");
  floor_ = std::max(floor_, to);
  co_return Result<void>();
}

rt::Task<Result<void>> MemoryLog::remove(Position first, Position last) {
  std::scoped_lock lock(mutex_);
  if (last >= floor_)
    co_return fail(ErrorCode::precondition,
                   "position " + std::to_string(last.value) + " is not below the floor");
  // What lies before `first` is below the floor, too.
  while (first <= last && first_ <= last && !entries_.empty()) {
    entries_.pop_front();
    first_ = first_.next();
  }
  co_return Result<void>();
}

}  // namespace weir::commitlog
