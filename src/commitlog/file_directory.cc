#include "commitlog/file_directory.h"

#include <algorithm>

#include "base/narrow.h"

namespace weir::commitlog {

Result<std::unique_ptr<FileLogDirectory>> FileLogDirectory::open(rt::FileSystem& files,
                                                                 FileLogOptions options,
                                                                 rt::Random& random,
                                                                 Logger& logger) {
  while (options.directory.size() > 1 && options.directory.ends_with('/'))
    options.directory.pop_back();
  if (options.directory.empty())
    return fail(ErrorCode::invalid_argument, "file log without a path");
  std::unique_ptr<FileLogDirectory> log(
      new FileLogDirectory(files, std::move(options), random.next(), logger));
  const std::string& path = log->options_.directory;
  auto open_small = [&](const char* name) {
    return files.open(log->path_of(name), rt::OpenMode::create_or_open);
  };
  Result<void> made = files.make_directories(path);
  if (!made) return with_context(std::move(made).error(), "file log");
  // The directory's own name; those of its parents are as old as the store.
  for (std::size_t end = path.rfind('/'); log->options_.sync && end != 0 && end != path.npos;
       end = path.rfind('/', end - 1)) {
    Result<void> synced = files.sync_directory(path.substr(0, end));
    // A parent that may not be opened was there before us.
    if (!synced && synced.error().is(ErrorCode::configuration)) break;
    if (!synced) return with_context(std::move(synced).error(), "file log");
  }
  WEIR_TRY(log->check_mark());
  Result<std::unique_ptr<rt::File>> lock = open_small("lock");
  if (!lock) return with_context(std::move(lock).error(), "file log");
  Result<std::unique_ptr<rt::File>> mark = open_small("mark");
  if (!mark) return with_context(std::move(mark).error(), "file log");
  if (log->options_.sync) {
    Result<void> synced = files.sync_directory(path);
    if (!synced) return with_context(std::move(synced).error(), "file log");
  }
  log->lock_file_ = std::move(*lock);
  log->mark_file_ = std::move(*mark);
  return log;
}

Result<std::optional<FileLogDirectory::HeldLock>> FileLogDirectory::try_lock() {
  Result<bool> locked = lock_file_->try_lock_exclusive();
  if (!locked) return with_context(std::move(locked).error(), "file log");
  if (!*locked) return std::nullopt;
  HeldLock held(*lock_file_);
  WEIR_TRY(check_named(*lock_file_, "the file `lock`"));
  return held;
}

Position FileLogDirectory::next_position() const {
  return segments_.empty() ? Position(0) : segments_.rbegin()->second->index.next();
}

FileLogDirectory::Segment FileLogDirectory::add_segment(Position first) {
  auto segment = std::make_shared<FileSegment>();
  segment->path = path_of(segment_file_name(first));
  segment->index.first = first;
  segments_[first] = segment;
  return segment;
}

Result<void> FileLogDirectory::list_segments() {
  Result<std::vector<rt::FileSystem::Item>> items = files_.list(options_.directory);
  if (!items) return with_context(std::move(items).error(), "file log");
  Position known = segments_.empty() ? Position(0) : segments_.rbegin()->first;
  for (const rt::FileSystem::Item& item : *items) {
    std::optional<Position> first = position_of_segment_file(item.name);
    if (!first || segments_.contains(*first)) continue;
    // Lower ones come back only after a power loss, below the floor; they do no harm.
    if (listed_ && *first < known) continue;
    add_segment(*first);
  }
  return {};
}

Result<void> FileLogDirectory::open_tail(FileSegment& segment) {
  if (segment.file) return {};
  Result<std::unique_ptr<rt::File>> file = files_.open(segment.path, rt::OpenMode::read_write);
  if (!file) return with_context(std::move(file).error(), "file log");
  segment.file = std::move(*file);
  return {};
}

// What must hold between the files of a log that we have not seen before.
Result<void> FileLogDirectory::first_look() {
  std::optional<Mark> mark = read_mark();
  if (mark && (segments_.empty() || mark->segment > segments_.rbegin()->first))
    return fail(ErrorCode::corrupt, "file log " + options_.directory + ": segment file " +
                                        segment_file_name(mark->segment) +
                                        " was durable and is missing");
  Result<Position> floor = read_floor();
  if (!floor) return std::unexpected(std::move(floor).error());
  if (segments_.empty() && floor->value != 0)
    return fail(ErrorCode::corrupt, "file log " + options_.directory + " has the floor " +
                                        std::to_string(floor->value) + " but no segment file");
  listed_ = true;
  return {};
}

// Brings what we know up to what is in the directory. Afterwards the last segment is open and ends
// in a whole frame.
Result<void> FileLogDirectory::refresh() {
  if (!listed_ || segments_.empty()) {
    WEIR_TRY(list_segments());
    WEIR_TRY(first_look());
  }
  while (Segment last = tail()) {
    WEIR_TRY(open_tail(*last));
    Result<std::uint64_t> size = last->file->size();
    if (!size) return with_context(std::move(size).error(), "file log");
    WEIR_TRY(take_in(*last, *size));
    if (!last->index.sealed) break;
    Result<bool> found = find_successor(*last);
    if (!found) return std::unexpected(std::move(found).error());
    if (!*found) break;
  }
  if (Segment last = tail()) WEIR_TRY(check_named(*last->file, "its last segment file"));
  return {};
}

// True if there is a later segment, which then is the tail. The one behind the seal is the rule; if
// it is missing, either nobody has made it yet or the floor has passed it while we slept.
Result<bool> FileLogDirectory::find_successor(FileSegment& tail) {
  Position next = tail.index.next();
  Result<std::unique_ptr<rt::File>> file =
      files_.open(path_of(segment_file_name(next)), rt::OpenMode::read_write);
  if (!file && !file.error().is(ErrorCode::not_found))
    return with_context(std::move(file).error(), "file log");
  if (file) {
    add_segment(next)->file = std::move(*file);
  } else {
    WEIR_TRY(list_segments());
  }
  bool found = segments_.rbegin()->second.get() != &tail;
  // It was durable before its successor was made (rule 4).
  if (found) tail.durable_end = tail.index.end;
  return found;
}

// Verifies what was appended since we last looked. What is not known to be durable is verified
// anew: if the disk lost a write and another process has cut the remains since, our index is about
// frames that are gone.
Result<void> FileLogDirectory::take_in(FileSegment& tail, std::uint64_t size) {
  SegmentIndex& index = tail.index;
  bool unmarked_loss = false;
  if (std::optional<Mark> mark = read_mark(); mark && index.is_meant_by(*mark))
    unmarked_loss = size < mark->durable_end;
  if (size < tail.durable_end || unmarked_loss)
    return fail(ErrorCode::corrupt,
                "file log: " + tail.path + " is shorter than what was durable in it");
  if (size != index.end || tail.doubtful) {
    index.rewind(tail.durable_end);
    Result<ScanStop> stop = scan_frames(*tail.file, size, index);
    if (!stop) return with_context(std::move(stop).error(), "file log " + tail.path);
    tail.own_begin = index.end;
    tail.doubtful = false;
    if (*stop == ScanStop::damage) WEIR_TRY(settle_damage(tail, size));
  }
  use_mark(tail);
  if (!options_.sync) tail.durable_end = index.end;
  return {};
}

// Rule 2.
Result<void> FileLogDirectory::settle_damage(FileSegment& tail, std::uint64_t size) {
  const SegmentIndex& index = tail.index;
  std::optional<Mark> mark = read_mark();
  bool vouched = mark && index.is_meant_by(*mark) && mark->durable_end > index.end;
  vouched = vouched || tail.durable_end > index.end;
  if (!vouched) {
    Buffer rest =
        Buffer::make(narrow<std::size_t>(std::min(size - index.end, kFileDamageBytesMax)));
    Result<std::size_t> got = tail.file->read_at(index.end, rest.data());
    if (!got) return with_context(std::move(got).error(), "file log " + tail.path);
    TailDamage damage{index.end, index.next(), index.salt.has_value(),
                      index.salt.value_or(SegmentSalt(0))};
    vouched = later_frame_vouches(rest.data().first(*got), damage);
  }
  if (vouched)
    return fail(ErrorCode::corrupt, "file log: the entry at position " +
                                        std::to_string(index.next().value) + " in " + tail.path +
                                        " at byte " + std::to_string(index.end) +
                                        " was durable and is damaged");
  logger_.info("file log: cut a torn write",
               {{"file", tail.path}, {"at", index.end}, {"bytes", size - index.end}});
  Result<void> cut = tail.file->truncate(index.end);
  if (!cut) return with_context(std::move(cut).error(), "file log");
  return {};
}

}  // namespace weir::commitlog
