// Appending an entry, and moving on to the next segment file.
#include <vector>

#include "commitlog/file_directory.h"

namespace weir::commitlog {
namespace {

/// The write failed and was taken back.
std::unexpected<Error> not_applied(Error error, std::string_view context) {
  bool clear = error.is(ErrorCode::out_of_space) || error.is(ErrorCode::configuration) ||
               error.is(ErrorCode::corrupt) || error.is(ErrorCode::precondition) ||
               error.is(ErrorCode::not_found);
  if (!clear) error.code = ErrorCode::unavailable;
  return with_context(std::move(error), context);
}

std::string position_text(Position at) { return "position " + std::to_string(at.value); }

}  // namespace

Result<FileLogDirectory::CreateStep> FileLogDirectory::create_step(Position at,
                                                                   const BytesChain& entry) {
  if (entry.size() > kEntryBytesMax)
    return fail(ErrorCode::too_large, "entry of " + std::to_string(entry.size()) + " bytes");
  Result<std::optional<HeldLock>> lock = try_lock();
  if (!lock) return not_applied(std::move(lock).error(), position_text(at));
  if (!lock->has_value()) return CreateStep{};
  Result<CreateStep> step = create_locked(at, entry);
  if (!step && step.error().is(ErrorCode::unknown_outcome))
    return CreateStep{.kind = CreateStep::Kind::unknown};
  if (!step) return not_applied(std::move(step).error(), position_text(at));
  return step;
}

Result<FileLogDirectory::CreateStep> FileLogDirectory::create_locked(Position at,
                                                                     const BytesChain& entry) {
  using Kind = CreateStep::Kind;
  WEIR_TRY(refresh());
  Position next = next_position();
  if (at > next)
    return fail(ErrorCode::precondition, "the log ends before position " +
                                             std::to_string(next.value) +
                                             ": the store was rolled back");
  if (at < next) {
    Result<Position> floor = read_floor();
    if (!floor) return std::unexpected(std::move(floor).error());
    if (at < *floor) return gone(at);
    return CreateStep{Kind::exists, nullptr, 0};
  }
  Segment last = tail();
  if (last && last->index.sealed && !is_durable(*last, last->index.end))
    return CreateStep{Kind::sync_first, last, last->index.end};
  if (!last || last->index.sealed) {
    WEIR_TRY(begin_segment(next));
    last = tail();
  } else if (is_full(*last, entry.size())) {
    WEIR_TRY(append(*last, FrameKind::seal, {}));
    return CreateStep{Kind::sync_first, last, last->index.end};
  }
  WEIR_TRY(append(*last, FrameKind::entry, entry));
  return CreateStep{Kind::appended, last, last->index.end};
}

bool FileLogDirectory::is_full(const FileSegment& tail, std::size_t entry_bytes) const {
  const SegmentIndex& index = tail.index;
  return !index.offsets.empty() &&
         (index.offsets.size() >= options_.segment_entries_max ||
          index.end + kFrameHeaderBytes + entry_bytes > options_.segment_bytes_target);
}

Result<void> FileLogDirectory::begin_segment(Position first) {
  Result<std::unique_ptr<rt::File>> file =
      files_.open(path_of(segment_file_name(first)), rt::OpenMode::create_new);
  if (!file) return std::unexpected(std::move(file).error());
  if (Segment last = tail()) last->durable_end = last->index.end;  // rule 4
  add_segment(first)->file = std::move(*file);
  return {};
}

Result<void> FileLogDirectory::append(FileSegment& tail, FrameKind kind,
                                      const BytesChain& payload) {
  SegmentIndex& index = tail.index;
  FrameHeader header;
  header.kind = kind;
  header.position = index.next();
  header.durable_end = options_.sync ? tail.durable_end.load() : 0;
  header.salt = index.salt ? *index.salt : SegmentSalt(salts_.next());
  FrameHeaderBytes bytes = encode_frame_header(header, payload);
  std::vector<Bytes> parts = payload.views();
  parts.insert(parts.begin(), Bytes(bytes));
  Result<void> written = tail.file->write_at(index.end, parts);
  if (!written) {
    // Part of it may be in the file, perhaps all. Only if it is gone again was nothing applied.
    Result<void> cut = tail.file->truncate(index.end);
    tail.doubtful = !cut;
    if (!cut)
      return fail(ErrorCode::unknown_outcome,
                  cut.error().message + ", after " + written.error().message);
    return with_context(std::move(written).error(), "file log");
  }
  header.length = static_cast<std::uint32_t>(payload.size());
  index.add(header);
  return {};
}

}  // namespace weir::commitlog
