// Links: the connections of a run, each with its share of the partitions.
//
// Partitions go to connections of their leader, one after another; a cluster with several leaders
// gets its connections in equal parts, one at least. When `open` has succeeded every partition is
// served: brokers name leaders before those are ready.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/cluster.h"

namespace weir::perf {

struct Share {
  std::unique_ptr<client::Connection> connection;
  std::vector<PartitionIndex> partitions;
};

class Links {
 public:
  /// Both outlive it. The cluster says where partitions are led.
  Links(client::Cluster& cluster, rt::Network& network) : cluster_(cluster), network_(network) {}

  struct Wanted {
    std::string topic;
    std::size_t connections = 1;
  };
  /// Errors: not_found, and those of connecting; what was opened is closed by `close` either way.
  rt::Task<Result<void>> open(Wanted wanted, MonoTime deadline);
  /// Before it dies, when nothing uses the connections any more.
  rt::Task<void> close();

  std::vector<Share>& shares() { return shares_; }
  client::Cluster& cluster() { return cluster_; }

 private:
  rt::Task<Result<void>> open_leader(NodeId leader, std::vector<PartitionIndex> partitions,
                                     std::size_t connections, MonoTime deadline);
  rt::Task<Result<void>> await_service(Share& share, std::string topic, MonoTime deadline);

  client::Cluster& cluster_;
  rt::Network& network_;
  std::vector<Share> shares_;
};

/// Makes the topic, unless it is there.
struct WantedTopic {
  std::string name;
  std::int32_t partitions = 1;
};
rt::Task<Result<void>> ensure_topic(client::Cluster& cluster, WantedTopic topic, MonoTime deadline);

/// Times of ListOffsets with a meaning of their own.
inline constexpr std::int64_t kEarliest = -2;
inline constexpr std::int64_t kLatest = -1;

struct OffsetsQuery {
  std::string topic;
  std::int64_t time = kEarliest;
  MonoTime deadline;
};
/// For each partition of the share, in their order. Errors: unavailable for what may pass.
rt::Task<Result<std::vector<Offset>>> list_offsets(Share& share, OffsetsQuery query);

}  // namespace weir::perf
