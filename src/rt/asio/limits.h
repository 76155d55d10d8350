// Limits of the real runtime.
#pragma once

#include <cstddef>

namespace weir::rt::asio {

/// Parts given to one sendmsg or pwritev; longer lists take several calls.
inline constexpr std::size_t kVectorPartsMax = 256;
/// Rounds of posted handles between two looks at the sockets.
inline constexpr int kRoundsPerPoll = 8;
/// Operations of one stream that may succeed at once before other coroutines get a turn.
inline constexpr unsigned kDirectOperationsMax = 16;
/// Connections that the kernel holds until they are accepted, if its own limit (somaxconn, usually
/// the same) allows. Who finds no room waits for a second, then for two, four, … until it tries
/// again.
inline constexpr int kListenBacklog = 4096;
/// Attempts to find a port that is free in both address families.
inline constexpr int kDualPortAttempts = 16;
/// Addresses of one name that `connect` tries.
inline constexpr std::size_t kAddressesMax = 16;

static_assert(kVectorPartsMax <= 1024, "IOV_MAX of Linux");

}  // namespace weir::rt::asio
