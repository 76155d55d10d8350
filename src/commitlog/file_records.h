// The two small files beside the segments of a file log: the mark and the floor.
//
// The mark is a hint, never synced, written after each sync: "this segment is durable up to here".
// It can only be behind the truth. It spares the other brokers of the directory a sync of their
// own, and it tells corruption of the last frames from a torn write. The floor is replaced whole.
// Layout: docs/formats/file-log.md. Pure.
#pragma once

#include <array>
#include <optional>

#include "base/bytes.h"
#include "base/ids.h"
#include "commitlog/file_frame.h"

namespace weir::commitlog {

inline constexpr std::size_t kRecordBytes = 32;
using RecordBytes = std::array<std::byte, kRecordBytes>;

struct Mark {
  Position segment;  // its first position
  SegmentSalt salt;
  std::uint64_t durable_end = 0;

  friend bool operator==(const Mark&, const Mark&) = default;
};

RecordBytes encode_mark(const Mark& mark);
/// Nothing if the bytes are not a whole mark, as after a write that raced with ours.
std::optional<Mark> decode_mark(Bytes bytes);

RecordBytes encode_floor(Position floor);
std::optional<Position> decode_floor(Bytes bytes);

}  // namespace weir::commitlog
