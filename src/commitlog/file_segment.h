// A segment file of the file log, as far as one process has verified it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "commitlog/file_frame.h"
#include "commitlog/file_records.h"
#include "rt/files.h"

namespace weir::commitlog {

/// Where the whole frames of a segment are. A value.
struct SegmentIndex {
  Position first;
  /// Of the first frame; unknown while there is none.
  std::optional<SegmentSalt> salt;
  /// Of the entries first, first+1, …; a frame beyond kFileBytesMax is never expected.
  std::vector<std::uint32_t> offsets;
  std::uint64_t entries_end = 0;
  /// After the last whole frame, the seal included.
  std::uint64_t end = 0;
  bool sealed = false;

  Position next() const { return Position(first.value + offsets.size()); }
  bool holds(Position at) const { return at >= first && at < next(); }
  /// Where the frame of an entry that it holds begins and ends.
  std::uint64_t begin_of(Position at) const;
  std::uint64_t end_of(Position at) const;
  /// Whether a frame with this header may stand at `end`.
  bool expects(const FrameHeader& header) const;
  /// Whether the mark speaks of this file, and not of another that had its name.
  bool is_meant_by(const Mark& mark) const;
  void add(const FrameHeader& header);
  /// Forgets the frames that end after `offset`.
  void rewind(std::uint64_t offset);
};

enum class ScanStop : unsigned char {
  end,     // whole frames up to the end, or a seal
  damage,  // what stands at index.end is no whole frame that belongs there
};

/// Reads and verifies the frames from index.end to `size` and adds them.
Result<ScanStop> scan_frames(rt::File& file, std::uint64_t size, SegmentIndex& index);

/// `{first:020}.wlog`
std::string segment_file_name(Position first);
std::optional<Position> position_of_segment_file(const std::string& name);

/// Shared, for reads and syncs go on while the directory forgets a removed segment. They use `file`
/// and `durable_end`; the rest belongs to whoever has the directory's turn.
struct FileSegment {
  std::string path;
  std::unique_ptr<rt::File> file;
  SegmentIndex index;

  /// Bytes that survive a power loss, as far as known. Only rises.
  std::atomic<std::uint64_t> durable_end = 0;
  /// From here to the end we wrote every byte through `file` and no sync has failed since. What
  /// lies between durable_end and here is rewritten before a sync of ours may vouch for it.
  std::uint64_t own_begin = 0;
  /// Set when a read found something else than the index says: scan again from durable_end.
  bool doubtful = false;
  /// Whether the directory was synced after the file was made.
  bool name_durable = false;
};

}  // namespace weir::commitlog
