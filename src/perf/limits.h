// The limits of the load program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace weir::perf {

/// Bytes of made-up text that record values are cut from.
inline constexpr std::size_t kCorpusBytes = 4u << 20;
/// Distinct encoded batches that a raw producer sends in turn.
inline constexpr std::size_t kRawBatchesMax = 16;
/// All distinct batches together stay below this, so that they fit a processor's cache.
inline constexpr std::size_t kRawBytesMax = 1u << 20;
/// Record batches of one produce request.
inline constexpr std::size_t kRequestBytesMax = 1u << 20;
/// Records gathered and not yet acknowledged; then the generator waits.
inline constexpr std::size_t kBufferedBytesMax = 32u << 20;
/// Records made before other tasks get a turn.
inline constexpr std::size_t kRecordsPerTurn = 256;

inline constexpr std::size_t kConnectionsMax = 100'000;
/// Requests in flight on one connection; below client::kInFlightRequestsMax.
inline constexpr std::size_t kWindowMax = 50;
/// Connections that are being opened at a time when many are wanted.
inline constexpr std::size_t kOpeningMax = 64;
/// New connections under way when they are due at a rate.
inline constexpr std::size_t kConnectsMax = 10'000;

inline constexpr std::int32_t kFetchBytesMax = 50 << 20;
inline constexpr std::int32_t kFetchPartitionBytesMax = 1 << 20;
inline constexpr Duration kFetchWait = 500ms;
/// How long the consumers of an end-to-end run wait for what the producer sent last.
inline constexpr Duration kLastRecordsMax = 30s;
/// Between two looks whether a new topic is served.
inline constexpr Duration kTopicPause = 50ms;

}  // namespace weir::perf
