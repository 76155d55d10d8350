// The floor, and the removal of what lies below it.
#include "commitlog/file_directory.h"

namespace weir::commitlog {

// Replaced by rename, so a reader sees a whole one; a raise that was answered is seen.
Result<Position> FileLogDirectory::read_floor() {
  std::string path = path_of("floor");
  Result<std::unique_ptr<rt::File>> file = files_.open(path, rt::OpenMode::read);
  if (!file && file.error().is(ErrorCode::not_found)) return Position(0);
  if (!file) return with_context(std::move(file).error(), "file log");
  RecordBytes bytes;
  Result<std::size_t> got = (*file)->read_at(0, bytes);
  if (!got) return with_context(std::move(got).error(), "file log");
  std::optional<Position> floor = decode_floor(Bytes(bytes).first(*got));
  if (!floor) return fail(ErrorCode::corrupt, "file log: " + path + " is damaged");
  return *floor;
}

Result<bool> FileLogDirectory::try_raise_floor(Position to) {
  Result<std::optional<HeldLock>> lock = try_lock();
  if (!lock) return std::unexpected(std::move(lock).error());
  if (!lock->has_value()) return false;
  WEIR_TRY(refresh());
  Result<Position> floor = read_floor();
  if (!floor) return std::unexpected(std::move(floor).error());
  if (to <= *floor) return true;
  if (to > next_position())
    return fail(ErrorCode::precondition,
                "file log: a floor of " + std::to_string(to.value) + " lies beyond the log");
  std::string fresh = path_of("floor.new");
  Result<std::unique_ptr<rt::File>> file = files_.open(fresh, rt::OpenMode::create_or_open);
  if (!file) return with_context(std::move(file).error(), "file log");
  RecordBytes bytes = encode_floor(to);
  Bytes part(bytes);
  Result<void> done = (*file)->write_at(0, std::span(&part, 1));
  if (done && options_.sync) done = (*file)->sync();
  if (done) done = files_.rename(fresh, path_of("floor"));
  if (done && options_.sync) done = files_.sync_directory(options_.directory);
  if (!done) {
    std::ignore = files_.remove(fresh);
    return with_context(std::move(done).error(), "file log");
  }
  return true;
}

Result<bool> FileLogDirectory::try_remove(Position first, Position last) {
  Result<std::optional<HeldLock>> lock = try_lock();
  if (!lock) return std::unexpected(std::move(lock).error());
  if (!lock->has_value()) return false;
  WEIR_TRY(refresh());
  Result<Position> floor = read_floor();
  if (!floor) return std::unexpected(std::move(floor).error());
  if (last >= *floor)
    return fail(ErrorCode::precondition, "file log: position " + std::to_string(last.value) +
                                             " is not below the floor " +
                                             std::to_string(floor->value));
  // Upwards, so that a crash leaves the upper part of the log. The last segment always stays.
  for (auto at = segments_.begin(); std::next(at) != segments_.end();) {
    Position end = std::next(at)->first;  // of the segment, exclusive
    if (end > last.next()) break;
    if (end <= first) {
      ++at;
      continue;
    }
    Result<void> removed = files_.remove(at->second->path);
    if (!removed && !removed.error().is(ErrorCode::not_found))
      return with_context(std::move(removed).error(), "file log");
    at = segments_.erase(at);
  }
  return true;
}

}  // namespace weir::commitlog
