// What the rest of the broker may know of the cluster state: topics, partitions and brokers as
// plain values.
//
// `Catalog` is the read side. The cluster state implements it; tests of the broker have a small
// one of their own. All calls are made on the engine's loop, and references are valid until control
// returns to that loop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace weir::state {

/// Explicitly set configuration of one resource, sorted by key. Defaults are applied by the reader.
using ConfigMap = std::vector<std::pair<std::string, std::string>>;
const std::string* find_config(const ConfigMap& configs, std::string_view key);

struct PartitionRef {
  TopicId topic;
  PartitionIndex partition;

  friend auto operator<=>(const PartitionRef&, const PartitionRef&) = default;
};

struct TopicInfo {
  TopicId id;
  std::string name;
  std::int32_t partitions = 0;
  std::int16_t replication_factor = 1;
  ConfigMap configs;
  /// Counts the changes of `configs`; guards read-modify-write changes.
  std::int32_t config_version = 0;
};

struct PartitionInfo {
  Offset start;
  /// Next offset to be assigned; also the high watermark, for whatever is folded is committed.
  Offset end;
  /// First offset not yet readable with read_committed.
  Offset last_stable;
  /// Bytes that readers can still reach.
  std::uint64_t bytes = 0;
  /// Greatest timestamp of a record in the partition; -1 when it never had one.
  std::int64_t max_timestamp_ms = -1;
  /// Everything below is clean of older values of a key; -1 if it was never compacted.
  Offset compacted_to{-1};
};

struct BrokerEndpoint {
  std::string listener;
  std::string protocol;
  std::string host;
  std::uint16_t port = 0;
};

struct BrokerInfo {
  Incarnation incarnation;
  NodeId node_id;
  std::optional<std::string> zone;
  bool shared_identity = false;
  std::vector<BrokerEndpoint> endpoints;
  std::string software_version;
  /// Position of the last sign of life: registration or voucher.
  Position last_sign;
  std::int32_t session_timeout_ms = 0;
};

/// What a partition remembers of one idempotent producer.
struct ProducerInfo {
  ProducerId id;
  ProducerEpoch epoch;
  std::int32_t last_sequence = -1;
  /// Behind its last record.
  Offset end;
  /// Greatest timestamp of the stored span that holds its last record; -1 if that is gone.
  std::int64_t last_timestamp_ms = -1;
};

/// Things that exist by their configs alone, by Kafka's numbers.
enum class ResourceType : std::int8_t { none = 0, client_metrics = 16, group = 32 };

class Catalog {
 public:
  virtual ~Catalog() = default;
  virtual const std::string& cluster_id() const = 0;
  virtual const TopicInfo* topic(std::string_view name) const = 0;
  virtual const TopicInfo* topic(TopicId id) const = 0;
  virtual std::optional<PartitionInfo> partition(PartitionRef at) const = 0;
  /// By id; nothing for an unknown partition.
  virtual std::vector<ProducerInfo> producers(PartitionRef at) const = 0;
  virtual std::size_t topic_count() const = 0;
  /// In name order, from the first name >= `from`, until `visit` returns false.
  virtual void visit_topics(std::string_view from,
                            const std::function<bool(const TopicInfo&)>& visit) const = 0;
  /// Live brokers, by node id.
  virtual const std::vector<BrokerInfo>& brokers() const = 0;
  /// Counts the changes of the set of live brokers; the leader epoch in every answer.
  virtual LeaderEpoch placement_epoch() const = 0;
  /// Broker configs: `node` = -1 for the cluster-wide defaults.
  virtual const ConfigMap& broker_configs(NodeId node) const = 0;
  virtual std::int32_t broker_config_version(NodeId node) const = 0;
  /// Configs of a client metrics subscription or of a group; empty where none are set.
  virtual const ConfigMap& resource_configs(ResourceType type, std::string_view name) const = 0;
  /// 0 for a resource without configs; a version never comes back.
  virtual std::int32_t resource_config_version(ResourceType type, std::string_view name) const = 0;
  /// Rises with every change of any resource; tells whether something parsed is still current.
  virtual std::int32_t resources_version() const = 0;
  /// The resources of a type that have configs, in name order.
  virtual void visit_resources(
      ResourceType type,
      const std::function<void(const std::string& name, const ConfigMap& configs)>& visit)
      const = 0;
};

/// The live broker that leads `at` for a client of `zone`: by rendezvous hash, within the zone
/// where it has live brokers, else over all. Every broker answers alike. Requires at least one
/// broker.
const BrokerInfo& leader_of(const std::vector<BrokerInfo>& brokers, PartitionRef at,
                            const std::optional<std::string>& zone);

}  // namespace weir::state
