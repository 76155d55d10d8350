// Limits of the engine, named with units. docs/design.md, 15.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace weir::engine {

/// Commands that go into one entry, and their bytes before compression.
inline constexpr std::size_t kEntryCommandsMax = 4'096;
inline constexpr std::size_t kEntryCommandBytesMax = 4u << 20;
/// Spans of one AppendSpans command.
inline constexpr std::size_t kSpansPerCommandMax = 4'096;
/// Topics of one CreateTopics command.
inline constexpr std::size_t kTopicsPerCommandMax = 1'000;
/// Commands numbered but not yet folded; more are refused as unavailable.
inline constexpr std::size_t kPendingCommandsMax = 65'536;
/// Batches that wait for an earlier sequence of their producer.
inline constexpr std::size_t kAheadBatchesMax = 16'384;
/// How long such a batch waits at most (docs/design.md, 7).
inline constexpr Duration kAheadWaitMax = 2s;
/// Fetches parked at one broker.
inline constexpr std::size_t kParkedFetchesMax = 100'000;
/// Object reads under way at once for fetches, and bytes of one read.
inline constexpr std::size_t kLoadsInFlightMax = 16;
/// Opening a segment: ranges that lie this near to each other are read with one request, and this
/// much of its end is read in the hope that the footer lies in it.
inline constexpr std::uint64_t kSegmentGapBytesMax = 256u << 10;
inline constexpr std::uint64_t kSegmentTailBytes = 32u << 10;
/// Regions of opened segments whose places and checksums are kept, 56 bytes each.
inline constexpr std::size_t kFooterRegionsMax = 65'536;
/// Segments born at most so many positions ago are read as the tail, all others as old data.
inline constexpr std::uint64_t kTailPositions = 256;
/// Regions that one fetch loads ahead of reading them.
inline constexpr std::size_t kWarmRegionsMax = 256;
/// Bytes that may be on their way into memory ahead of catch-up readers, all fetches together.
inline constexpr std::size_t kReadAheadBytesMax = 16u << 20;
/// Members of groups in one VouchMembers or ExpireMembers command.
inline constexpr std::size_t kMembersPerCommandMax = 10'000;
/// Encoded size of one command of a group; a larger request is refused before it is proposed.
inline constexpr std::size_t kGroupCommandBytesMax = 16u << 20;
/// JoinGroup and SyncGroup requests parked at one broker.
inline constexpr std::size_t kParkedGroupCallsMax = 100'000;
/// Offsets of one ExpireOffsets command.
inline constexpr std::size_t kExpiredOffsetsPerCommandMax = 10'000;
/// Upload attempts of one segment before its batches are refused.
inline constexpr int kUploadAttemptsMax = 4;
/// Writes that have failed for so long, or a create that has been under way for so long, make the
/// broker not ready.
inline constexpr Duration kTroubleShownAfter = 4s;
/// Brokers that a PeerWatch holds connections to.
inline constexpr std::size_t kWatchedPeersMax = 1'000;
/// Failed uploads are not repeated for ever, so what they say holds for so long. Then clients may
/// try again.
inline constexpr Duration kUploadTroubleHolds = 15s;
/// Segments of one flush that upload at once.
inline constexpr std::size_t kSegmentsPerFlushMax = 16;
/// Entries read ahead at once when replaying.
inline constexpr std::size_t kReplayEntries = 1'024;
inline constexpr std::size_t kReplayBytes = 8u << 20;
/// Newest snapshots that stay. Truncation needs two verified ones; one more for a reader that has
/// just begun.
inline constexpr std::size_t kSnapshotsKept = 3;
/// Entries that a replay asks for at once where each is a request of its own.
inline constexpr std::uint64_t kReplayRequests = 32;
/// Producer ids taken from the state at once.
inline constexpr std::int32_t kProducerIdBlock = 1'000;
/// Inline bytes that the state may keep alive; above it every flush becomes segments
/// (docs/design.md, 6).
inline constexpr std::uint64_t kInlineBytesLiveMax = 1ull << 30;

/// An expression that a consumer subscribes with, and what matching it may take.
inline constexpr std::size_t kRegexBytesMax = 1'024;
inline constexpr std::int64_t kRegexMemoryBytesMax = 256 << 10;
/// How long a heartbeat waits for the assignment that it called for.
inline constexpr Duration kAssignWaitMax = 2s;
/// Tries to assign a group that others keep changing.
inline constexpr int kAssignTriesMax = 16;
/// Consumer groups that one broker remembers as looked after.
inline constexpr std::size_t kGroupWorksMax = 100'000;
// --- maintenance ---
/// How long a job gives way to producers and tail readers before each of its requests.
inline constexpr Duration kGiveWayMax = 1s;
inline constexpr Duration kGiveWayPause = 5ms;
/// Idle time that a job's requests may make up for.
inline constexpr Duration kPacerBurst = 1s;
/// Partitions that are looked at without letting anything else run; about a millisecond.
inline constexpr std::size_t kPartitionsPerSlice = 256;
/// Spans that a merge looks at in one partition and round.
inline constexpr std::size_t kMergeSpansPerPartition = 4'096;
/// Topics whose parsed settings are kept.
inline constexpr std::size_t kTopicRulesKeptMax = 100'000;
/// Partitions, segments or names of one command or request of maintenance.
inline constexpr std::size_t kItemsPerCommandMax = 1'000;
/// Partitions whose spans one command replaces: folding it takes a few milliseconds.
inline constexpr std::size_t kRunsPerReplacementMax = 2'000;
/// What a span takes while it is merged or compacted, beside its records: where it lies, thrice,
/// its place among what was read, and for a lone one a run of its own.
inline constexpr std::uint64_t kMergeSpanBytes = 512;
/// After how long objects that could not be read are tried again, and how many are remembered.
inline constexpr Duration kMergeUnreadableRetryAfter = 10min;
inline constexpr std::size_t kMergeUnreadableMax = 10'000;
/// Gaps in an object that are read along rather than starting another request.
inline constexpr std::uint64_t kMergeGapBytesMax = 256u << 10;
/// Bytes of one range that a merge reads.
inline constexpr std::uint64_t kMergeRangeBytesMax = 8u << 20;
/// Source bytes of one partition that a compaction holds at once; partitions up to this size are
/// read once for both of its phases, many together.
inline constexpr std::uint64_t kCompactionReadBytes = 16u << 20;
/// Results that a compaction gathers before it writes them.
inline constexpr std::uint64_t kCompactionGatherBytes = 32u << 20;
/// Record bytes that a compaction works through in one job of the pool; about ten milliseconds.
inline constexpr std::size_t kCompactionSliceBytes = 2u << 20;
/// Spans that were not merged yet are left out of a compaction until they are this many times as
/// old as a merge wants them: soon they will stand together with those of other partitions.
inline constexpr int kUnmergedLagFactor = 4;
/// How long a compaction that did not find what it wanted to read waits for the end of the log.
inline constexpr Duration kCompactionProofWait = 10s;
/// How long a partition that could not be compacted is left alone, and how many are remembered.
inline constexpr Duration kCompactionRetryAfter = 10min;
inline constexpr std::size_t kCompactionFailuresMax = 10'000;
/// Of the scrubber: its requests, and the segments that one cycle remembers.
inline constexpr std::uint64_t kScrubRequestsPerSecond = 2;
inline constexpr std::size_t kScrubObjectsMax = 1'000'000;
/// Objects that the store refuses before a merge that has read nothing gives up.
inline constexpr std::size_t kMergeRefusalsMax = 8;
/// Object reads of a merge under way at once.
inline constexpr std::size_t kMergeLoadsInFlight = 4;

}  // namespace weir::engine
