#include "engine/compaction/compaction_plan.h"

#include <gtest/gtest.h>

#include "engine/compaction/compaction_rules.h"
#include "state/commands/advance_clock.h"
#include "state/testing/log_builder.h"

namespace weir::engine {
namespace {

using state::testing::Cluster;
using state::testing::plain_span;
using state::testing::run_of;
using state::testing::run_span;

constexpr std::int64_t kNow = 1'700'000'000'000;

void set_clock(Cluster& cluster) {
  state::command::AdvanceClock advance;
  advance.wall_ms = kNow;
  ASSERT_EQ(cluster.propose(advance).status, state::CommandStatus::applied);
}

TEST(CompactionPlan, holds_the_spans_from_the_start_and_what_guards_them) {
  Cluster cluster;
  state::PartitionRef at{cluster.add_topic("t", 1), PartitionIndex(0)};
  for (int i = 0; i < 3; ++i) cluster.append({plain_span(at.topic, 0, 5)});
  compaction::Settings settings{.dirty_bytes_min = 1};
  EXPECT_FALSE(plan_compaction(cluster.state(), at, settings, {WallMillis(kNow + 60'000)}))
      << "nobody told the time";
  set_clock(cluster);
  auto plan = plan_compaction(cluster.state(), at, settings, {WallMillis(kNow + 60'000)});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->spans.size(), 3u);
  EXPECT_EQ(plan->pass.dirty_begin, Offset(0));
  EXPECT_EQ(plan->pass.dirty_end, Offset(15));
  EXPECT_EQ(plan->pass.now, WallMillis(kNow));
  EXPECT_EQ(plan->pass.now_latest, WallMillis(kNow + 60'000));
  auto latest = [&](std::int64_t wall_ms) {
    return plan_compaction(cluster.state(), at, settings, {WallMillis(wall_ms)})->pass.now_latest;
  };
  EXPECT_EQ(latest(kNow - 9'000'000), WallMillis(kNow));
  EXPECT_EQ(latest(kNow * 2), WallMillis(kNow + kClusterClockLagMaxMs)) << "a wrong clock";
  Hash128 sum;
  for (const Hash128& digest : plan->digests) sum += digest;
  EXPECT_EQ(sum, cluster.state().spans_digest(at, Offset(0), Offset(15)))
      << "the guard of a run is the sum of its spans";
}

TEST(CompactionPlan, knows_the_last_offset_of_each_producer) {
  Cluster cluster;
  state::PartitionRef at{cluster.add_topic("t", 2), PartitionIndex(1)};
  cluster.append({run_span(at.topic, 1, 5, run_of(0, 0, 0))});
  cluster.append(
      {run_span(at.topic, 1, 2, run_of(0, 0, 5)), run_span(at.topic, 0, 9, run_of(0, 0, 0))});
  cluster.append({plain_span(at.topic, 1, 1)});
  set_clock(cluster);
  auto plan = plan_compaction(cluster.state(), at, {.dirty_bytes_min = 1}, {WallMillis(kNow)});
  ASSERT_TRUE(plan.has_value());
  ASSERT_EQ(plan->producers.size(), 1u);
  EXPECT_EQ(plan->producers[0].producer, ProducerId(0));
  EXPECT_EQ(plan->producers[0].last, Offset(6));
}

void set_clock_to(Cluster& cluster, std::int64_t ms) {
  state::command::AdvanceClock advance;
  advance.wall_ms = ms;
  ASSERT_EQ(cluster.propose(advance).status, state::CommandStatus::applied);
}

TEST(CompactionPlan, leaves_young_spans_to_the_next_merge_but_not_beyond_half_of_the_max_lag) {
  Cluster cluster;
  state::PartitionRef at{cluster.add_topic("t", 1), PartitionIndex(0)};
  set_clock(cluster);
  cluster.append({plain_span(at.topic, 0, 5)});
  set_clock_to(cluster, kNow + 100'000);
  cluster.append({plain_span(at.topic, 0, 5)});
  set_clock_to(cluster, kNow + 130'000);
  compaction::Settings settings{.dirty_bytes_min = 1};
  auto end_with = [&](std::int64_t unmerged_lag_ms) {
    auto plan = plan_compaction(cluster.state(), at, settings,
                                {WallMillis(kNow + 130'000), unmerged_lag_ms});
    return plan ? plan->pass.dirty_end : Offset(-1);
  };
  EXPECT_EQ(end_with(0), Offset(10));
  EXPECT_EQ(end_with(15'000), Offset(5))
      << "the commit time of the second is known to half a minute";
  EXPECT_EQ(end_with(200'000), Offset(-1));
  settings.max_lag_ms = 40'000;
  EXPECT_EQ(end_with(200'000), Offset(5));
}

TEST(CompactionPlan, is_empty_for_what_is_empty_or_unknown) {
  Cluster cluster;
  state::PartitionRef at{cluster.add_topic("t", 1), PartitionIndex(0)};
  set_clock(cluster);
  EXPECT_FALSE(plan_compaction(cluster.state(), at, {.dirty_bytes_min = 0}, {WallMillis(kNow)}));
  EXPECT_FALSE(
      plan_compaction(cluster.state(), {at.topic, PartitionIndex(7)}, {}, {WallMillis(kNow)}));
}

TEST(CompactionRules, are_those_of_the_topic_or_the_defaults) {
  Cluster cluster;
  OwnTopicConfigs configs;
  state::TopicInfo topic;
  EXPECT_FALSE(compaction_rules(configs, cluster.state(), topic)) << "the default policy is delete";
  topic.configs = {{"cleanup.policy", "compact,delete"}};
  auto rules = compaction_rules(configs, cluster.state(), topic);
  ASSERT_TRUE(rules.has_value());
  EXPECT_EQ(rules->dirty_ratio_min, 0.5);
  EXPECT_EQ(rules->delete_retention_ms, 86'400'000);
  EXPECT_EQ(rules->max_lag_ms, INT64_MAX);
  topic.configs = {{"cleanup.policy", "compact"},
                   {"delete.retention.ms", "5"},
                   {"max.compaction.lag.ms", "7"},
                   {"min.cleanable.dirty.ratio", "0.25"},
                   {"min.compaction.lag.ms", "6"}};
  rules = compaction_rules(configs, cluster.state(), topic);
  EXPECT_EQ(rules->delete_retention_ms, 5);
  EXPECT_EQ(rules->min_lag_ms, 6);
  EXPECT_EQ(rules->max_lag_ms, 7);
  EXPECT_EQ(rules->dirty_ratio_min, 0.25);
}

}  // namespace
}  // namespace weir::engine
