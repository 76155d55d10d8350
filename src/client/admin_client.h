// AdminClient: topics and configurations, with retries of what may pass.
//
// A creation or deletion that is retried after a lost answer may find its own work done; the
// outcome is then `already_exists` or `not_found`, as with every Kafka client.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cluster.h"

namespace weir::client {

struct NewTopic {
  std::string name;
  /// -1 = the broker's default.
  std::int32_t partitions = -1;
  std::int16_t replication_factor = -1;
  std::vector<std::pair<std::string, std::string>> configs;
};

/// What became of one named thing; no error = done.
struct ItemOutcome {
  std::string name;
  std::optional<Error> error;
};

struct ConfigEntry {
  std::string name;
  /// Nothing for a value that is secret.
  std::optional<std::string> value;
  /// "topic", "broker", "default", …
  std::string source;
  bool is_default = false;
  bool read_only = false;
  bool sensitive = false;
  std::string documentation;
};

struct ConfigTarget {
  enum class Kind : std::int8_t { topic = 2, broker = 4, client_metrics = 16, group = 32 };
  Kind kind = Kind::topic;
  /// A topic, a subscription, a group, a decimal node id, or "" for the defaults of all brokers.
  std::string name;
};

struct ClusterDescription {
  std::string cluster_id;
  NodeId controller{-1};
  std::vector<BrokerMetadata> brokers;
};

/// No value deletes the setting.
using ConfigChange = std::pair<std::string, std::optional<std::string>>;

class AdminClient {
 public:
  explicit AdminClient(Cluster& cluster) : cluster_(cluster) {}

  rt::Task<Result<std::vector<ItemOutcome>>> create_topics(std::vector<NewTopic> topics,
                                                           MonoTime deadline);
  rt::Task<Result<std::vector<ItemOutcome>>> delete_topics(std::vector<std::string> names,
                                                           MonoTime deadline);
  /// Makes `name` have `partitions` partitions; only upwards.
  rt::Task<Result<void>> grow_topic(std::string name, std::int32_t partitions, MonoTime deadline);
  rt::Task<Result<std::vector<ConfigEntry>>> describe_configs(ConfigTarget target,
                                                              MonoTime deadline);
  /// Live brokers with their zones. Errors: those of a call.
  rt::Task<Result<ClusterDescription>> describe_cluster(MonoTime deadline);
  rt::Task<Result<void>> alter_configs(ConfigTarget target, std::vector<ConfigChange> changes,
                                       MonoTime deadline);

 private:
  template <class Request>
  rt::Task<Result<ResponseOf<Request>>> call(Request request, MonoTime deadline,
                                             std::int16_t version_max = INT16_MAX);

  Cluster& cluster_;
};

}  // namespace weir::client
