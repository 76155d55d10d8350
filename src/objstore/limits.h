// The limits of the object store layer, with units.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace weir::objstore {

/// Amazon S3 allows 1,024 bytes; the shortest common limit.
inline constexpr std::size_t kNameBytesMax = 1'024;
/// Between two slashes; a file system allows 255 after escaping.
inline constexpr std::size_t kNamePartBytesMax = 240;
inline constexpr std::size_t kNamePartsMax = 16;
inline constexpr std::size_t kObjectBytesMax = std::size_t{1} << 30;
inline constexpr std::size_t kListPageObjectsMax = 1'000;
/// S3's DeleteObjects; drivers cut longer lists into calls of this size.
inline constexpr std::size_t kRemoveNamesPerCallMax = 1'000;

/// Retries of unconditional verbs: attempts of one call, first and greatest pause, and the budget
/// that keeps a store in trouble from being asked several times as often as usual.
inline constexpr int kRetryAttemptsMax = 6;
inline constexpr Duration kRetryPauseFirst = 50ms;
inline constexpr Duration kRetryPauseMax = 5s;
inline constexpr int kRetryBudgetTokensMax = 100;
inline constexpr int kRetryTokensPerRetry = 10;

/// File driver: how long a conditional replace waits for the lock of its directory, and how often
/// it looks.
inline constexpr Duration kFileLockWaitMax = 5s;
inline constexpr Duration kFileLockPauseFirst = 50us;
inline constexpr Duration kFileLockPauseMax = 5ms;
/// Directories that a file store remembers to have made.
inline constexpr std::size_t kFileKnownDirectoriesMax = 4'096;

static_assert(kNamePartBytesMax <= kNameBytesMax);
static_assert(kRetryPauseFirst <= kRetryPauseMax);
static_assert(kRetryTokensPerRetry <= kRetryBudgetTokensMax);

}  // namespace weir::objstore
