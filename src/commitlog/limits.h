// The limits of the commit log layer, with units.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace weir::commitlog {

/// Entries of the file, memory and object store logs. An entry carries at most 1 MiB of inline
/// records and its commands; this leaves room for a batch at the greatest `message.max.bytes` that
/// is usual.
inline constexpr std::size_t kEntryBytesMax = 16u << 20;

/// Attempts to raise the floor against other brokers that raise it too.
inline constexpr int kFloorAttemptsMax = 16;

/// File log: a segment file is closed when it holds this much.
inline constexpr std::uint64_t kFileSegmentBytesTarget = 64u << 20;
inline constexpr std::uint32_t kFileSegmentEntriesMax = 65'536;
/// Nothing beyond is looked at in a segment file: offsets in it have 32 bits.
inline constexpr std::uint64_t kFileBytesMax = 0xffff'ffff;
/// How far behind damage a frame is looked for that tells corruption from a torn write.
inline constexpr std::uint64_t kFileDamageBytesMax = 128u << 20;
/// Closed segments whose file and index (4 bytes per entry) stay in memory.
inline constexpr std::size_t kFileOpenSegmentsMax = 8;
/// One read of a scan.
inline constexpr std::size_t kFileScanBytes = 1u << 20;
/// How long a create waits for the lock of the directory, and how often it looks. The lock is held
/// while an entry is written to the page cache, never during a sync.
inline constexpr Duration kFileLockWaitMax = 5s;
inline constexpr Duration kFileLockPauseFirst = 20us;
inline constexpr Duration kFileLockPauseMax = 2ms;

static_assert(kEntryBytesMax < kFileSegmentBytesTarget);
static_assert(kFileSegmentBytesTarget + kEntryBytesMax < kFileDamageBytesMax);
static_assert(kFileLockPauseFirst <= kFileLockPauseMax);

}  // namespace weir::commitlog
