// Cluster: the brokers behind a bootstrap list, as one thing to talk to.
//
// Keeps a connection per broker and what Metadata said of topics; both are dropped when they turn
// out wrong and fetched anew when needed. A call names a target, not a connection. Callers that
// wish to try again use `pause` between attempts, which grows, has jitter, and ends early when the
// cluster is shut. A cluster of which no address has ever answered is given up after
// kFirstConnectMax, and a host that does not exist at once: error configuration.
//
// Lives on one loop. `close` must have ended before it dies.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "client/connection.h"
#include "rt/random.h"

namespace weir::client {

struct ClusterOptions {
  std::vector<rt::Endpoint> bootstrap;
  std::string client_id = "weir";
};

struct PartitionMetadata {
  PartitionIndex index;
  /// -1 when the cluster has none at the moment.
  NodeId leader{-1};
  LeaderEpoch epoch{-1};
  std::vector<NodeId> replicas;
  std::vector<NodeId> isr;
};

struct TopicMetadata {
  std::string name;
  TopicId id;
  bool internal = false;
  /// By index.
  std::vector<PartitionMetadata> partitions;
};

struct BrokerMetadata {
  NodeId id;
  rt::Endpoint at;
  std::optional<std::string> rack;
};

/// A node, or nothing for any broker.
using Target = std::optional<NodeId>;

class Cluster {
 public:
  Cluster(rt::Loop& loop, rt::Network& network, rt::Random& random, ClusterOptions options);

  rt::Loop& loop() { return loop_; }

  /// One attempt. Errors: as Connection::call; those of a broken connection mean that the request
  /// may have been executed.
  template <class Request>
  rt::Task<Result<ResponseOf<Request>>> call(Target target, Request request, CallOptions options) {
    Result<Link*> link = co_await connect(target, options.deadline);
    if (!link) co_return std::unexpected(link.error());
    // The connection outlives the call, for closing it waits for its calls.
    Result<ResponseOf<Request>> answer =
        co_await (*link)->connection->call(std::move(request), options);
    if (!answer && breaks_connection(answer.error())) drop(target, answer.error());
    co_return answer;
  }

  /// From the cache if it is there. Errors: not_found (no such topic), and those of a call; retries
  /// what may pass until the deadline.
  rt::Task<Result<TopicMetadata>> topic(std::string name, MonoTime deadline);
  /// Only from the cache; null if it is not there. Valid until the next wait.
  const TopicMetadata* find(const std::string& name) const {
    auto found = topics_.find(name);
    return found == topics_.end() ? nullptr : &found->second;
  }
  /// Asks anew, for all topics.
  rt::Task<Result<std::vector<TopicMetadata>>> topics(MonoTime deadline);
  /// Learns the addresses of all brokers, and no topics. Retries what may pass.
  rt::Task<Result<void>> refresh_brokers(MonoTime deadline);
  /// The next `topic` asks again.
  void forget(const std::string& topic) { topics_.erase(topic); }
  /// Of the last answer to Metadata.
  const std::vector<BrokerMetadata>& brokers() const { return brokers_; }

  /// Waits before attempt number `attempt` + 1; false when the deadline would pass or the cluster
  /// was shut.
  rt::Task<bool> pause(int attempt, MonoTime deadline);

  /// Breaks everything: calls fail with `cancelled` or `closed`, pauses end. For Ctrl-C.
  void shut();
  bool is_shut() const { return shut_; }
  /// Whether any broker ever has; if not, the addresses are the first suspects.
  bool has_answered() const { return connected_once_; }
  rt::Task<void> close();

 private:
  struct Link {
    std::unique_ptr<Connection> connection;
    bool connecting = false;
  };

  rt::Task<Result<Link*>> connect(Target target, MonoTime deadline);
  rt::Task<Result<std::unique_ptr<Connection>>> open_any(MonoTime deadline);
  void note_bootstrap_failure(std::size_t at, Error error);
  Error bootstrap_failure() const;
  rt::Task<Result<void>> open(Target target, Link& link, MonoTime deadline);
  rt::Task<Result<wire::MetadataResponse>> ask_metadata(
      std::optional<std::vector<std::string>> names, MonoTime deadline);
  void learn(const wire::MetadataResponse& answer);
  void drop(Target target, const Error& reason);
  void retire(std::unique_ptr<Connection> connection, const Error& reason);
  static rt::Task<void> bury(std::unique_ptr<Connection> connection);
  static bool breaks_connection(const Error& error);

  rt::Loop& loop_;
  rt::Network& network_;
  rt::Random& random_;
  ClusterOptions options_;
  std::map<Target, Link> links_;
  std::map<std::string, TopicMetadata> topics_;
  std::vector<BrokerMetadata> brokers_;
  std::size_t next_bootstrap_ = 0;
  /// By address: why it could not be used last; nothing where it was not tried since it could.
  std::vector<std::optional<Error>> bootstrap_failures_;
  bool connected_once_ = false;
  std::optional<MonoTime> first_failure_;
  bool shut_ = false;
  rt::Event changed_;
  rt::Scope scope_;
};

/// Whether trying again may help: passing faults, and not what the caller did wrong.
bool is_retriable(const Error& error);

}  // namespace weir::client
