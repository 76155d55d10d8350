// ClusterEngine, the part that changes topics, configurations and producer ids: each call becomes
// one command, or a few where it is large, and its items take their outcomes from the fold.
#include <algorithm>

#include "base/narrow.h"
#include "engine/cluster_engine.h"
#include "engine/limits.h"
#include "state/commands/advance_start.h"
#include "state/commands/allocate_producer_ids.h"
#include "state/commands/alter_configs.h"
#include "state/commands/create_partitions.h"
#include "state/commands/create_topics.h"
#include "state/commands/delete_topics.h"
#include "state/commands/expire_broker.h"
#include "state/commands/raise_feature_level.h"

namespace weir::engine {

namespace {

/// Gives each of `items` (from `first` on, `count` of them) its part of a command's outcome.
template <class Out, class OnValue>
void spread(const Result<state::CommandOutcome>& outcome, std::vector<Out>& items,
            std::size_t first, std::size_t count, OnValue on_value) {
  for (std::size_t i = 0; i < count; ++i) {
    Out& item = items[first + i];
    if (!outcome) {
      item.failure = outcome.error();
    } else if (outcome->refusal != Refusal::none || i >= outcome->items.size()) {
      item.refusal = outcome->refusal == Refusal::none ? Refusal::malformed : outcome->refusal;
    } else {
      item.refusal = outcome->items[i].refusal;
      on_value(item, outcome->items[i].value);
    }
  }
}

void ignore(Outcome&, std::int64_t) {}

/// Of a command that has no items.
Outcome whole(const Result<state::CommandOutcome>& outcome) {
  if (!outcome) return {.failure = outcome.error()};
  return {.refusal = outcome->refusal};
}

/// Proposes `items` as commands of at most kTopicsPerCommandMax items each, which `fill` adds one
/// by one, and gives each its outcome. All arguments belong to the awaiting coroutine.
template <class Command, class Item, class Out, class Fill, class OnValue>
rt::Task<void> propose_all(Proposer& proposer, std::vector<Item>& items, std::vector<Out>& outcomes,
                           MonoTime deadline, Fill fill, OnValue on_value) {
  for (std::size_t first = 0; first < items.size(); first += kTopicsPerCommandMax) {
    std::size_t count = std::min(kTopicsPerCommandMax, items.size() - first);
    Command command;
    for (std::size_t i = first; i < first + count; ++i) fill(command, items[i], outcomes[i]);
    auto outcome = co_await proposer.propose(make_proposal(command), deadline);
    spread(outcome, outcomes, first, count, on_value);
  }
}

}  // namespace

rt::Task<std::vector<CreateTopicOutcome>> ClusterEngine::create_topics(std::vector<NewTopic> topics,
                                                                       MonoTime deadline) {
  std::vector<CreateTopicOutcome> outcomes(topics.size());
  auto fill = [this](state::command::CreateTopics& command, NewTopic& topic,
                     CreateTopicOutcome& outcome) {
    auto& out = command.topics.emplace_back();
    out.name = std::move(topic.name);
    out.topic_id = outcome.id = parts_.random.id128<TopicId>();
    out.partitions = topic.partitions;
    out.replication_factor = topic.replication_factor;
    for (auto& [key, value] : topic.configs)
      out.configs.push_back({std::move(key), std::move(value)});
  };
  co_await propose_all<state::command::CreateTopics>(proposer_, topics, outcomes, deadline, fill,
                                                     ignore);
  co_return outcomes;
}

rt::Task<std::vector<Outcome>> ClusterEngine::delete_topics(std::vector<TopicId> topics,
                                                            MonoTime deadline) {
  std::vector<Outcome> outcomes(topics.size());
  auto fill = [](state::command::DeleteTopics& command, TopicId id, Outcome&) {
    command.topic_ids.push_back(id);
  };
  co_await propose_all<state::command::DeleteTopics>(proposer_, topics, outcomes, deadline, fill,
                                                     ignore);
  co_return outcomes;
}

rt::Task<std::vector<Outcome>> ClusterEngine::create_partitions(std::vector<GrowTopic> topics,
                                                                MonoTime deadline) {
  std::vector<Outcome> outcomes(topics.size());
  auto fill = [](state::command::CreatePartitions& command, const GrowTopic& topic, Outcome&) {
    auto& out = command.topics.emplace_back();
    out.topic_id = topic.id;
    out.partitions = topic.partitions;
  };
  co_await propose_all<state::command::CreatePartitions>(proposer_, topics, outcomes, deadline,
                                                         fill, ignore);
  co_return outcomes;
}

rt::Task<std::vector<Outcome>> ClusterEngine::alter_configs(std::vector<AlterConfig> changes,
                                                            MonoTime deadline) {
  std::vector<Outcome> outcomes(changes.size());
  auto fill = [](state::command::AlterConfigs& command, AlterConfig& change, Outcome&) {
    auto& out = command.resources.emplace_back();
    out.resource_type = static_cast<std::int8_t>(change.resource);
    out.resource_name = std::move(change.name);
    out.guard_version = change.guard_version;
    for (auto& [key, value] : change.changes)
      out.changes.push_back({std::move(key), std::move(value)});
  };
  co_await propose_all<state::command::AlterConfigs>(proposer_, changes, outcomes, deadline, fill,
                                                     ignore);
  co_return outcomes;
}

rt::Task<std::vector<DeleteRecordsOutcome>> ClusterEngine::delete_records(
    std::vector<DeleteRecordsItem> items, MonoTime deadline) {
  std::vector<DeleteRecordsOutcome> outcomes(items.size());
  // "Up to the high watermark" means the one that is true now, not the one that this broker happens
  // to have folded.
  auto proved = co_await follower_.barrier(deadline);
  if (!proved) {
    for (DeleteRecordsOutcome& outcome : outcomes) outcome.failure = proved.error();
    co_return outcomes;
  }
  auto fill = [this](state::command::AdvanceStart& command, const DeleteRecordsItem& item,
                     DeleteRecordsOutcome&) {
    auto info = follower_.state().partition(item.at);
    auto& out = command.partitions.emplace_back();
    out.topic_id = item.at.topic;
    out.partition = item.at.partition.value;
    out.start_offset = item.before.value >= 0 || !info ? item.before.value : info->end.value;
  };
  auto note_start = [](DeleteRecordsOutcome& out, std::int64_t start) {
    out.log_start = Offset(start);
  };
  co_await propose_all<state::command::AdvanceStart>(proposer_, items, outcomes, deadline, fill,
                                                     note_start);
  co_return outcomes;
}

rt::Task<Outcome> ClusterEngine::raise_feature_level(FeatureLevel level, MonoTime deadline) {
  state::command::RaiseFeatureLevel command;
  command.feature_level = level.value;
  co_return whole(co_await proposer_.propose(make_proposal(command), deadline));
}

rt::Task<Outcome> ClusterEngine::expire_broker(NodeId node, MonoTime deadline) {
  auto proved = co_await follower_.barrier(deadline);
  if (!proved) co_return Outcome{.failure = proved.error()};
  std::vector<state::command::ExpireBroker> commands;
  for (const state::BrokerInfo& broker : follower_.state().brokers()) {
    if (broker.node_id != node) continue;
    auto& command = commands.emplace_back();
    command.incarnation = Uuid::from_bytes(broker.incarnation.view());
    command.voucher_position = narrow<std::int64_t>(broker.last_sign.value);
  }
  if (commands.empty()) co_return Outcome{.refusal = Refusal::not_found};
  Outcome outcome;
  for (const auto& command : commands) {
    outcome = whole(co_await proposer_.propose(make_proposal(command), deadline));
    if (!outcome.ok()) break;
  }
  co_return outcome;
}

rt::Task<Result<ProducerId>> ClusterEngine::new_producer_id(MonoTime deadline) {
  while (producer_ids_next_ >= producer_ids_end_) {
    if (stopping_) co_return fail(ErrorCode::cancelled, "the broker is stopping");
    if (taking_producer_ids_) {
      if (!co_await producer_ids_taken_.wait_until(deadline))
        co_return fail(ErrorCode::timed_out, "no producer ids were allocated in time");
      continue;
    }
    taking_producer_ids_ = true;
    state::command::AllocateProducerIds command;
    command.count = kProducerIdBlock;
    auto outcome = co_await proposer_.propose(make_proposal(command), deadline);
    taking_producer_ids_ = false;
    producer_ids_taken_.notify_all();
    if (!outcome) co_return std::unexpected(outcome.error());
    if (outcome->refusal != Refusal::none || outcome->items.empty())
      co_return fail(ErrorCode::unavailable, "the cluster gave out no producer ids: " +
                                                 std::string(to_string(outcome->refusal)));
    producer_ids_next_ = ProducerId(outcome->items.front().value);
    producer_ids_end_ = ProducerId(producer_ids_next_.value + kProducerIdBlock);
  }
  ProducerId id = producer_ids_next_;
  producer_ids_next_ = id.next();
  co_return id;
}

}  // namespace weir::engine
