// What a person or a test can set about an engine. Values are already validated by `app`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "state/catalog.h"

namespace weir::engine {

/// What keeps a cluster small and fast while it runs (docs/design.md, 11).
struct MaintenanceOptions {
  bool enabled = true;

  Duration retention_check = 5min;
  /// How often the cluster's clock gets a mark while records arrive, and at least.
  Duration clock_interval = 1min;
  Duration clock_interval_idle = 30min;

  Duration merge_interval = 20s;
  /// Spans younger than this are left alone, unless the log is to be truncated past them.
  Duration merge_after = 1min;
  /// Spans of a partition that make a merge worth it.
  std::size_t merge_spans_min = 8;
  /// Larger regions stay where they are.
  std::size_t merge_leave_bytes = 1u << 20;
  /// Of a merged region, and of the segment that holds many.
  std::size_t merge_region_bytes = 4u << 20;
  std::size_t merge_segment_bytes = 64u << 20;
  /// Sources that one pass of a merge holds in memory. Where many partitions share each segment of
  /// flushes, every pass reads all of these segments, so few large passes save requests.
  std::size_t merge_pass_bytes = 128u << 20;
  /// A segment at least this large is rewritten when more than half of it is dead.
  std::size_t rewrite_bytes_min = 4u << 20;

  Duration compaction_interval = 15s;
  /// Whether compaction leaves young flushes to a merge first, which saves requests.
  bool merge_before_compaction = true;
  /// For the table of keys of one partition's run.
  std::size_t compaction_memory_bytes = 128u << 20;
  /// Dirty bytes that make a run by ratio worth it.
  std::uint64_t compaction_dirty_bytes_min = 1u << 20;

  Duration horizon_interval = 10min;
  Duration deletion_delay = 10min;
  Duration deletion_interval = 10s;
  Duration orphans_interval = 24h;

  /// A cycle of the scrubber begins at most this often.
  Duration scrub_interval = 168h;
  Duration scrub_pause = 1min;
  std::uint64_t scrub_bytes_per_second = 4u << 20;

  Duration truncate_interval = 30s;
  /// Entries that make a higher floor worth it.
  std::uint64_t truncate_entries_min = 1'000;
  /// How long an entry below the floor stays at least; 0: no clock is trusted, and every result is
  /// confirmed by reading the floor.
  Duration log_grace = 1h;

  /// Of all maintenance of this broker together.
  std::uint64_t requests_per_second = 50;
  std::uint64_t bytes_per_second = 256u << 20;
};

/// What a store that charges for requests is asked at most; nothing waits where they are free.
struct RequestBudget {
  /// Requests a second that all brokers of the cluster aim at together under little load. 0: free.
  double requests_per_second = 0;
  /// A create waits no longer than this for the budget, for each live broker.
  Duration commit_gap_max = 0ms;
};

struct Options {
  /// Used when the store is empty, and compared with the store's otherwise. Empty: accept the
  /// store's, or make one.
  std::string cluster_id;
  std::optional<NodeId> node_id;
  std::optional<std::string> zone;
  bool shared_identity = false;
  std::vector<state::BrokerEndpoint> endpoints;
  std::string software_version;
  Duration session_timeout = 9s;

  /// A flush is cut no earlier than `min` after its first batch, and no later than `max`: while
  /// others are under way, or, with a request budget, for want of requests.
  Duration flush_interval_min = 0ms;
  Duration flush_interval_max = 5ms;
  std::size_t segment_bytes = 8u << 20;
  /// Flushes up to this size travel inside the log entry.
  std::size_t inline_bytes = 1u << 20;
  /// Objects of flushes under way at once.
  std::size_t flights_max = 4;
  RequestBudget request_budget;
  /// A create starts no earlier than this after the start of the previous one.
  Duration commit_gap = 0ms;

  /// Pace of looking for other brokers' entries: while fetches are parked or others live, and else.
  Duration poll_busy = 100ms;
  Duration poll_quiet = 1s;
  Duration poll_alone = 5s;
  /// The same for a broker with peers and no clients at work. Absent: poll_quiet.
  std::optional<Duration> poll_idle;
  /// How often the last folded entry is looked at, to notice a store that was rolled back.
  Duration tail_check = 5s;

  /// Offsets of groups without members go after this; how often that is looked at.
  Duration offsets_retention = 168h;
  Duration offsets_retention_check = 10min;

  std::uint64_t snapshot_entries = 1'000;
  std::uint64_t snapshot_log_bytes = 64ull << 20;
  Duration snapshot_interval_min = 1min;

  MaintenanceOptions maintenance;

  std::size_t cache_bytes = 256u << 20;
};

}  // namespace weir::engine
