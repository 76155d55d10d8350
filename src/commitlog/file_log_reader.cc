#include "commitlog/file_log_reader.h"

#include <algorithm>

#include "base/narrow.h"
#include "commitlog/file_records.h"

namespace weir::commitlog {

namespace {
std::unexpected<Error> read_only() {
  return fail(ErrorCode::configuration, "the file log was opened for reading only");
}
}  // namespace

FileLogReader::FileLogReader(Parts parts, std::string directory)
    : parts_(parts), directory_(std::move(directory)), turn_(parts.loop) {}

rt::Task<Result<CreateOutcome>> FileLogReader::create(Position, BytesChain) {
  co_return read_only();
}

rt::Task<Result<void>> FileLogReader::raise_floor(Position) { co_return read_only(); }

rt::Task<Result<void>> FileLogReader::remove(Position, Position) { co_return read_only(); }

rt::Task<Result<std::optional<SharedBytes>>> FileLogReader::read(Position at) {
  auto entries = co_await read_many(at, 1, 0);
  if (!entries) co_return std::unexpected(entries.error());
  if (entries->empty()) co_return std::nullopt;
  co_return std::move(entries->front());
}

rt::Task<Result<std::vector<SharedBytes>>> FileLogReader::read_many(Position from,
                                                                    std::size_t count,
                                                                    std::size_t bytes_max) {
  rt::Turn::Held turn = co_await turn_.take();
  co_return co_await rt::run_blocking(parts_.loop, parts_.workers,
                                      [&] { return read_some(from, count, bytes_max); });
}

rt::Task<Result<Position>> FileLogReader::read_floor() {
  co_return co_await rt::run_blocking(parts_.loop, parts_.workers, [&] { return floor_now(); });
}

Result<std::vector<SharedBytes>> FileLogReader::read_some(Position from, std::size_t count,
                                                          std::size_t bytes_max) {
  std::vector<SharedBytes> entries;
  std::size_t bytes = 0;
  for (Position at = from; entries.size() < count; at = at.next()) {
    Result<bool> found = find(at);
    Result<SharedBytes> entry = fail(ErrorCode::internal, "");
    if (found && *found) entry = entry_at(at);
    // What was read before a failure is good; the failure returns with the next call.
    bool failed = !found || (*found && !entry);
    if (failed && entries.empty())
      return std::unexpected(found ? entry.error() : std::move(found).error());
    if (failed || !*found) break;
    if (!entries.empty() && bytes + entry->size() > bytes_max) break;
    bytes += entry->size();
    entries.push_back(std::move(*entry));
  }
  return entries;
}

/// True: the open segment holds it. False: absent.
Result<bool> FileLogReader::find(Position at) {
  if (file_ && index_.holds(at)) return true;
  bool at_the_end = segments_.empty() || at >= segments_.back();
  if (at_the_end) WEIR_TRY(list_segments());
  auto after = std::upper_bound(segments_.begin(), segments_.end(), at);
  bool is_last = after == segments_.end();
  Result<void> opened =
      fail(ErrorCode::not_found, "file log " + directory_ + ": the segment file with position " +
                                     std::to_string(at.value) + " is missing");
  if (after != segments_.begin()) opened = open_segment(*std::prev(after));
  if (!opened && opened.error().is(ErrorCode::not_found)) {
    Result<Position> floor = floor_now();
    if (!floor) return std::unexpected(std::move(floor).error());
    if (at < *floor)
      return fail(ErrorCode::precondition, "position " + std::to_string(at.value) +
                                               " is below the floor " +
                                               std::to_string(floor->value));
    if (segments_.empty() && floor->value == 0) return judge_end(at);
    return fail(ErrorCode::corrupt, opened.error().message);
  }
  if (!opened) return std::unexpected(std::move(opened).error());
  WEIR_TRY(scan());
  if (index_.holds(at)) return true;
  if (!is_last) return damaged(at);
  return judge_end(at);
}

Result<void> FileLogReader::list_segments() {
  auto items = parts_.files.list(directory_);
  if (!items) return with_context(std::move(items).error(), "file log");
  segments_.clear();
  for (const rt::FileSystem::Item& item : *items)
    if (auto first = position_of_segment_file(item.name)) segments_.push_back(*first);
  std::sort(segments_.begin(), segments_.end());
  return {};
}

Result<void> FileLogReader::open_segment(Position first) {
  if (file_ && index_.first == first) return {};
  path_ = directory_ + "/" + segment_file_name(first);
  auto file = parts_.files.open(path_, rt::OpenMode::read);
  if (!file) return with_context(std::move(file).error(), "file log");
  file_ = std::move(*file);
  index_ = SegmentIndex{.first = first};
  return {};
}

Result<void> FileLogReader::scan() {
  Result<std::uint64_t> size = file_->size();
  if (!size) return with_context(std::move(size).error(), "file log");
  Result<ScanStop> stop = scan_frames(*file_, *size, index_);
  if (!stop) return with_context(std::move(stop).error(), "file log " + path_);
  return {};
}

/// What is not in the last segment is absent, unless it was durable once.
Result<bool> FileLogReader::judge_end(Position at) {
  RecordBytes bytes;
  Result<std::size_t> got = small_file("mark", bytes);
  if (!got) return std::unexpected(std::move(got).error());
  std::optional<Mark> mark = decode_mark(Bytes(bytes).first(*got));
  if (mark && (segments_.empty() || mark->segment > segments_.back()))
    return fail(ErrorCode::corrupt, "file log " + directory_ + ": segment file " +
                                        segment_file_name(mark->segment) +
                                        " was durable and is missing");
  if (segments_.empty() || at != index_.next()) return false;
  bool marked = mark && index_.is_meant_by(*mark) && mark->durable_end > index_.end;
  if (marked) return damaged(at);
  Result<std::uint64_t> size = file_->size();
  if (!size) return with_context(std::move(size).error(), "file log");
  if (*size <= index_.end || index_.sealed) return false;
  Buffer rest =
      Buffer::make(narrow<std::size_t>(std::min(*size - index_.end, kFileDamageBytesMax)));
  Result<std::size_t> read = file_->read_at(index_.end, rest.data());
  if (!read) return with_context(std::move(read).error(), "file log " + path_);
  TailDamage damage{index_.end, index_.next(), index_.salt.has_value(),
                    index_.salt.value_or(SegmentSalt(0))};
  if (later_frame_vouches(rest.data().first(*read), damage)) return damaged(at);
  return false;
}

Result<SharedBytes> FileLogReader::entry_at(Position at) {
  std::uint64_t begin = index_.begin_of(at);
  Buffer buffer = Buffer::make(narrow<std::size_t>(index_.end_of(at) - begin));
  Result<std::size_t> got = file_->read_at(begin, buffer.data());
  if (!got) return with_context(std::move(got).error(), "file log " + path_);
  SharedBytes frame(std::move(buffer));
  ParsedFrame parsed;
  if (*got == frame.size()) parsed = parse_frame(frame.view());
  if (parsed.state != FrameState::whole || parsed.header.position != at ||
      parsed.header.frame_bytes() != frame.size())
    return damaged(at);
  return frame.slice(kFrameHeaderBytes, frame.size() - kFrameHeaderBytes);
}

Result<Position> FileLogReader::floor_now() {
  RecordBytes bytes;
  Result<std::size_t> got = small_file("floor", bytes);
  if (!got) return std::unexpected(std::move(got).error());
  if (*got == 0) return Position(0);
  std::optional<Position> floor = decode_floor(Bytes(bytes).first(*got));
  if (!floor) return fail(ErrorCode::corrupt, "file log: " + directory_ + "/floor is damaged");
  return *floor;
}

/// 0: there is none.
Result<std::size_t> FileLogReader::small_file(const char* name, MutableBytes into) {
  auto file = parts_.files.open(directory_ + "/" + name, rt::OpenMode::read);
  if (!file && file.error().is(ErrorCode::not_found)) return 0;
  if (!file) return with_context(std::move(file).error(), "file log");
  Result<std::size_t> got = (*file)->read_at(0, into);
  if (!got) return with_context(std::move(got).error(), "file log");
  return got;
}

std::unexpected<Error> FileLogReader::damaged(Position at) const {
  return fail(ErrorCode::corrupt, "file log: the entry at position " + std::to_string(at.value) +
                                      " in " + path_ + " at byte " + std::to_string(index_.end) +
                                      " is damaged or missing");
}

}  // namespace weir::commitlog
