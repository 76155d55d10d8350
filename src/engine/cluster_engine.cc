#include "engine/cluster_engine.h"

#include <algorithm>

#include "base/narrow.h"
#include "engine/limits.h"
#include "engine/timestamps.h"
#include "state/commands/genesis.h"

namespace weir::engine {

namespace {
/// How long a produce call waits before it looks whether the broker ends.
constexpr Duration kProduceWaitSlice = 250ms;
}  // namespace

ClusterEngine::ClusterEngine(Parts parts, Options options)
    : parts_(parts),
      options_(std::move(options)),
      follower_(parts.loop, parts.log, parts.logger, decisions_, options_.maintenance.log_grace),
      pacer_(parts.loop, options_.request_budget),
      proposer_({parts.loop, parts.random, parts.log, follower_, pacer_, parts.logger,
                 parts.metrics, decisions_},
                Incarnation{}, options_.commit_gap),
      membership_({parts.loop, parts.random, follower_, proposer_, parts.witness, parts.peers,
                   parts.logger, decisions_},
                  options_),
      cache_(parts.cache_pool, parts.metrics),
      reader_({parts.loop, parts.store, parts.cold_store ? *parts.cold_store : parts.store,
               parts.workers, parts.log, follower_, cache_, parts.logger, parts.metrics}),
      batcher_({parts.loop, parts.store, follower_, proposer_, pacer_, cache_, topic_configs(),
                parts.workers, parts.logger, parts.metrics, decisions_},
               options_),
      sequences_(parts.loop, follower_, batcher_, parts.metrics),
      fetcher_(parts.loop, follower_, reader_, parts.metrics),
      snapshotter_(
          {parts.loop, maintenance_store(), follower_, proposer_, parts.logger, parts.metrics},
          options_),
      maintenance_({parts.loop, maintenance_store(),
                    parts.maintenance_log ? *parts.maintenance_log : parts.log, follower_,
                    proposer_, topic_configs(), pacer_.active() ? &cache_ : nullptr, parts.workers,
                    parts.logger, parts.metrics, [this] { return busy(); }},
                   options_),
      groups_({parts.loop, follower_, proposer_, membership_, parts.logger, parts.metrics},
              options_),
      consumer_groups_({parts.loop, follower_, proposer_, groups_.liveness(), parts.logger}),
      producer_ids_taken_(parts.loop),
      stop_(parts.loop),
      batcher_scope_(parts.loop),
      scope_(parts.loop) {
  batcher_.set_refused(&sequences_);
  groups_.set_consumer_groups(&consumer_groups_);
  // The proposer settles batches (and stamps them into the cache) before parked fetches look for
  // them.
  follower_.add_listener(&proposer_);
  follower_.add_listener(&membership_);
  maintenance_.listen();
  follower_.add_listener(this);
  follower_.on_truncated([this] {
    stop_.notify_all();
    proposer_.look_again();
  });
  // It counts on groups_, which learns of each fold from this engine.
  follower_.add_listener(&consumer_groups_);
}

ClusterEngine::~ClusterEngine() = default;

rt::Task<Result<void>> ClusterEngine::start(MonoTime deadline) {
  WEIR_CO_TRY(co_await catch_up(deadline));
  WEIR_CO_TRY(co_await ensure_genesis(deadline));
  const std::string& stored = follower_.state().cluster_id();
  if (!options_.cluster_id.empty() && options_.cluster_id != stored)
    co_return fail(ErrorCode::configuration, "the store at " + parts_.store.describe() +
                                                 " belongs to cluster \"" + stored +
                                                 "\", not to \"" + options_.cluster_id +
                                                 "\"; check --store, or leave --cluster-id out");
  scope_.spawn(proposer_.run());
  auto registered = co_await membership_.register_self(deadline);
  if (!registered) co_return std::unexpected(registered.error());
  batcher_scope_.spawn(batcher_.run());
  scope_.spawn(sequences_.run());
  scope_.spawn(membership_.run());
  scope_.spawn(snapshotter_.run());
  if (options_.maintenance.enabled) scope_.spawn(maintenance_.run());
  groups_.on_changed(follower_.mutable_state().take_changed_groups());
  scope_.spawn(groups_.run());
  scope_.spawn(poll());
  serving_ = true;
  co_return Result<void>{};
}

/// An empty log beside data is no new cluster: the log was lost, or another one was meant. Starting
/// anew would give offsets a second time.
rt::Task<Result<void>> ClusterEngine::refuse_orphaned_data() {
  for (std::string prefix : {"data/", "snapshot/"}) {
    std::string continuation;
    do {
      auto page = co_await parts_.store.list(prefix, continuation);
      if (!page)
        co_return with_context(page.error(), "looking for data in " + parts_.store.describe());
      if (!page->objects.empty())
        co_return fail(ErrorCode::configuration,
                       "the commit log at " + parts_.log.describe() +
                           " is empty, but the store at " + parts_.store.describe() +
                           " holds data (" + page->objects.front().name +
                           "): the log was lost, or is another one. Restore the log from the same "
                           "copy as the data, or name the right one with --log; to begin a new "
                           "cluster, use an empty store");
      continuation = page->next;
    } while (!continuation.empty());
  }
  co_return Result<void>{};
}

rt::Task<Result<void>> ClusterEngine::ensure_genesis(MonoTime deadline) {
  if (!follower_.state().position()) WEIR_CO_TRY(co_await refuse_orphaned_data());
  while (!follower_.state().position()) {
    if (parts_.loop.now() >= deadline)
      co_return fail(ErrorCode::timed_out, "the commit log at " + parts_.log.describe() +
                                               " did not take its first entry");
    state::command::Genesis genesis;
    genesis.cluster_id =
        options_.cluster_id.empty() ? parts_.random.id128<Uuid>().hex() : options_.cluster_id;
    genesis.feature_level = kCommandVersion;
    genesis.shard_count = 1;
    genesis.created_ms = parts_.loop.wall_now().value;
    state::CommandGroup group;
    group.commands.push_back({state::command::Genesis::kType, encode_body(genesis)});
    state::EntryHeader header;
    header.cluster_tag = state::cluster_tag_of(genesis.cluster_id);
    header.nonce = parts_.random.id128<Nonce>();
    header.wall = parts_.loop.wall_now();
    header.level = FeatureLevel(kCommandVersion);
    founded_ = true;
    auto created = co_await parts_.log.create(
        Position(0), state::encode_entry(header, std::span(&group, 1), {}));
    if (!created && !created.error().is(ErrorCode::unavailable))
      co_return with_context(created.error(),
                             "creating the first entry of " + parts_.log.describe());
    // Whoever won: what counts is what is there.
    auto found = co_await follower_.read_next();
    if (!found) co_return std::unexpected(found.error());
    if (!*found) co_await rt::sleep_for(parts_.loop, 50ms);
  }
  co_return Result<void>{};
}

rt::Task<void> ClusterEngine::halted() {
  while (follower_.halted().empty() && !stopping_) co_await follower_.progress().wait();
}

rt::Task<void> ClusterEngine::stop(MonoTime deadline) {
  if (stopping_) co_return;
  stopping_ = true;
  stop_deadline_ = deadline;
  serving_ = false;
  will_stop();
  fetcher_.wake_all();
  batcher_.stop(deadline);
  sequences_.stop();
  snapshotter_.stop();
  maintenance_.stop();
  groups_.stop();
  consumer_groups_.stop();
  stop_.notify_all();
  follower_.progress().notify_all();
  producer_ids_taken_.notify_all();
  // Until then it vouches, and registers again if it must.
  co_await batcher_scope_.join();
  membership_.stop();
  co_await membership_.deregister(deadline);
  proposer_.stop(deadline);
  follower_.stop();
  co_await scope_.join();
  co_await fetcher_.stop();
  co_await consumer_groups_.join();
  co_await follower_.join();
}

void ClusterEngine::on_folded(const state::EntryView&, const state::Folded&) {
  pacer_.set_brokers(follower_.state().brokers().size());
  if (serving_) groups_.on_changed(follower_.mutable_state().take_changed_groups());
  state::ChangedPartitions changed = follower_.mutable_state().take_changed_partitions();
  if (changed.all) {
    fetcher_.wake_all();
    sequences_.on_all_changed();
    return;
  }
  fetcher_.on_changed(changed.partitions);
  sequences_.on_changed(changed.partitions);
}

Status ClusterEngine::status() const {
  const state::State& state = follower_.state();
  Status status;
  status.folded = state.position().value_or(Position(0));
  status.feature_level = state.level();
  status.incarnation = proposer_.incarnation();
  status.node_id = membership_.node_id();
  status.commit_trouble = proposer_.trouble();
  if (status.commit_trouble.empty()) status.commit_trouble = batcher_.trouble();
  status.ready = serving_ && membership_.registered() && follower_.halted().empty() &&
                 status.commit_trouble.empty();
  status.halted = follower_.halted();
  status.parked_fetches = fetcher_.parked();
  status.parked_group_calls = groups_.parked();
  status.pending_commands = proposer_.pending();
  status.barriers_waiting = follower_.barriers_waiting();
  status.state_digest_low = state.digest().low;
  status.state_digest_high = state.digest().high;
  status.horizon = state.horizon();
  status.segments = state.counts().segments;
  state.visit_awaiting_deletion(
      [&](const state::ObjectRef&) { return ++status.segments_awaiting_deletion > 0; });
  status.snapshots_disputed = maintenance_.digests().any_disputed();
  status.maintenance = maintenance_.runner().status();
  return status;
}

/// Producers wait for uploads, or readers for loads: maintenance gives way.
bool ClusterEngine::busy() const { return batcher_.queued() > 0 || reader_.loads_waiting(); }

NodeId ClusterEngine::node_id() const { return membership_.node_id().value_or(NodeId(-1)); }

rt::Task<Result<void>> ClusterEngine::barrier(MonoTime deadline) {
  asked_at_ = parts_.loop.now();
  return follower_.barrier(deadline);
}

/// Spares the log what is certainly a repeat. Anything else the fold decides: our state may be old.
bool ClusterEngine::answer_known_duplicate(const QueuedBatch& batch) const {
  const record::BatchInfo& info = batch.item.info;
  if (!info.idempotent()) return false;
  state::ItemOutcome now = follower_.state().check_run(batch.item.at, run_of(info), info.records);
  if (now.refusal != Refusal::duplicate) return false;
  ProduceOutcome done;
  done.base_offset = Offset(now.value);
  batch.finish(std::move(done));
  return true;
}

rt::Task<std::vector<ProduceOutcome>> ClusterEngine::produce(std::vector<ProduceItem> items,
                                                             MonoTime deadline) {
  asked_at_ = parts_.loop.now();
  auto call = std::make_shared<ProduceCall>(parts_.loop, items.size(), deadline);
  for (std::size_t i = 0; i < items.size(); ++i) {
    QueuedBatch batch{std::move(items[i]), call, i};
    if (!follower_.halted().empty()) {
      batch.fail({ErrorCode::unavailable, follower_.halted()});
      continue;
    }
    if (!answer_known_duplicate(batch)) batcher_.add(std::move(batch));
  }
  while (call->open > 0 && parts_.loop.now() < deadline) {
    // A broker that ends answers what it could not commit, though nobody wakes these calls then.
    if (stopping_ && parts_.loop.now() >= stop_deadline_) break;
    co_await call->done.wait_until(std::min(deadline, parts_.loop.now() + kProduceWaitSlice));
  }
  if (call->open == 0) co_return std::move(call->outcomes);
  // What has no answer yet is answered as timed out; it may still land.
  std::vector<ProduceOutcome> outcomes = call->outcomes;
  for (ProduceOutcome& outcome : outcomes)
    if (!outcome.settled)
      outcome.failure =
          Error{ErrorCode::timed_out, "the commit did not end before the request's time-out"};
  co_return outcomes;
}

rt::Task<std::vector<FetchedPartition>> ClusterEngine::fetch(std::vector<FetchItem> items,
                                                             FetchOptions options,
                                                             const bool* cancelled) {
  asked_at_ = parts_.loop.now();
  if (stopping_) options.deadline = parts_.loop.now();
  return fetcher_.fetch(std::move(items), options, cancelled);
}

rt::Task<std::vector<TimestampAnswer>> ClusterEngine::find_timestamps(
    std::vector<TimestampQuery> queries, MonoTime deadline) {
  std::vector<TimestampAnswer> answers(queries.size());
  auto proved = co_await follower_.barrier(deadline);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (proved)
      answers[i] = co_await find_timestamp(follower_, reader_, queries[i]);
    else
      answers[i].failure = proved.error();
  }
  co_return answers;
}

}  // namespace weir::engine
