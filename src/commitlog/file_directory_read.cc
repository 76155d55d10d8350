// Reading entries.
#include <algorithm>

#include "base/narrow.h"
#include "commitlog/file_directory.h"

namespace weir::commitlog {
namespace {

std::string place_text(const std::string& path, Position at, std::uint64_t offset) {
  return "position " + std::to_string(at.value) + " in " + path + " at byte " +
         std::to_string(offset);
}

}  // namespace

bool FileLogDirectory::knows(Position at) const {
  auto after = segments_.upper_bound(at);
  if (after == segments_.begin()) return false;
  const FileSegment& segment = *std::prev(after)->second;
  return segment.file && !segment.doubtful && segment.index.holds(at);
}

Result<FileLogDirectory::Run> FileLogDirectory::locate(Position at, std::size_t count,
                                                       std::size_t bytes_max) {
  Run run;
  Result<bool> looked = look_for(at);
  if (!looked) return std::unexpected(std::move(looked).error());
  run.busy = !*looked;
  if (run.busy || at >= next_position()) return run;
  Result<Segment> segment = loaded_segment(at);
  if (!segment) return std::unexpected(std::move(segment).error());
  const SegmentIndex& index = (*segment)->index;
  run.segment = std::move(*segment);
  run.first = at;
  run.salt = *index.salt;
  run.begin = index.begin_of(at);
  for (Position p = at; index.holds(p) && run.ends.size() < count; p = p.next()) {
    std::uint64_t end = index.end_of(p);
    if (!run.ends.empty() && end - run.begin > bytes_max) break;
    run.ends.push_back(end);
  }
  return run;
}

// Makes sure that we know the tail, if `at` may lie beyond what we know.
Result<bool> FileLogDirectory::look_for(Position at) {
  Segment last = tail();
  if (last && at < next_position() && !last->doubtful) return true;
  if (last && last->file && !last->index.sealed && !last->doubtful) {
    // A create that was answered has made this file longer: appended to it, or sealed it. So an
    // equal size proves that the entry is absent, without the lock.
    Result<std::uint64_t> size = last->file->size();
    if (!size) return with_context(std::move(size).error(), "file log");
    // Unless it is no longer the one that others append to; the look under the lock decides that.
    if (*size == last->index.end && last->file->is_named().value_or(false)) return true;
  }
  Result<std::optional<HeldLock>> lock = try_lock();
  if (!lock) return std::unexpected(std::move(lock).error());
  if (!lock->has_value()) return false;
  WEIR_TRY(refresh());
  return true;
}

Result<FileLogDirectory::Segment> FileLogDirectory::loaded_segment(Position at) {
  auto after = segments_.upper_bound(at);
  if (after == segments_.begin()) return gone(at);
  auto found = std::prev(after);
  Segment segment = found->second;
  if (after != segments_.end() && (!segment->file || segment->doubtful)) {
    // Reads may be under way in the one that we know; they keep it.
    if (segment->file) segment = add_segment(found->first);
    Result<void> loaded = load_segment(*segment, after->first);
    if (!loaded && loaded.error().is(ErrorCode::not_found)) {
      segments_.erase(found);
      return gone(at);
    }
    if (!loaded) return std::unexpected(std::move(loaded).error());
  }
  if (segment->index.holds(at)) return segment;
  return gone(at);
}

// A segment before the last is complete and durable (rule 4), so damage in it is corruption of what
// lies behind, found when that is asked for.
Result<void> FileLogDirectory::load_segment(FileSegment& segment, Position successor) {
  unload_segments();
  Result<std::unique_ptr<rt::File>> file = files_.open(segment.path, rt::OpenMode::read);
  if (!file) return std::unexpected(std::move(file).error());
  Result<std::uint64_t> size = (*file)->size();
  if (!size) return with_context(std::move(size).error(), "file log");
  segment.index = SegmentIndex{.first = segment.index.first};
  Result<ScanStop> stop = scan_frames(**file, *size, segment.index);
  if (!stop) return with_context(std::move(stop).error(), "file log " + segment.path);
  segment.file = std::move(*file);
  segment.durable_end = segment.own_begin = segment.index.end;
  segment.name_durable = true;
  segment.doubtful = false;
  if (*stop == ScanStop::damage || !segment.index.sealed || segment.index.next() != successor)
    logger_.error("file log: a segment is damaged", {{"file", segment.path},
                                                     {"position", segment.index.next().value},
                                                     {"at", segment.index.end}});
  return {};
}

// Makes room for one more, from below: replay goes upwards. Readers that still hold a segment may
// finish with it.
void FileLogDirectory::unload_segments() {
  std::size_t loaded = 0;
  for (const auto& [first, segment] : segments_) loaded += segment->file ? 1 : 0;
  for (auto& [first, segment] : segments_) {
    if (loaded < kFileOpenSegmentsMax || segment == tail()) return;
    if (!segment->file) continue;
    add_segment(first);
    --loaded;
  }
}

std::unexpected<Error> FileLogDirectory::gone(Position at) {
  Result<Position> floor = read_floor();
  if (!floor) return std::unexpected(std::move(floor).error());
  if (at < *floor)
    return fail(ErrorCode::precondition, "position " + std::to_string(at.value) +
                                             " is below the floor " + std::to_string(floor->value));
  auto after = segments_.upper_bound(at);
  std::string where = options_.directory;
  std::uint64_t offset = 0;
  if (after != segments_.begin()) {
    where = std::prev(after)->second->path;
    offset = std::prev(after)->second->index.end;
  }
  return fail(ErrorCode::corrupt,
              "file log: the entry at " + place_text(where, at, offset) + " is damaged or missing");
}

Result<void> FileLogDirectory::read_run(const Run& run, std::vector<SharedBytes>& entries) {
  Buffer buffer = Buffer::make(narrow<std::size_t>(run.ends.back() - run.begin));
  Result<std::size_t> got = run.segment->file->read_at(run.begin, buffer.data());
  if (!got) return with_context(std::move(got).error(), "file log " + run.segment->path);
  SharedBytes all(buffer);
  std::vector<SharedBytes> found;
  std::uint64_t begin = run.begin;
  Position at = run.first;
  for (std::uint64_t end : run.ends) {
    std::size_t offset = narrow<std::size_t>(begin - run.begin);
    std::size_t bytes = narrow<std::size_t>(end - begin);
    ParsedFrame parsed;
    if (offset + bytes <= *got) parsed = parse_frame(all.view().subspan(offset, bytes));
    if (parsed.state != FrameState::whole || parsed.header.frame_bytes() != bytes ||
        parsed.header.position != at || parsed.header.salt != run.salt)
      return fail(ErrorCode::corrupt, "file log: the entry at " +
                                          place_text(run.segment->path, at, begin) +
                                          " does not match its checksum");
    found.push_back(all.slice(offset + kFrameHeaderBytes, bytes - kFrameHeaderBytes));
    begin = end;
    at = at.next();
  }
  entries.insert(entries.end(), found.begin(), found.end());
  return {};
}

}  // namespace weir::commitlog
