// The limits of the Kafka client. Everything that can grow has one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace weir::client {

inline constexpr std::size_t kBootstrapEndpointsMax = 64;

/// A response larger than this ends the connection.
inline constexpr std::uint32_t kResponseBytesMax = 128u << 20;
/// Requests that wait for their answer on one connection.
inline constexpr std::size_t kInFlightRequestsMax = 64;
inline constexpr Duration kConnectTimeout = 10s;
/// How long the first connection is tried; later ones as long as the caller's deadline lasts.
inline constexpr Duration kFirstConnectMax = 2s;
/// How long an answer may take when the caller names no deadline of its own.
inline constexpr Duration kRequestTimeout = 30s;

inline constexpr std::size_t kConnectionsMax = 256;
/// The pause before a retry doubles from the first to the last of these.
inline constexpr Duration kRetryPauseMin = 50ms;
inline constexpr Duration kRetryPauseMax = 1s;

inline constexpr std::size_t kProduceBatchBytesDefault = 256u << 10;
inline constexpr Duration kProduceLingerDefault = 5ms;
inline constexpr std::size_t kProduceBufferBytesMax = 32u << 20;
inline constexpr std::size_t kProduceInFlightMax = 5;
inline constexpr Duration kDeliveryTimeoutDefault = 120s;

inline constexpr Duration kGroupSessionTimeoutDefault = 45s;
inline constexpr Duration kGroupRebalanceTimeoutDefault = 60s;
inline constexpr Duration kGroupHeartbeatInterval = 3s;

inline constexpr std::uint32_t kFetchBytesMax = 16u << 20;
inline constexpr std::uint32_t kFetchPartitionBytesMax = 4u << 20;
inline constexpr Duration kFetchWaitDefault = 500ms;
inline constexpr std::size_t kPartitionsPerConsumerMax = 100'000;

}  // namespace weir::client
