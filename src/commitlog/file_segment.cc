#include "commitlog/file_segment.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/narrow.h"
#include "commitlog/limits.h"

namespace weir::commitlog {
namespace {

constexpr std::string_view kSuffix = ".wlog";
constexpr std::size_t kDigits = 20;

/// A piece of a file in memory that moves forward.
class Window {
 public:
  Window(rt::File& file, std::uint64_t size) : file_(file), size_(size) {}

  /// What is loaded from `at` on.
  Bytes from(std::uint64_t at) const {
    Bytes bytes = buffer_.data();
    return at - begin_ < loaded_ ? bytes.first(loaded_).subspan(at - begin_) : Bytes();
  }

  Result<void> load(std::uint64_t at, std::uint64_t wanted) {
    std::size_t bytes =
        narrow<std::size_t>(std::min(size_ - at, std::max<std::uint64_t>(wanted, kFileScanBytes)));
    if (buffer_.size() < bytes) buffer_ = Buffer::make(bytes);
    Result<std::size_t> got = file_.read_at(at, buffer_.data().first(bytes));
    if (!got) return std::unexpected(std::move(got).error());
    if (*got != bytes) return fail(ErrorCode::unavailable, "file was cut while it was read");
    begin_ = at;
    loaded_ = bytes;
    return {};
  }

 private:
  rt::File& file_;
  std::uint64_t size_;
  Buffer buffer_;
  std::uint64_t begin_ = 0;
  std::size_t loaded_ = 0;
};

}  // namespace

std::uint64_t SegmentIndex::begin_of(Position at) const {
  ENSURE(holds(at));
  return offsets[at.value - first.value];
}

std::uint64_t SegmentIndex::end_of(Position at) const {
  ENSURE(holds(at));
  return at.next() == next() ? entries_end : begin_of(at.next());
}

bool SegmentIndex::is_meant_by(const Mark& mark) const {
  return mark.segment == first && (!salt || *salt == mark.salt);
}

bool SegmentIndex::expects(const FrameHeader& header) const {
  return !sealed && header.position == next() && (!salt || *salt == header.salt) &&
         end + header.frame_bytes() <= kFileBytesMax;
}

void SegmentIndex::add(const FrameHeader& header) {
  ENSURE(expects(header));
  salt = header.salt;
  if (header.kind == FrameKind::entry) {
    offsets.push_back(narrow<std::uint32_t>(end));
    entries_end = end + header.frame_bytes();
  } else {
    sealed = true;
  }
  end += header.frame_bytes();
}

void SegmentIndex::rewind(std::uint64_t offset) {
  if (end <= offset) return;
  if (sealed) {
    sealed = false;
    end = entries_end;
  }
  while (end > offset && !offsets.empty()) {
    end = entries_end = offsets.back();
    offsets.pop_back();
  }
  if (offsets.empty()) salt.reset();
}

Result<ScanStop> scan_frames(rt::File& file, std::uint64_t size, SegmentIndex& index) {
  Window window(file, size);
  while (index.end < size && !index.sealed) {
    ParsedFrame parsed = parse_frame(window.from(index.end));
    if (parsed.state == FrameState::cut_off) {
      std::uint64_t wanted = parsed.header.frame_bytes();
      if (wanted > size - index.end) return ScanStop::damage;
      WEIR_TRY(window.load(index.end, wanted));
      continue;
    }
    if (parsed.state == FrameState::bad || !index.expects(parsed.header)) return ScanStop::damage;
    index.add(parsed.header);
  }
  return ScanStop::end;
}

std::string segment_file_name(Position first) {
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%020llu", static_cast<unsigned long long>(first.value));
  return digits + std::string(kSuffix);
}

std::optional<Position> position_of_segment_file(const std::string& name) {
  if (name.size() != kDigits + kSuffix.size() || !name.ends_with(kSuffix)) return std::nullopt;
  std::uint64_t value = 0;
  const char* end = name.data() + kDigits;
  std::from_chars_result result = std::from_chars(name.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return Position(value);
}

}  // namespace weir::commitlog
