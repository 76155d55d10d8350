#include "tests/sim/admin.h"

#include <algorithm>

namespace weir::sim {

namespace {

constexpr Duration kTimeOut = 4s;

/// The topic of a name, after a barrier.
rt::Task<Result<std::optional<state::TopicInfo>>> find_topic(engine::ClusterEngine& engine,
                                                             std::string name) {
  auto proved = co_await engine.barrier(engine.loop().now() + kTimeOut);
  if (!proved) co_return std::unexpected(proved.error());
  const state::TopicInfo* topic = engine.catalog().topic(name);
  co_return topic ? std::optional(*topic) : std::nullopt;
}

using Found = Result<std::optional<state::TopicInfo>>;

}  // namespace

rt::Task<void> Admin::pause() {
  auto pause = Duration(1ms) * static_cast<std::int64_t>(20 + caller_.random().below(100));
  co_await rt::sleep_for(caller_.loop(), pause);
}

Checker::Retention Admin::draw_retention() {
  if (!use_retention_) return {};
  switch (caller_.random().below(3)) {
    case 0: return {kRetentionMs, -1};
    case 1: return {-1, kRetentionBytes};
    default: return {};
  }
}

/// Most topics are compacted; policies change later (change_policy).
state::ConfigMap Admin::draw_policy() {
  rt::Random& random = caller_.random();
  state::ConfigMap configs;
  if (!use_retention_) return configs;
  constexpr const char* kPolicies[] = {"delete", "compact", "compact", "compact,delete"};
  configs.emplace_back("cleanup.policy", kPolicies[random.below(4)]);
  configs.emplace_back("delete.retention.ms", std::to_string(kDeleteRetentionMs));
  if (random.below(2) == 0)
    configs.emplace_back("min.cleanable.dirty.ratio", "0");
  else
    configs.emplace_back("max.compaction.lag.ms", "1500");
  if (random.below(3) == 0) configs.emplace_back("min.compaction.lag.ms", "1000");
  return configs;
}

rt::Task<void> Admin::create(std::string name, std::int32_t partitions) {
  Checker::Retention retention = draw_retention();
  state::ConfigMap configs;
  if (retention.bytes >= 0)
    configs.emplace_back("retention.bytes", std::to_string(retention.bytes));
  if (retention.ms >= 0) configs.emplace_back("retention.ms", std::to_string(retention.ms));
  for (auto& [key, value] : draw_policy()) configs.emplace_back(key, value);
  std::sort(configs.begin(), configs.end());
  const std::string* policy = state::find_config(configs, "cleanup.policy");
  bool compacts = policy && policy->find("compact") != std::string::npos;
  using Outcomes = std::vector<engine::CreateTopicOutcome>;
  for (;;) {
    std::size_t broker = caller_.any_broker();
    Request<Outcomes> request = [name, partitions, configs](engine::ClusterEngine& engine) {
      std::vector<engine::NewTopic> topics{{name, partitions, 1, configs}};
      return engine.create_topics(std::move(topics), engine.loop().now() + kTimeOut);
    };
    auto answer = co_await caller_.call<Outcomes>(broker, std::move(request), kTimeOut);
    std::optional<TopicId> id;
    if (answer && answer->front().ok()) id = answer->front().id;
    if (answer && answer->front().refusal == state::Refusal::topic_exists) {
      Request<Found> look = [name](engine::ClusterEngine& engine) {
        return find_topic(engine, name);
      };
      auto found = co_await caller_.call<Found>(broker, std::move(look), kTimeOut);
      if (found && *found && **found) id = (**found)->id;
    }
    if (id) {
      Checker& checker = caller_.cluster().checker();
      if (!configs.empty()) checker.set_retention(*id, retention);
      if (compacts) checker.compaction_asked(*id, kDeleteRetentionMs);
      caller_.cluster().checker().topic_created(*id);
      topics_.all.push_back({std::move(name), *id, partitions, true});
      ++changes_;
      co_return;
    }
    co_await pause();
  }
}

KnownTopic* Admin::any_live() {
  std::vector<KnownTopic*> live;
  for (KnownTopic& topic : topics_.all)
    if (topic.live) live.push_back(&topic);
  return live.empty() ? nullptr : live[caller_.random().below(live.size())];
}

rt::Task<void> Admin::remove_topic() {
  std::size_t live = 0;
  for (const KnownTopic& topic : topics_.all) live += topic.live;
  KnownTopic* chosen = any_live();
  if (live < 3 || !chosen) co_return;
  TopicId id = chosen->id;
  chosen->live = false;
  caller_.cluster().checker().topic_deletion_asked(id);
  ++changes_;
  using Outcomes = std::vector<engine::Outcome>;
  for (;;) {
    Request<Outcomes> request = [id](engine::ClusterEngine& engine) {
      return engine.delete_topics({id}, engine.loop().now() + kTimeOut);
    };
    auto answer =
        co_await caller_.call<Outcomes>(caller_.any_broker(), std::move(request), kTimeOut);
    if (answer &&
        (answer->front().ok() || answer->front().refusal == state::Refusal::unknown_topic))
      co_return;
    co_await pause();
  }
}

rt::Task<void> Admin::grow_topic() {
  KnownTopic* chosen = any_live();
  if (!chosen || chosen->partitions >= 6) co_return;
  engine::GrowTopic grow{chosen->id, chosen->partitions + 1};
  using Outcomes = std::vector<engine::Outcome>;
  for (;;) {
    Request<Outcomes> request = [grow](engine::ClusterEngine& engine) {
      return engine.create_partitions({grow}, engine.loop().now() + kTimeOut);
    };
    auto answer =
        co_await caller_.call<Outcomes>(caller_.any_broker(), std::move(request), kTimeOut);
    // The second try of one that had succeeded is told that there are as many already.
    bool done = answer && (answer->front().ok() ||
                           answer->front().refusal == state::Refusal::invalid_partitions);
    if (done) break;
    if (answer && answer->front().refusal != state::Refusal::none) co_return;
    co_await pause();
  }
  ++changes_;
  for (KnownTopic& topic : topics_.all)
    if (topic.id == grow.id) topic.partitions = grow.partitions;
}

/// Tried until it is done, for the audit at the end goes by the policy that stands.
rt::Task<void> Admin::change_policy() {
  KnownTopic* chosen = any_live();
  if (!use_retention_ || !chosen) co_return;
  constexpr const char* kPolicies[] = {"delete", "compact", "compact,delete"};
  engine::AlterConfig change;
  change.name = chosen->name;
  change.changes.emplace_back("cleanup.policy", kPolicies[caller_.random().below(3)]);
  caller_.cluster().checker().compaction_asked(chosen->id, kDeleteRetentionMs);
  ++changes_;
  using Outcomes = std::vector<engine::Outcome>;
  for (;;) {
    Request<Outcomes> request = [change](engine::ClusterEngine& engine) {
      return engine.alter_configs({change}, engine.loop().now() + kTimeOut);
    };
    auto answer =
        co_await caller_.call<Outcomes>(caller_.any_broker(), std::move(request), kTimeOut);
    if (answer && answer->front().ok()) co_return;
    co_await pause();
  }
}

rt::Task<void> Admin::remove_records() {
  std::vector<PartitionRef> live = topics_.live_partitions();
  if (live.empty()) co_return;
  PartitionRef at = live[caller_.random().below(live.size())];
  Checker& checker = caller_.cluster().checker();
  auto end = static_cast<std::uint64_t>(checker.known(at).end_min.value);
  Offset before(static_cast<std::int64_t>(caller_.random().below(end / 2 + 1)));
  checker.deletion_asked(at, before);
  ++changes_;
  using Outcomes = std::vector<engine::DeleteRecordsOutcome>;
  Request<Outcomes> request = [at, before](engine::ClusterEngine& engine) {
    return engine.delete_records({{at, before}}, engine.loop().now() + kTimeOut);
  };
  // Once: whether it happened does not matter to anybody.
  auto answer = co_await caller_.call<Outcomes>(caller_.any_broker(), std::move(request), kTimeOut);
  if (answer && answer->front().refusal == state::Refusal::offset_out_of_range &&
      topics_.is_live(at.topic))
    checker.report(Violation::stale_refusal, "DeleteRecords before a committed offset is refused");
}

rt::Task<void> Admin::run() {
  rt::Random& random = caller_.random();
  while (!finishing_) {
    if (use_retention_ && random.below(3) == 0) co_await change_policy();
    switch (random.below(5)) {
      case 0:
        co_await create("t" + std::to_string(++next_name_),
                        1 + static_cast<std::int32_t>(random.below(3)));
        break;
      case 1: co_await remove_topic(); break;
      case 2: co_await grow_topic(); break;
      default: co_await remove_records(); break;
    }
    auto wait = Duration(1ms) * static_cast<std::int64_t>(500 + random.below(4'000));
    for (Duration d = 0ms; d < wait && !finishing_; d += 100ms)
      co_await rt::sleep_for(caller_.loop(), 100ms);
  }
  done_ = true;
}

}  // namespace weir::sim
