// Limits of the simulated world.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace weir::rt::sim {

/// Events at one instant after which the world is thought to be in a loop without waiting.
inline constexpr std::uint64_t kEventsPerInstantMax = 20'000'000;
/// Bytes that a connection holds in one direction, under way and unread.
inline constexpr std::size_t kPipeBytesMax = 256 * 1024;
/// Bytes that travel as one piece.
inline constexpr std::size_t kChunkBytesMax = 64 * 1024;
/// Connections that a listener holds until they are accepted.
inline constexpr std::size_t kListenBacklog = 128;
/// First port that is given to "any port" listeners.
inline constexpr std::uint16_t kFirstFreePort = 20'000;
/// Unit in which a power loss keeps or forgets unsynced bytes.
inline constexpr std::size_t kSectorBytes = 512;
/// Unit in which a disk is filled.
inline constexpr std::uint64_t kBlockBytes = 4096;
/// Stack of a worker job (touched pages only cost memory), and the part below it that faults.
inline constexpr std::size_t kFiberStackBytes = 1024 * 1024;
inline constexpr std::size_t kFiberGuardBytes = 4096;
/// Worker jobs whose stacks are kept for the next ones.
inline constexpr std::size_t kJobsKept = 64;
/// How often a process asks again for a lock or a link that is not there.
inline constexpr Duration kLockRetry = 1ms;
inline constexpr Duration kConnectRetryMin = 100ms;
inline constexpr Duration kConnectRetryMax = 1s;

}  // namespace weir::rt::sim
