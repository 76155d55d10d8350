// ClusterEngine: the engine over a commit log and an object store. Wires the parts of this
// directory and implements `Engine`; what each part does is in its own file.
//
// Start: load the newest snapshot, replay the log, create the genesis entry if the log is empty,
// register. Stop: end windows, write what is pending within the drain bound, leave the cluster,
// join every task.
#pragma once

#include <memory>

#include "base/decision_ring.h"
#include "base/log.h"
#include "base/metrics.h"
#include "commitlog/commit_log.h"
#include "engine/api.h"
#include "engine/batcher.h"
#include "engine/cache.h"
#include "engine/consumer_groups.h"
#include "engine/fetcher.h"
#include "engine/follower.h"
#include "engine/groups.h"
#include "engine/maintenance/maintenance.h"
#include "engine/membership.h"
#include "engine/options.h"
#include "engine/proposer.h"
#include "engine/reader.h"
#include "engine/sequences.h"
#include "engine/snapshotter.h"
#include "objstore/object_store.h"
#include "rt/random.h"

namespace weir::engine {

class ClusterEngine final : public Engine, private FoldListener {
 public:
  struct Parts {
    rt::Loop& loop;
    rt::Random& random;
    objstore::ObjectStore& store;
    commitlog::CommitLog& log;
    /// Pool of the cache; what a committed batch occupies is counted there.
    MemoryPool& cache_pool;
    /// May be null.
    DeathWitness* witness;
    Logger& logger;
    Metrics& metrics;
    /// Values of topic configs for maintenance; null: what is set on the topics, and defaults.
    const TopicConfigs* topic_configs = nullptr;
    /// The same store and log for what must not hold up producers and tail readers: readers of old
    /// data, and maintenance. Null: `store` and `log`.
    objstore::ObjectStore* cold_store = nullptr;
    objstore::ObjectStore* maintenance_store = nullptr;
    commitlog::CommitLog* maintenance_log = nullptr;
    /// For compression of what is stored, and the long work of maintenance. Null: on the loop.
    rt::Workers* workers = nullptr;
    /// Hears of the death of other brokers where `witness` cannot. May be null.
    PeerWatch* peers = nullptr;
  };
  ClusterEngine(Parts parts, Options options);
  ~ClusterEngine() override;

  /// Brings the broker to the point where it may serve. Errors say what to do.
  rt::Task<Result<void>> start(MonoTime deadline);
  /// Requests are still served, but connections end.
  void will_stop() { membership_.will_leave(); }
  /// Writes out and leaves, at the latest at `deadline`.
  rt::Task<void> stop(MonoTime deadline);
  /// Ends when the engine has halted (Status::halted says why) or begins to stop.
  rt::Task<void> halted();
  /// Whether this start made the cluster: the store held none.
  bool founded() const { return founded_; }

  rt::Loop& loop() override { return parts_.loop; }
  const state::Catalog& catalog() const override { return follower_.state(); }
  Status status() const override;
  NodeId node_id() const override;
  rt::Task<Result<void>> barrier(MonoTime deadline) override;
  rt::Task<std::vector<ProduceOutcome>> produce(std::vector<ProduceItem> items,
                                                MonoTime deadline) override;
  rt::Task<std::vector<FetchedPartition>> fetch(std::vector<FetchItem> items, FetchOptions options,
                                                const bool* cancelled) override;
  void wake_parked() override {
    fetcher_.wake_all();
    groups_.wake_all();
  }
  rt::Task<std::vector<TimestampAnswer>> find_timestamps(std::vector<TimestampQuery> queries,
                                                         MonoTime deadline) override;
  rt::Task<std::vector<CreateTopicOutcome>> create_topics(std::vector<NewTopic> topics,
                                                          MonoTime deadline) override;
  rt::Task<std::vector<Outcome>> delete_topics(std::vector<TopicId> topics,
                                               MonoTime deadline) override;
  rt::Task<std::vector<Outcome>> create_partitions(std::vector<GrowTopic> topics,
                                                   MonoTime deadline) override;
  rt::Task<std::vector<Outcome>> alter_configs(std::vector<AlterConfig> changes,
                                               MonoTime deadline) override;
  rt::Task<std::vector<DeleteRecordsOutcome>> delete_records(std::vector<DeleteRecordsItem> items,
                                                             MonoTime deadline) override;
  rt::Task<Outcome> raise_feature_level(FeatureLevel level, MonoTime deadline) override;
  rt::Task<Outcome> expire_broker(NodeId node, MonoTime deadline) override;
  rt::Task<Result<ProducerId>> new_producer_id(MonoTime deadline) override;
  GroupApi& groups() override { return groups_; }
  ConsumerGroupApi& consumer_groups() override { return consumer_groups_; }

  /// What this engine decided last.
  const DecisionRing& decisions() const { return decisions_; }
  /// For tests and tools.
  Follower& follower() { return follower_; }
  Snapshotter& snapshotter() { return snapshotter_; }
  Maintenance& maintenance() { return maintenance_; }

 private:
  void on_folded(const state::EntryView& entry, const state::Folded& folded) override;
  rt::Task<Result<void>> catch_up(MonoTime deadline);
  rt::Task<Result<void>> reload();
  rt::Task<Result<void>> ensure_genesis(MonoTime deadline);
  rt::Task<Result<void>> refuse_orphaned_data();
  objstore::ObjectStore& maintenance_store() {
    return parts_.maintenance_store ? *parts_.maintenance_store : parts_.store;
  }
  const TopicConfigs& topic_configs() const {
    return parts_.topic_configs ? *parts_.topic_configs : own_configs_;
  }
  bool busy() const;
  bool clients_at_work() const;
  bool answer_known_duplicate(const QueuedBatch& batch) const;
  rt::Task<void> poll();
  Duration poll_pace() const;
  void adapt_poll(bool found);

  OwnTopicConfigs own_configs_;
  Parts parts_;
  Options options_;
  DecisionRing decisions_{"state"};
  Follower follower_;
  RequestPacer pacer_;
  Proposer proposer_;
  Membership membership_;
  Cache cache_;
  Reader reader_;
  Batcher batcher_;
  Sequences sequences_;
  Fetcher fetcher_;
  Snapshotter snapshotter_;
  Maintenance maintenance_;
  Groups groups_;
  ConsumerGroups consumer_groups_;

  ProducerId producer_ids_next_{0};
  ProducerId producer_ids_end_{0};
  bool taking_producer_ids_ = false;
  rt::Event producer_ids_taken_;
  /// When a client last wanted something that others' entries may matter for.
  MonoTime asked_at_{};
  Duration poll_step_{};
  bool serving_ = false;
  bool founded_ = false;
  bool stopping_ = false;
  MonoTime stop_deadline_{};
  rt::Event stop_;
  /// Joined first when stopping: what is buffered is committed before this broker leaves the
  /// cluster.
  rt::Scope batcher_scope_;
  rt::Scope scope_;
};

}  // namespace weir::engine
