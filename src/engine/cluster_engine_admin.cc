// ClusterEngine, the part that changes topics, configurations and producer ids: each call becomes
// one command, or a few where it is large, and its items take their outcomes from the fold.
#include <algorithm>

#include "engine/cluster_engine.h"
#include "engine/limits.h"
#include "state/commands/advance_start.h"
#include "state/commands/allocate_producer_ids.h"
#include "state/commands/alter_configs.h"
#include "state/commands/create_partitions.h"
#include "state/commands/create_topics.h"
#include "state/commands/delete_topics.h"

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

}  // namespace

rt::Task<std::vector<CreateTopicOutcome>> ClusterEngine::create_topics(std::vector<NewTopic> topics,
                                                                       MonoTime deadline) {
  std::vector<CreateTopicOutcome> outcomes(topics.size());
  for (std::size_t first = 0; first < topics.size(); first += kTopicsPerCommandMax) {
    std::size_t count = std::min(kTopicsPerCommandMax, topics.size() - first);
    state::command::CreateTopics command;
    for (std::size_t i = 0; i < count; ++i) {
      NewTopic& topic = topics[first + i];
      auto& out = command.topics.emplace_back();
      out.name = std::move(topic.name);
      out.topic_id = outcomes[first + i].id = parts_.random.id128<TopicId>();
      out.partitions = topic.partitions;
      out.replication_factor = topic.replication_factor;
      for (auto& [key, value] : topic.configs)
        out.configs.push_back({std::move(key), std::move(value)});
    }
    auto outcome = co_await proposer_.propose(make_proposal(command), deadline);
    spread(outcome, outcomes, first, count, [](CreateTopicOutcome&, std::int64_t) {});
  }
  co_return outcomes;
}

rt::Task<std::vector<Outcome>> ClusterEngine::delete_topics(std::vector<TopicId> topics,
                                                            MonoTime deadline) {
  std::vector<Outcome> outcomes(topics.size());
  for (std::size_t first = 0; first < topics.size(); first += kTopicsPerCommandMax) {
    std::size_t count = std::min(kTopicsPerCommandMax, topics.size() - first);
    state::command::DeleteTopics command;
    for (std::size_t i = 0; i < count; ++i) command.topic_ids.push_back(topics[first + i]);
    auto outcome = co_await proposer_.propose(make_proposal(command), deadline);
    spread(outcome, outcomes, first, count, [](Outcome&, std::int64_t) {});
  }
  co_return outcomes;
}

rt::Task<std::vector<Outcome>> ClusterEngine::create_partitions(std::vector<GrowTopic> topics,
                                                                MonoTime deadline) {
  std::vector<Outcome> outcomes(topics.size());
  for (std::size_t first = 0; first < topics.size(); first += kTopicsPerCommandMax) {
    std::size_t count = std::min(kTopicsPerCommandMax, topics.size() - first);
    state::command::CreatePartitions command;
    for (std::size_t i = 0; i < count; ++i) {
      auto& out = command.topics.emplace_back();
      out.topic_id = topics[first + i].id;
      out.partitions = topics[first + i].partitions;
    }
    auto outcome = co_await proposer_.propose(make_proposal(command), deadline);
    spread(outcome, outcomes, first, count, [](Outcome&, std::int64_t) {});
  }
  co_return outcomes;
}

rt::Task<std::vector<Outcome>> ClusterEngine::alter_configs(std::vector<AlterConfig> changes,
                                                            MonoTime deadline) {
  std::vector<Outcome> outcomes(changes.size());
  for (std::size_t first = 0; first < changes.size(); first += kTopicsPerCommandMax) {
    std::size_t count = std::min(kTopicsPerCommandMax, changes.size() - first);
    state::command::AlterConfigs command;
    for (std::size_t i = 0; i < count; ++i) {
      AlterConfig& change = changes[first + i];
      auto& out = command.resources.emplace_back();
      out.resource_type = static_cast<std::int8_t>(change.resource);
      out.resource_name = std::move(change.name);
      out.guard_version = change.guard_version;
      for (auto& [key, value] : change.changes)
        out.changes.push_back({std::move(key), std::move(value)});
    }
    auto outcome = co_await proposer_.propose(make_proposal(command), deadline);
    spread(outcome, outcomes, first, count, [](Outcome&, std::int64_t) {});
  }
  co_return outcomes;
}

rt::Task<std::vector<DeleteRecordsOutcome>> ClusterEngine::delete_records(
    std::vector<DeleteRecordsItem> items, MonoTime deadline) {
  std::vector<DeleteRecordsOutcome> outcomes(items.size());
  // "Up to the high watermark" means the one that is true now, not the one that this broker happens
  // to have folded.
  auto proved = co_await follower_.barrier(deadline);
  for (std::size_t first = 0; first < items.size(); first += kTopicsPerCommandMax) {
    std::size_t count = std::min(kTopicsPerCommandMax, items.size() - first);
    state::command::AdvanceStart command;
    for (std::size_t i = 0; i < count; ++i) {
      const DeleteRecordsItem& item = items[first + i];
      auto info = follower_.state().partition(item.at);
      auto& out = command.partitions.emplace_back();
      out.topic_id = item.at.topic;
      out.partition = item.at.partition.value;
      out.start_offset = item.before.value >= 0 || !info ? item.before.value : info->end.value;
    }
    Result<state::CommandOutcome> outcome =
        proved ? co_await proposer_.propose(make_proposal(command), deadline)
               : Result<state::CommandOutcome>(std::unexpected(proved.error()));
    spread(outcome, outcomes, first, count,
           [](DeleteRecordsOutcome& out, std::int64_t start) { out.log_start = Offset(start); });
  }
  co_return outcomes;
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
