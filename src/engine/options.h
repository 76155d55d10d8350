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

  /// A flush is cut no earlier than `min` after its first batch, and no later than `max` while
  /// others are under way.
  Duration flush_interval_min = 0ms;
  Duration flush_interval_max = 5ms;
  std::size_t segment_bytes = 8u << 20;
  /// Flushes up to this size travel inside the log entry.
  std::size_t inline_bytes = 1u << 20;
  /// A create starts no earlier than this after the start of the previous one.
  Duration commit_gap = 0ms;

  /// Pace of looking for other brokers' entries: while fetches are parked or others live, and else.
  Duration poll_busy = 100ms;
  Duration poll_quiet = 1s;
  Duration poll_alone = 5s;

  /// Offsets of groups without members go after this; how often that is looked at.
  Duration offsets_retention = 168h;
  Duration offsets_retention_check = 10min;

  std::uint64_t snapshot_entries = 1'000;
  std::uint64_t snapshot_log_bytes = 64ull << 20;
  Duration snapshot_interval_min = 1min;

  std::size_t cache_bytes = 256u << 20;
};

}  // namespace weir::engine
