// How long each API may take, and what its client is told when that time is over (docs/design.md,
// 15: "one table").
//
// A request names its own time-out where its API has one. It is taken within bounds: not less than
// `at_least`, because clients that say 0 mean "soon", and not more than `at_most`, because nothing
// may wait for ever. The code on expiry is error_map's for `timed_out` in the API's class.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "broker/error_map.h"

namespace weir::broker {

struct ApiDeadline {
  std::int16_t key;
  ApiClass api;
  Duration at_least;
  Duration at_most;
};

inline constexpr ApiDeadline kDeadlines[] = {
    {0, ApiClass::produce, 100ms, 300s},        // Produce: timeout.ms
    {1, ApiClass::fetch, 0ms, 300s},            // Fetch: max.wait.ms
    {2, ApiClass::fetch, 1s, 30s},              // ListOffsets: timeout.ms from version 10
    {3, ApiClass::metadata, 5s, 10s},           // Metadata: barrier and auto-creation
    {8, ApiClass::coordinator, 15s, 15s},       // OffsetCommit
    {9, ApiClass::coordinator, 15s, 15s},       // OffsetFetch
    {10, ApiClass::coordinator, 5s, 10s},       // FindCoordinator
    {11, ApiClass::coordinator, 15s, 1h},       // JoinGroup: its session and rebalance time-outs
    {12, ApiClass::coordinator, 10s, 10s},      // Heartbeat
    {13, ApiClass::coordinator, 15s, 15s},      // LeaveGroup
    {14, ApiClass::coordinator, 10min, 10min},  // SyncGroup: ends with the group's phase
    {15, ApiClass::coordinator, 15s, 15s},      // DescribeGroups
    {16, ApiClass::coordinator, 15s, 15s},      // ListGroups
    {19, ApiClass::admin, 1s, 120s},            // CreateTopics: timeout.ms
    {20, ApiClass::admin, 1s, 120s},            // DeleteTopics: timeout.ms
    {21, ApiClass::admin, 1s, 120s},            // DeleteRecords: timeout.ms
    {22, ApiClass::coordinator, 20s, 20s},      // InitProducerId
    {23, ApiClass::fetch, 10s, 10s},            // OffsetForLeaderEpoch
    {32, ApiClass::admin, 20s, 20s},            // DescribeConfigs
    {33, ApiClass::admin, 20s, 20s},            // AlterConfigs
    {34, ApiClass::admin, 10s, 10s},            // AlterReplicaLogDirs
    {35, ApiClass::admin, 20s, 20s},            // DescribeLogDirs
    {37, ApiClass::admin, 1s, 120s},            // CreatePartitions: timeout.ms
    {43, ApiClass::admin, 1s, 60s},             // ElectLeaders: timeout.ms
    {42, ApiClass::coordinator, 15s, 15s},      // DeleteGroups
    {44, ApiClass::admin, 20s, 20s},            // IncrementalAlterConfigs
    {45, ApiClass::admin, 1s, 60s},             // AlterPartitionReassignments: timeout.ms
    {47, ApiClass::coordinator, 15s, 15s},      // OffsetDelete
    {55, ApiClass::admin, 10s, 10s},            // DescribeQuorum
    {57, ApiClass::admin, 1s, 60s},             // UpdateFeatures: timeout.ms
    {60, ApiClass::admin, 10s, 10s},            // DescribeCluster
    {61, ApiClass::fetch, 15s, 15s},            // DescribeProducers
    {64, ApiClass::admin, 20s, 20s},            // UnregisterBroker
    {68, ApiClass::coordinator, 20s, 20s},      // ConsumerGroupHeartbeat
    {69, ApiClass::coordinator, 15s, 15s},      // ConsumerGroupDescribe
    {71, ApiClass::admin, 10s, 10s},            // GetTelemetrySubscriptions
    {72, ApiClass::admin, 10s, 10s},            // PushTelemetry
    {74, ApiClass::admin, 10s, 10s},            // ListConfigResources
    {75, ApiClass::metadata, 10s, 10s},         // DescribeTopicPartitions
};

/// For a key that is not in the table: as an admin API without a time-out of its own.
constexpr ApiDeadline deadline_row(std::int16_t key) {
  for (const ApiDeadline& row : kDeadlines)
    if (row.key == key) return row;
  return {key, ApiClass::admin, 20s, 20s};
}

/// When a request that arrived at `arrived` is over. `asked_ms` is the request's own time-out; -1
/// where its API has none.
constexpr MonoTime deadline_of(std::int16_t key, MonoTime arrived, std::int64_t asked_ms = -1) {
  const ApiDeadline row = deadline_row(key);
  if (asked_ms < 0) return arrived + row.at_most;
  const std::int64_t most_ms = row.at_most / 1ms;
  return arrived + std::max<Duration>(row.at_least, std::min(asked_ms, most_ms) * 1ms);
}

}  // namespace weir::broker
