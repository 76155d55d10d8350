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

/// Retries: attempts of one call and the time after which none begins, for conditional writes and
/// for the rest; first and greatest pause; the budget that keeps a store in trouble from being
/// asked several times as often as usual.
struct RetryLaw {
  int attempts_max;
  Duration deadline;
};
inline constexpr RetryLaw kRetryConditional{3, 5s};
inline constexpr RetryLaw kRetryOthers{6, 60s};
inline constexpr Duration kRetryPauseFirst = 100ms;
inline constexpr Duration kRetryPauseMax = 5s;
inline constexpr int kRetryBudgetTokensMax = 100;
inline constexpr int kRetryTokensPerRetry = 10;

/// One attempt, hedge included, ends after this time and some for its bytes at the slowest rate
/// that we put up with. A create is small, and everybody waits for it.
inline constexpr Duration kAttemptCreateMax = 8s;
inline constexpr Duration kAttemptReadMax = 10s;
inline constexpr Duration kAttemptOtherMax = 20s;
inline constexpr std::uint64_t kAttemptBytesPerSecondMin = 1'000'000;
/// A whole object of unknown size is given the time of one this large.
inline constexpr std::uint64_t kAttemptGetBytesAssumed = 16'000'000;

/// Hedges: how many latencies are remembered for a kind of request, how many there must be before
/// the first hedge, how often the percentile is taken anew; no hedge sooner than this; the budget,
/// which bounds them to a tenth of the requests; attempts nobody waits for any more.
inline constexpr std::size_t kLatencySamplesMax = 256;
inline constexpr std::size_t kLatencySamplesMin = 32;
inline constexpr std::size_t kLatencySamplesPerUpdate = 16;
inline constexpr Duration kHedgeAfterMin = 5ms;
inline constexpr int kHedgeBudgetTokensMax = 100;
inline constexpr int kHedgeTokensPerHedge = 10;
inline constexpr std::size_t kStragglersMax = 64;

/// Requests of one class that wait for their turn, and how long they do.
inline constexpr std::size_t kGateWaitersMax = 4'096;
inline constexpr Duration kGateWaitMax = 10s;
/// Rate after a store asked for less: never below, cut at most this often, forgotten after so long
/// without a complaint; what a store's Retry-After may ask for.
inline constexpr double kPaceRequestsPerSecondMin = 2;
inline constexpr Duration kPaceCutPause = 1s;
inline constexpr Duration kPaceForget = 60s;
inline constexpr Duration kPaceRetryAfterMax = 30s;

/// Files with credentials: keys, profiles, tokens.
inline constexpr std::size_t kCredentialFileBytesMax = std::size_t{1} << 20;

/// Start-up probe: creators that race for one name, races, races that may end unclear, pages of a
/// listing that are looked at.
inline constexpr std::size_t kProbeRacers = 8;
inline constexpr int kProbeRaces = 2;
inline constexpr int kProbeUnclearMax = 3;
inline constexpr int kProbePagesMax = 10;

/// File driver: how long a conditional replace waits for the lock of its directory, and how often
/// it looks.
inline constexpr Duration kFileLockWaitMax = 5s;
inline constexpr Duration kFileLockPauseFirst = 50us;
inline constexpr Duration kFileLockPauseMax = 5ms;
/// Directories that a file store remembers to have made.
inline constexpr std::size_t kFileKnownDirectoriesMax = 4'096;
/// Objects of at least this size are written without the page cache, and ranges of them of at least
/// that size are read so: below, the disk's latency outweighs the copy.
inline constexpr std::size_t kFileDirectBytesMin = std::size_t{1} << 20;
inline constexpr std::size_t kFileDirectReadBytesMin = std::size_t{64} << 10;
/// Memory that such a write is copied through, and how many are kept for the next writes.
inline constexpr std::size_t kFileStagingBytes = std::size_t{1} << 20;
inline constexpr std::size_t kFileStagingKeptMax = 4;

static_assert(kNamePartBytesMax <= kNameBytesMax);
static_assert(kRetryPauseFirst <= kRetryPauseMax);
static_assert(kRetryTokensPerRetry <= kRetryBudgetTokensMax);
static_assert(kHedgeTokensPerHedge <= kHedgeBudgetTokensMax);
static_assert(kLatencySamplesMin <= kLatencySamplesMax);

}  // namespace weir::objstore
