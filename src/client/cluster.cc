#include "client/cluster.h"

#include "base/narrow.h"
#include "client/kafka_error.h"

namespace weir::client {

Cluster::Cluster(rt::Loop& loop, rt::Network& network, rt::Random& random, ClusterOptions options)
    : loop_(loop),
      network_(network),
      random_(random),
      options_(std::move(options)),
      changed_(loop),
      scope_(loop) {
  ENSURE(!options_.bootstrap.empty());
  bootstrap_failures_.resize(options_.bootstrap.size());
}

bool is_retriable(const Error& error) {
  return error.is(ErrorCode::unavailable) || error.is(ErrorCode::closed) ||
         error.is(ErrorCode::timed_out);
}

bool Cluster::breaks_connection(const Error& error) {
  // After a time-out the broker may be stuck; a new connection finds out.
  return is_retriable(error) || error.is(ErrorCode::corrupt);
}

void Cluster::note_bootstrap_failure(std::size_t at, Error error) {
  std::optional<Error>& noted = bootstrap_failures_[at];
  // An attempt that the caller's deadline cut short says less than what was found before.
  if (noted && error.is(ErrorCode::timed_out)) return;
  noted = std::move(error);
}

/// What each address said, as one error.
Error Cluster::bootstrap_failure() const {
  Error all{ErrorCode::unavailable, ""};
  const Error* first = nullptr;
  for (const std::optional<Error>& failure : bootstrap_failures_) {
    if (!failure) continue;
    // What may pass says more than a name that does not exist.
    if (!first || (!is_retriable(*first) && is_retriable(*failure))) first = &*failure;
    all.message.append(all.message.empty() ? "" : "; ").append(failure->message);
  }
  if (!first) return {ErrorCode::unavailable, "no bootstrap address"};
  all.code = first->code;
  return all;
}

/// Opens to the first bootstrap address that answers, beginning where the last success was. Each
/// gets its share of the time, so that one that is silent hides no other.
rt::Task<Result<std::unique_ptr<Connection>>> Cluster::open_any(MonoTime deadline) {
  const std::size_t count = options_.bootstrap.size();
  for (std::size_t i = 0; i < count && !shut_; ++i) {
    std::size_t at = (next_bootstrap_ + i) % count;
    const Duration left = std::max(deadline - loop_.now(), Duration(0));
    const Duration share = left / narrow<std::int64_t>(count - i);
    MonoTime limit = loop_.now() + std::min<Duration>(share, kConnectTimeout);
    auto connection = co_await Connection::open(loop_, network_, options_.bootstrap[at],
                                                options_.client_id, limit);
    if (connection) {
      next_bootstrap_ = at;
      connected_once_ = true;
      bootstrap_failures_[at].reset();
      co_return connection;
    }
    note_bootstrap_failure(at, connection.error());
  }
  Error last = bootstrap_failure();
  // A cluster that never answered is more likely another address than a passing fault.
  if (!first_failure_) first_failure_ = loop_.now();
  if (!connected_once_ && is_retriable(last) && loop_.now() - *first_failure_ >= kFirstConnectMax)
    last = {ErrorCode::configuration, "no broker answers: " + last.message};
  co_return std::unexpected(last);
}

rt::Task<Result<void>> Cluster::open(Target target, Link& link, MonoTime deadline) {
  link.connecting = true;
  Result<std::unique_ptr<Connection>> connection =
      fail(ErrorCode::unavailable, "broker is not known");
  if (!target) {
    connection = co_await open_any(deadline);
  } else {
    for (const BrokerMetadata& broker : brokers_) {
      if (broker.id != *target) continue;
      MonoTime limit = std::min(deadline, loop_.now() + kConnectTimeout);
      rt::Endpoint at = broker.at;
      connection =
          co_await Connection::open(loop_, network_, std::move(at), options_.client_id, limit);
      break;
    }
  }
  link.connecting = false;
  changed_.notify_all();
  if (!connection) co_return std::unexpected(connection.error());
  link.connection = std::move(*connection);
  if (shut_) link.connection->shut({ErrorCode::cancelled, "stopped"});
  co_return Result<void>();
}

rt::Task<Result<Cluster::Link*>> Cluster::connect(Target target, MonoTime deadline) {
  // Links are never erased, so that the reference stays valid across waits; there are at most as
  // many as brokers were ever named.
  if (links_.size() >= kConnectionsMax && !links_.contains(target))
    co_return fail(ErrorCode::too_large, "the cluster has too many brokers for this client");
  Link& link = links_[target];
  for (;;) {
    if (shut_) co_return fail(ErrorCode::cancelled, "stopped");
    if (link.connection && link.connection->broken())
      retire(std::move(link.connection), {ErrorCode::closed, "the connection broke"});
    if (link.connection) co_return &link;
    if (!link.connecting) {
      Result<void> opened = co_await open(target, link, deadline);
      if (!opened) co_return std::unexpected(opened.error());
    } else if (!co_await changed_.wait_until(deadline)) {
      co_return fail(ErrorCode::timed_out, "could not connect in time");
    }
  }
}

void Cluster::drop(Target target, const Error& reason) {
  auto found = links_.find(target);
  if (found != links_.end() && found->second.connection)
    retire(std::move(found->second.connection), reason);
}

void Cluster::retire(std::unique_ptr<Connection> connection, const Error& reason) {
  connection->shut(reason);
  scope_.spawn(bury(std::move(connection)));
}

rt::Task<void> Cluster::bury(std::unique_ptr<Connection> connection) {
  co_await connection->close();
}

rt::Task<Result<wire::MetadataResponse>> Cluster::ask_metadata(
    std::optional<std::vector<std::string>> names, MonoTime deadline) {
  wire::MetadataRequest request;
  request.allow_auto_topic_creation = false;
  request.topics.reset();
  if (names) {
    request.topics.emplace();
    for (std::string& name : *names) request.topics->emplace_back().name = std::move(name);
  }
  Result<wire::MetadataResponse> answer =
      co_await call(std::nullopt, std::move(request),
                    {.deadline = std::min(deadline, loop_.now() + kRequestTimeout)});
  if (!answer) co_return answer;
  if (answer->error_code != 0) co_return std::unexpected(to_error(answer->error_code));
  learn(*answer);
  co_return answer;
}

void Cluster::learn(const wire::MetadataResponse& answer) {
  brokers_.clear();
  for (const auto& broker : answer.brokers) {
    // A port that is none makes connecting fail, which is an error of the cluster, not of ours.
    auto port = std::in_range<std::uint16_t>(broker.port) ? narrow<std::uint16_t>(broker.port)
                                                          : std::uint16_t{0};
    brokers_.push_back({NodeId(broker.node_id), {broker.host, port}, broker.rack});
  }
  for (const auto& topic : answer.topics) {
    if (!topic.name) continue;
    topics_.erase(*topic.name);
    if (topic.error_code != 0) continue;
    TopicMetadata known{.name = *topic.name, .id = topic.topic_id, .internal = topic.is_internal};
    for (const auto& partition : topic.partitions) {
      PartitionMetadata item{.index = PartitionIndex(partition.partition_index),
                             .leader = NodeId(partition.leader_id),
                             .epoch = LeaderEpoch(partition.leader_epoch)};
      for (std::int32_t node : partition.replica_nodes) item.replicas.emplace_back(node);
      for (std::int32_t node : partition.isr_nodes) item.isr.emplace_back(node);
      known.partitions.push_back(std::move(item));
    }
    std::sort(known.partitions.begin(), known.partitions.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
    topics_[*topic.name] = std::move(known);
  }
}

rt::Task<Result<TopicMetadata>> Cluster::topic(std::string name, MonoTime deadline) {
  for (int attempt = 0;; ++attempt) {
    if (auto found = topics_.find(name); found != topics_.end()) co_return found->second;
    Result<wire::MetadataResponse> answer = co_await ask_metadata(std::vector{name}, deadline);
    Error error{ErrorCode::not_found, "there is no topic " + name};
    bool again = false;
    if (!answer) {
      error = answer.error();
      again = is_retriable(error);
    } else if (!answer->topics.empty() && answer->topics.front().error_code != 0) {
      std::int16_t code = answer->topics.front().error_code;
      // The answer is that of a broker that is up to date; a topic that it lacks does not exist.
      if (!is(code, KafkaCode::unknown_topic_or_partition)) {
        error = to_error(code);
        again = traits_of(code).retriable;
      }
    } else {
      again = topics_.contains(name);
    }
    if (topics_.contains(name)) continue;
    if (!again || !co_await pause(attempt, deadline)) co_return std::unexpected(error);
  }
}

rt::Task<Result<std::vector<TopicMetadata>>> Cluster::topics(MonoTime deadline) {
  for (int attempt = 0;; ++attempt) {
    Result<wire::MetadataResponse> answer = co_await ask_metadata(std::nullopt, deadline);
    if (answer) {
      std::vector<TopicMetadata> all;
      for (const auto& topic : answer->topics)
        if (topic.name && topics_.contains(*topic.name)) all.push_back(topics_[*topic.name]);
      co_return all;
    }
    if (!is_retriable(answer.error()) || !co_await pause(attempt, deadline))
      co_return std::unexpected(answer.error());
  }
}

rt::Task<bool> Cluster::pause(int attempt, MonoTime deadline) {
  Duration longest = kRetryPauseMin * (1 << std::min(attempt, 10));
  if (longest > kRetryPauseMax) longest = kRetryPauseMax;
  // Between half and all of it, so that clients that failed together do not return together.
  Duration half = longest / 2;
  Duration chosen =
      half + Duration(narrow<std::int64_t>(random_.below(narrow<std::uint64_t>(half.count()) + 1)));
  MonoTime until = loop_.now() + chosen;
  if (until >= deadline) co_return false;
  while (!shut_ && loop_.now() < until) (void)co_await changed_.wait_until(until);
  co_return !shut_;
}

rt::Task<Result<void>> Cluster::refresh_brokers(MonoTime deadline) {
  for (int attempt = 0;; ++attempt) {
    auto answer = co_await ask_metadata(std::vector<std::string>(), deadline);
    if (answer) co_return Result<void>();
    if (!is_retriable(answer.error()) || !co_await pause(attempt, deadline))
      co_return std::unexpected(answer.error());
  }
}

void Cluster::shut() {
  shut_ = true;
  for (auto& [target, link] : links_)
    if (link.connection) link.connection->shut({ErrorCode::cancelled, "stopped"});
  changed_.notify_all();
}

rt::Task<void> Cluster::close() {
  shut();
  for (auto& [target, link] : links_)
    if (link.connection) retire(std::move(link.connection), {ErrorCode::cancelled, "stopped"});
  co_await scope_.join();
}

}  // namespace weir::client
