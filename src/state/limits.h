// Limits of the layer `state`, named with units.
//
// They are part of the fold: raising or lowering one changes outcomes, so it takes a new feature
// level. Broker-side limits (options, requests) are elsewhere and may only be stricter.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::state {

/// The level that this program writes for a new cluster, and the highest whose rules it knows.
inline constexpr std::uint16_t kFeatureLevelNewest = 1;

// --- entries ---
inline constexpr std::size_t kEntrySectionsMax = 16;
/// The commands section after decompression.
inline constexpr std::size_t kEntryCommandBytesMax = std::size_t{32} << 20;
/// Commands and groups of one entry.
inline constexpr std::size_t kEntryCommandsMax = 65'536;
/// A commands section longer than this is compressed, if that makes it smaller.
inline constexpr std::size_t kEntryCompressBytesMin = 512;

// --- spans and objects ---
inline constexpr std::size_t kSpansPerCommandMax = 65'536;
inline constexpr std::int64_t kSegmentBytesMax = std::int64_t{1} << 30;
/// Positions for which the digest is kept.
inline constexpr std::size_t kDigestsKept = 4'096;
/// Spans by which one run of ReplaceSpans is replaced.
inline constexpr std::size_t kSpansPerRunMax = 4'096;
/// Changed partitions that are listed singly; beyond, "all of them" is said.
inline constexpr std::size_t kChangedPartitionsMax = 65'536;
inline constexpr std::size_t kChangedGroupsMax = 65'536;
inline constexpr std::size_t kNotedSnapshotsKept = 4;

// --- topics ---
inline constexpr std::size_t kTopicNameBytesMax = 249;
inline constexpr std::int32_t kPartitionsPerTopicMax = 100'000;
inline constexpr std::size_t kPartitionsMax = 1'000'000;
inline constexpr std::size_t kConfigsPerResourceMax = 100;
inline constexpr std::size_t kConfigKeyBytesMax = 255;
inline constexpr std::size_t kConfigValueBytesMax = 32'767;
/// Client metrics subscriptions and groups with configs of their own.
inline constexpr std::size_t kConfigResourcesMax = 10'000;
inline constexpr std::size_t kResourceNameBytesMax = 255;

// --- producers ---
inline constexpr std::size_t kProducerIdsMax = 1'000'000;
inline constexpr std::int32_t kProducerIdBlockMax = 1'000'000;
/// Batches per producer and partition whose sequences and offsets are remembered at least.
inline constexpr std::int32_t kBatchesRemembered = 5;

// --- groups ---
inline constexpr std::size_t kGroupsMax = 1'000'000;
/// Ids of groups, members and instances, client ids and hosts, names of protocols.
inline constexpr std::size_t kGroupTextBytesMax = 4'096;
inline constexpr std::size_t kGroupMembersMax = 100'000;
inline constexpr std::size_t kProtocolsPerMemberMax = 100;
/// Metadata of all protocols of a member; an assignment.
inline constexpr std::size_t kMemberBytesMax = std::size_t{4} << 20;
/// All groups and members together.
inline constexpr std::uint64_t kGroupBytesMax = std::uint64_t{1} << 30;
/// Topics that a member of the consumer protocol names, or that its expression matches.
inline constexpr std::size_t kTopicsPerConsumerMax = 10'000;
inline constexpr std::int32_t kConsumerEpochMax = 0x7fffffff;
inline constexpr std::size_t kGroupOffsetsMax = 10'000'000;
inline constexpr std::size_t kOffsetMetadataBytesMax = 32'767;
/// Committed metadata of all groups together.
inline constexpr std::uint64_t kOffsetMetadataTotalMax = std::uint64_t{512} << 20;

// --- brokers ---
inline constexpr std::size_t kBrokersMax = 1'000;
inline constexpr std::size_t kEndpointsPerBrokerMax = 16;
inline constexpr std::size_t kBrokerConfigNodesMax = 10'000;
inline constexpr std::size_t kClusterIdBytesMax = 249;
/// Zone, listener, protocol, host and version of a registration.
inline constexpr std::size_t kBrokerTextBytesMax = 255;

// --- time and digests ---
/// A larger step of the cluster's clock is ignored until it has been claimed for so long.
inline constexpr std::int64_t kClockStepMaxMs = 3'600'000;
inline constexpr std::int64_t kClockSettleMs = 600'000;
inline constexpr std::size_t kClockMarksMax = 1'024;
/// Votes about one snapshot; more are refused.
inline constexpr std::size_t kDigestVotesMax = 4'096;

// --- snapshots ---
inline constexpr std::size_t kSnapshotSectionsMax = 64;

static_assert(kPartitionsPerTopicMax <= static_cast<std::int64_t>(kPartitionsMax));
static_assert(kSegmentBytesMax <= 0xffffffff, "places inside a segment are 32-bit");
static_assert(kSpansPerCommandMax >= 3'000, "a flush of 3,000 spans is one command");

}  // namespace weir::state
