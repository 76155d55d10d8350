// The engine: everything behind the Kafka protocol. `broker` talks to this interface alone;
// ClusterEngine implements it, and tests of the broker have a small one of their own.
//
// Every call is made on `loop()` and its task resumes there. Kafka's request types and error codes
// do not appear here. No refusal is said from a stale state: where a function can refuse because
// something is unknown or out of range, it has run a barrier first. A call that cannot finish
// before its deadline answers `timed_out`; what it asked for may still happen (as in Kafka).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "record/batch_info.h"
#include "rt/loop.h"
#include "rt/task.h"
#include "state/catalog.h"
#include "state/refusal.h"

namespace weir::engine {

using state::PartitionRef;
using state::Refusal;

/// What became of one item of a request. Exactly one of three: done, refused by the state, or
/// failed on the way
/// (`failure`: timed_out, unavailable, out_of_space, corrupt, cancelled).
struct Outcome {
  Refusal refusal = Refusal::none;
  std::optional<Error> failure;

  bool ok() const { return refusal == Refusal::none && !failure; }
};

struct ProduceItem {
  PartitionRef at;
  /// Exactly one validated batch; shared with the network buffer.
  SharedBytes batch;
  record::BatchInfo info;
};

struct ProduceOutcome : Outcome {
  /// Of the first record; -1 where it is not known (duplicate_forgotten) or nothing was appended.
  Offset base_offset{-1};
  Offset log_start{-1};
  /// Set by the engine once the fate of the batch is known.
  bool settled = false;
};

enum class Isolation : std::uint8_t { read_uncommitted, read_committed };

struct FetchItem {
  PartitionRef at;
  Offset offset;
  std::uint32_t bytes_max = 0;
};

struct FetchOptions {
  std::uint32_t bytes_min = 1;
  std::uint32_t bytes_max = 0;
  Isolation isolation = Isolation::read_uncommitted;
  /// The answer is due then even if it is empty.
  MonoTime deadline;
};

struct AbortedTransaction {
  ProducerId producer;
  Offset first_offset;
};

struct FetchedPartition : Outcome {
  state::PartitionInfo info;
  /// Whole batches with final offsets, the first of which holds the asked offset.
  BytesChain records;
  std::vector<AbortedTransaction> aborted;
};

struct NewTopic {
  std::string name;
  std::int32_t partitions = 1;
  std::int16_t replication_factor = 1;
  state::ConfigMap configs;
};

struct CreateTopicOutcome : Outcome {
  TopicId id;
};

struct GrowTopic {
  TopicId id;
  std::int32_t partitions = 0;
};

/// By Kafka's numbers.
enum class ConfigResource : std::uint8_t { topic = 2, broker = 4, client_metrics = 16, group = 32 };

/// Sets (value) or deletes (no value) keys of one resource, if its config version is still
/// `guard_version`
/// (-1: whatever it is). Topics, subscriptions and groups by name; brokers by decimal node id, ""
/// for all.
struct AlterConfig {
  ConfigResource resource = ConfigResource::topic;
  std::string name;
  std::int32_t guard_version = -1;
  std::vector<std::pair<std::string, std::optional<std::string>>> changes;
};

/// Special values of `TimestampQuery::timestamp_ms`.
inline constexpr std::int64_t kQueryMaxTimestamp = -3;

struct TimestampQuery {
  PartitionRef at;
  /// First record with a timestamp at or after this; or kQueryMaxTimestamp.
  std::int64_t timestamp_ms = 0;
};

struct TimestampAnswer : Outcome {
  /// -1 and -1 when no record matches.
  Offset offset{-1};
  std::int64_t timestamp_ms = -1;
};

struct DeleteRecordsItem {
  PartitionRef at;
  /// New start; -1 = the high watermark.
  Offset before;
};

struct DeleteRecordsOutcome : Outcome {
  Offset log_start{-1};
};

/// How one kind of maintenance fares at this broker.
struct MaintenanceStatus {
  std::string job;
  std::uint64_t rounds = 0;
  std::uint64_t failures = 0;
  std::string last_error;
};

/// For admin: where the broker stands.
struct Status {
  Position folded;
  FeatureLevel feature_level;
  Incarnation incarnation;
  std::optional<NodeId> node_id;
  /// False until registered and caught up, while draining, while the engine is halted, and while
  /// the store takes nothing.
  bool ready = false;
  /// Why nothing could be committed lately, if so; passes by itself.
  std::string commit_trouble;
  /// Why the engine stopped serving writes, if it did.
  std::string halted;
  std::size_t parked_fetches = 0;
  std::size_t parked_group_calls = 0;
  std::size_t pending_commands = 0;
  std::size_t barriers_waiting = 0;
  std::uint64_t state_digest_low = 0;
  std::uint64_t state_digest_high = 0;
  Position horizon;
  std::size_t segments = 0;
  std::size_t segments_awaiting_deletion = 0;
  /// Why the log is not truncated, if brokers disagree about a snapshot.
  bool snapshots_disputed = false;
  std::vector<MaintenanceStatus> maintenance;
};

class ConsumerGroupApi;
class ConsumerGroupApi;
class GroupApi;

class Engine {
 public:
  virtual ~Engine() = default;

  virtual rt::Loop& loop() = 0;
  virtual const state::Catalog& catalog() const = 0;
  virtual Status status() const = 0;
  /// Node id of this broker.
  virtual NodeId node_id() const = 0;

  /// Proof of having folded everything that was committed before this call. Errors: timed_out,
  /// unavailable.
  virtual rt::Task<Result<void>> barrier(MonoTime deadline) = 0;

  /// Appends all items in one commit where they fit. The order of calls is the order of appending:
  /// an item is queued before the task first suspends. One outcome per item.
  virtual rt::Task<std::vector<ProduceOutcome>> produce(std::vector<ProduceItem> items,
                                                        MonoTime deadline) = 0;

  /// Parks until `bytes_min` can be answered, an item has an error, or the deadline. One outcome
  /// per item, in order. `cancelled`, if given, is asked to outlive the task; setting it and
  /// calling `wake_parked` ends the wait.
  virtual rt::Task<std::vector<FetchedPartition>> fetch(std::vector<FetchItem> items,
                                                        FetchOptions options,
                                                        const bool* cancelled) = 0;
  /// Lets every parked fetch look at its `cancelled` flag.
  virtual void wake_parked() = 0;

  virtual rt::Task<std::vector<TimestampAnswer>> find_timestamps(
      std::vector<TimestampQuery> queries, MonoTime deadline) = 0;

  virtual rt::Task<std::vector<CreateTopicOutcome>> create_topics(std::vector<NewTopic> topics,
                                                                  MonoTime deadline) = 0;
  virtual rt::Task<std::vector<Outcome>> delete_topics(std::vector<TopicId> topics,
                                                       MonoTime deadline) = 0;
  virtual rt::Task<std::vector<Outcome>> create_partitions(std::vector<GrowTopic> topics,
                                                           MonoTime deadline) = 0;
  virtual rt::Task<std::vector<Outcome>> alter_configs(std::vector<AlterConfig> changes,
                                                       MonoTime deadline) = 0;
  virtual rt::Task<std::vector<DeleteRecordsOutcome>> delete_records(
      std::vector<DeleteRecordsItem> items, MonoTime deadline) = 0;
  /// Raises the cluster's feature level; refused while a broker does not support it.
  virtual rt::Task<Outcome> raise_feature_level(FeatureLevel level, MonoTime deadline) = 0;
  /// Forgets the incarnations that hold a node id, unless one gives a sign of life first. Refusals:
  /// not_found, guard_mismatch.
  virtual rt::Task<Outcome> expire_broker(NodeId node, MonoTime deadline) = 0;
  /// A producer id that nobody else was or will be given.
  virtual rt::Task<Result<ProducerId>> new_producer_id(MonoTime deadline) = 0;

  /// groups_api.h
  virtual GroupApi& groups() = 0;
  /// consumer_groups_api.h
  virtual ConsumerGroupApi& consumer_groups() = 0;
};

}  // namespace weir::engine
