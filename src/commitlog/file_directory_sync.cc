// Rule 3 of file_directory.h: what makes an entry durable, and who may say so.
#include <algorithm>
#include <array>

#include "base/narrow.h"
#include "commitlog/file_directory.h"

namespace weir::commitlog {

std::optional<Mark> FileLogDirectory::read_mark() {
  RecordBytes bytes;
  Result<std::size_t> got = mark_file_->read_at(0, bytes);
  if (!got || *got != bytes.size()) return std::nullopt;
  return decode_mark(bytes);
}

void FileLogDirectory::use_mark(FileSegment& segment) {
  std::optional<Mark> mark = read_mark();
  if (!mark || mark->segment != segment.index.first || segment.index.salt != mark->salt) return;
  segment.name_durable = true;
  segment.durable_end =
      std::max(segment.durable_end.load(), std::min(mark->durable_end, segment.index.end));
}

bool FileLogDirectory::is_durable(const FileSegment& segment, std::uint64_t target) const {
  return !options_.sync || segment.durable_end >= target;
}

FileLogDirectory::SyncPlan FileLogDirectory::plan_sync(const Segment& segment) const {
  return {segment,
          segment->index.first,
          segment->index.salt.value_or(SegmentSalt(0)),
          segment->durable_end,
          segment->own_begin,
          segment->index.end,
          segment->name_durable,
          tail() == segment};
}

Result<void> FileLogDirectory::sync(const SyncPlan& plan) {
  FileSegment& segment = *plan.segment;
  std::uint64_t begin = plan.durable_end;
  bool name_durable = plan.name_durable;
  if (begin < plan.own_begin) {
    // Another broker may have synced its entries since we saw them.
    std::optional<Mark> mark = read_mark();
    if (mark && mark->segment == plan.first && mark->salt == plan.salt) {
      name_durable = true;
      begin = std::max(begin, std::min(mark->durable_end, plan.end));
    }
    if (begin == plan.end) return {};
    WEIR_TRY(rewrite(segment, plan.salt, begin, plan.own_begin));
  }
  if (!name_durable) WEIR_TRY(files_.sync_directory(options_.directory));
  WEIR_TRY(segment.file->sync());
  // The segment itself may rightly be gone by now, if it was closed meanwhile; `lock` never is.
  WEIR_TRY(check_named(*lock_file_, "the file `lock`"));
  // An older segment's mark must not replace a newer one's. The write may fail: it is a hint.
  if (!plan.is_tail) return {};
  RecordBytes mark = encode_mark({plan.first, plan.salt, plan.end});
  Bytes part(mark);
  std::ignore = mark_file_->write_at(0, std::span(&part, 1));
  return {};
}

void FileLogDirectory::finish_sync(const SyncPlan& plan, bool succeeded) {
  FileSegment& segment = *plan.segment;
  if (succeeded) {
    segment.name_durable = true;
    segment.durable_end = std::max(segment.durable_end.load(), plan.end);
    return;
  }
  // Nothing is known about any byte that was not durable before.
  segment.own_begin = segment.index.end;
  segment.doubtful = true;
}

// Writes the same bytes again, so that the sync that follows is about them. They are verified from
// the very buffer that is written: a page whose write-back failed may have been dropped since the
// scan, and then the disk's old bytes would be read here.
Result<void> FileLogDirectory::rewrite(FileSegment& segment, SegmentSalt salt, std::uint64_t begin,
                                       std::uint64_t end) {
  while (begin < end) {
    std::uint64_t bytes = std::min<std::uint64_t>(end - begin, kFileScanBytes);
    Buffer buffer = Buffer::make(narrow<std::size_t>(bytes));
    Result<std::size_t> got = segment.file->read_at(begin, buffer.data());
    if (!got) return std::unexpected(std::move(got).error());
    ParsedFrame parsed = parse_frame(buffer.data().first(*got));
    if (parsed.state == FrameState::cut_off && parsed.header.frame_bytes() > bytes &&
        parsed.header.frame_bytes() <= end - begin) {
      buffer = Buffer::make(narrow<std::size_t>(parsed.header.frame_bytes()));
      got = segment.file->read_at(begin, buffer.data());
      if (!got) return std::unexpected(std::move(got).error());
      parsed = parse_frame(buffer.data().first(*got));
    }
    if (parsed.state != FrameState::whole || parsed.header.salt != salt)
      return fail(ErrorCode::corrupt,
                  "a write of byte " + std::to_string(begin) + " was lost by the disk");
    Bytes frame = Bytes(buffer.data()).first(narrow<std::size_t>(parsed.header.frame_bytes()));
    WEIR_TRY(segment.file->write_at(begin, std::span(&frame, 1)));
    begin += frame.size();
  }
  return {};
}

}  // namespace weir::commitlog
