// Limits of the broker layer. Whatever a client can make us hold is bounded here; sizes that users
// may set are Kafka's options (config/) and start from the same values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace weir::broker {

/// Bytes of a connection that has not shown a complete frame length yet; small requests share it.
inline constexpr std::size_t kScratchBytes = 2048;
/// api key, version and correlation id: no request is shorter.
inline constexpr std::size_t kFrameBytesMin = 8;
/// `socket.request.max.bytes`.
inline constexpr std::size_t kFrameBytesMaxDefault = 104'857'600;

/// Requests of one connection that are read but not yet answered.
inline constexpr std::size_t kInFlightRequestsMax = 512;
/// Bytes of those requests; one request alone may exceed it.
inline constexpr std::size_t kInFlightBytesMax = std::size_t{64} << 20;
/// What counts as a small request for the share of the pool that Produce cannot fill.
inline constexpr std::size_t kSmallRequestBytesMax = std::size_t{64} << 10;
/// Requests of one connection that only read, served before the first of them is answered, and
/// bytes of their answers; one answer alone may exceed it. Whoever pipelines hundreds of heavy
/// requests, or reads no answer, must not hold memory or keep the lane from others.
inline constexpr std::size_t kServedAheadMax = 8;
inline constexpr std::size_t kUnwrittenBytesMax = std::size_t{1} << 20;
/// Answers that may be much larger than their requests (answer_room.h): up to so many bytes are not
/// counted, so many are built before others may run, and so long one waits for memory.
inline constexpr std::size_t kUncountedAnswerBytes = std::size_t{64} << 10;
inline constexpr std::size_t kAnswerSliceBytes = std::size_t{256} << 10;
inline constexpr Duration kAnswerRoomWaitMax = 1s;
/// First guess of what the records of a batch take when decoded: a multiple of what was sent.
inline constexpr std::size_t kDecodedBytesMin = std::size_t{64} << 10;
inline constexpr std::size_t kDecodedRatio = 8;
/// Bytes and parts of one gathered write.
inline constexpr std::size_t kWriteBatchBytesMax = std::size_t{8} << 20;
inline constexpr std::size_t kWriteBatchPartsMax = 512;

/// While others wait for memory, a half-sent request may pause no longer than this.
inline constexpr Duration kStalledFrameMax = 2s;

/// A reserved frame must be filled within `kFillGrace` and then one second per kFillBytesPerSecond,
/// so a peer that announces much and sends little does not keep the pool.
inline constexpr Duration kFillGrace = 30s;
inline constexpr std::size_t kFillBytesPerSecond = std::size_t{64} << 10;
/// How long a complete header may wait for room in the pool before its connection is closed.
inline constexpr Duration kReserveWaitMax = 60s;
/// A response must make progress within this, or the connection is closed.
inline constexpr Duration kWriteStallMax = 60s;
/// How often a lane looks at the deadlines of its connections.
inline constexpr Duration kSweepInterval = 1s;
/// After an accept failed because descriptors ran out.
inline constexpr Duration kAcceptPause = 100ms;

/// Bytes of client-chosen text that is kept per connection (names, versions).
inline constexpr std::size_t kClientTextBytesMax = 255;
inline constexpr std::size_t kZoneBytesMax = 255;

/// Names of client metrics subscriptions and groups that have configs.
inline constexpr std::size_t kResourceNameBytesMax = 255;
/// Topic names (Kafka's own bound).
inline constexpr std::size_t kTopicNameBytesMax = 249;
/// Topics of one Metadata request that may be created automatically.
inline constexpr std::size_t kAutoCreateTopicsMax = 1000;

/// Fetch sessions: partitions remembered over all sessions; a session beyond it is refused (the
/// client then sends full requests).
inline constexpr std::size_t kFetchSessionPartitionsMax = 1'000'000;
/// A session may be evicted for a bigger one only after it lived this long, and for any one after
/// it was unused that long.
inline constexpr Duration kFetchSessionEvictionAge = 120s;

/// Topic settings that are kept parsed; the whole cache is dropped when it is full.
inline constexpr std::size_t kTopicSettingsCachedMax = 100'000;
/// Tries of a read-modify-write of configs that somebody else's change keeps refusing.
inline constexpr int kGuardTriesMax = 8;
/// Length of a config value.
inline constexpr std::size_t kConfigValueBytesMax = 16'384;

/// Client metrics (KIP-714): clients that are remembered, series of one and of all, numbers in one
/// push, attributes of a number, bytes of a label and of a decompressed push.
inline constexpr std::size_t kTelemetryClientsMax = 10'000;
inline constexpr std::size_t kTelemetrySeriesPerClientMax = 500;
inline constexpr std::size_t kTelemetrySeriesMax = 20'000;
inline constexpr std::size_t kTelemetryPointsMax = 10'000;
inline constexpr std::size_t kTelemetryAttributesMax = 16;
inline constexpr std::size_t kTelemetryLabelBytesMax = 128;
inline constexpr std::size_t kTelemetryPlainBytesMax = std::size_t{8} << 20;
/// Expressions of one subscription, and memory of one compiled expression.
inline constexpr std::size_t kTelemetryMatchRulesMax = 16;
inline constexpr std::size_t kTelemetryPatternBytesMax = std::size_t{256} << 10;

/// Log lines about misbehaving peers: burst and refill of one lane.
inline constexpr int kPeerLogBurst = 20;
inline constexpr Duration kPeerLogRefill = 1s;

static_assert(kScratchBytes <= 4096, "a connection without a complete header holds at most 4 KiB");
static_assert(kFrameBytesMin >= 8);
static_assert(kInFlightBytesMax >= kWriteBatchBytesMax);

}  // namespace weir::broker
