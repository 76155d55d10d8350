#include <gtest/gtest.h>

#include "state/commands/alter_configs.h"
#include "state/commands/create_partitions.h"
#include "state/commands/create_topics.h"
#include "state/commands/delete_topics.h"
#include "state/limits.h"
#include "state/testing/log_builder.h"
#include "state/topics/names.h"

namespace weir::state {
namespace {

using testing::Cluster;
using testing::id_of;
using testing::plain_span;
using testing::topic_id;

using NewTopic = command::CreateTopics::NewTopic;

NewTopic topic_of(std::string name, std::int32_t partitions = 1) {
  return {name, topic_id(name), partitions, 1, {}};
}

Refusal create(Cluster& cluster, const NewTopic& topic) {
  command::CreateTopics command;
  command.topics.push_back(topic);
  return cluster.propose(command).items.at(0).refusal;
}

Refusal remove(Cluster& cluster, TopicId id) {
  return cluster.propose(command::DeleteTopics{.topic_ids = {id}}).items.at(0).refusal;
}

TEST(Topics, are_found_by_name_and_id_and_listed_in_order) {
  Cluster cluster;
  for (const char* name : {"b", "c", "a.x", "a"})
    ASSERT_EQ(create(cluster, topic_of(name, 2)), Refusal::none);
  const State& state = cluster.state();
  ASSERT_NE(state.topic("a.x"), nullptr);
  EXPECT_EQ(state.topic("a.x"), state.topic(topic_id("a.x")));
  EXPECT_EQ(state.topic("a_x"), nullptr);
  EXPECT_EQ(state.topic("zzz"), nullptr);
  std::vector<std::string> names;
  state.visit_topics("a.", [&](const TopicInfo& topic) {
    names.push_back(topic.name);
    return names.size() < 2;
  });
  EXPECT_EQ(names, (std::vector<std::string>{"a.x", "b"}));
  EXPECT_EQ(state.partition({topic_id("b"), PartitionIndex(1)})->end, Offset(0));
  EXPECT_FALSE(state.partition({topic_id("b"), PartitionIndex(2)}).has_value());
  EXPECT_FALSE(state.partition({topic_id("b"), PartitionIndex(-1)}).has_value());
}

TEST(Topics, with_impossible_properties_are_refused_one_by_one) {
  Cluster cluster;
  ASSERT_EQ(create(cluster, topic_of("my.topic")), Refusal::none);
  NewTopic no_id = topic_of("n");
  no_id.topic_id = TopicId();
  NewTopic same_id = topic_of("s");
  same_id.topic_id = topic_id("my.topic");
  NewTopic twice = topic_of("w");
  twice.configs = {{"k", "1"}, {"k", "2"}};
  NewTopic many = topic_of("m");
  for (std::size_t i = 0; i <= kConfigsPerResourceMax; ++i)
    many.configs.push_back({"k" + std::to_string(i), ""});
  std::vector<std::pair<NewTopic, Refusal>> cases = {
      {topic_of("my.topic"), Refusal::malformed},  // the id is in use as well
      {{"my.topic", id_of<TopicId>(1), 1, 1, {}}, Refusal::topic_exists},
      {topic_of("my_topic"), Refusal::topic_name_collision},
      {topic_of(".."), Refusal::malformed},
      {topic_of("a/b"), Refusal::malformed},
      {topic_of("none", 0), Refusal::invalid_partitions},
      {topic_of("much", kPartitionsPerTopicMax + 1), Refusal::invalid_partitions},
      {no_id, Refusal::malformed},
      {same_id, Refusal::malformed},
      {twice, Refusal::malformed},
      {many, Refusal::limit_reached},
      {topic_of("good"), Refusal::none},
  };
  command::CreateTopics command;
  for (const auto& [topic, refusal] : cases) command.topics.push_back(topic);
  CommandOutcome outcome = cluster.propose(command);
  EXPECT_EQ(outcome.status, CommandStatus::applied);
  ASSERT_EQ(outcome.items.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(outcome.items[i].refusal, cases[i].second) << i;
  EXPECT_EQ(cluster.state().topic_count(), 2u);
}

TEST(Topics, names_follow_kafka) {
  EXPECT_TRUE(is_topic_name(std::string(249, 'a')));
  EXPECT_FALSE(is_topic_name(std::string(250, 'a')));
  for (const char* bad : {"", ".", "..", "a b", "ä", "a,b"})
    EXPECT_FALSE(is_topic_name(bad)) << bad;
  for (const char* good : {"...", "a", "A-9_z.x", "__consumer_offsets"})
    EXPECT_TRUE(is_topic_name(good));
}

TEST(Topics, together_have_a_limited_number_of_partitions) {
  Cluster cluster;
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(create(cluster, topic_of("t" + std::to_string(i), 100'000)), Refusal::none);
  EXPECT_EQ(create(cluster, topic_of("more")), Refusal::limit_reached);
  ASSERT_EQ(remove(cluster, topic_id("t3")), Refusal::none);
  EXPECT_EQ(create(cluster, topic_of("more")), Refusal::none);
}

TEST(Topics, that_are_created_again_begin_empty_under_a_new_id) {
  Cluster cluster;
  TopicId first = cluster.add_topic("t", 2);
  cluster.append(
      {plain_span(first, 0, 5), testing::run_span(first, 1, 1, testing::run_of(7, 0, 0))});
  ASSERT_GT(cluster.state().inline_bytes_live(), 0u);
  ASSERT_EQ(remove(cluster, first), Refusal::none);
  EXPECT_EQ(cluster.state().inline_bytes_live(), 0u);
  EXPECT_EQ(cluster.state().counts().spans, 0u);
  EXPECT_EQ(cluster.state().counts().producers, 0u);
  EXPECT_EQ(remove(cluster, first), Refusal::unknown_topic);
  ASSERT_EQ(create(cluster, {"t", id_of<TopicId>(9), 1, 1, {}}), Refusal::none);
  EXPECT_EQ(cluster.state().partition({id_of<TopicId>(9), PartitionIndex(0)})->end, Offset(0));
  EXPECT_FALSE(cluster.state().partition({first, PartitionIndex(0)}).has_value());
  EXPECT_EQ(cluster.append({plain_span(first, 0, 5)}).at(0).refusal, Refusal::unknown_topic);
}

TEST(Topics, only_grow) {
  Cluster cluster;
  TopicId id = cluster.add_topic("t", 2);
  cluster.append({plain_span(id, 1, 5)});
  auto grow = [&](TopicId topic, std::int32_t partitions) {
    command::CreatePartitions command;
    command.topics.push_back({topic, partitions});
    return cluster.propose(command).items.at(0).refusal;
  };
  EXPECT_EQ(grow(id, 2), Refusal::invalid_partitions);
  EXPECT_EQ(grow(id, 100'001), Refusal::invalid_partitions);
  EXPECT_EQ(grow(id_of<TopicId>(1), 4), Refusal::unknown_topic);
  EXPECT_EQ(grow(id, 4), Refusal::none);
  EXPECT_EQ(cluster.state().topic(id)->partitions, 4);
  EXPECT_EQ(cluster.state().partition({id, PartitionIndex(1)})->end, Offset(5));
  EXPECT_EQ(cluster.state().partition({id, PartitionIndex(3)})->end, Offset(0));
}

// --- configs ---

ItemOutcome alter(Cluster& cluster, std::int8_t type, std::string name, std::int32_t guard,
                  std::string key, std::optional<std::string> value) {
  command::AlterConfigs command;
  command.resources.push_back({type, std::move(name), guard, {{std::move(key), std::move(value)}}});
  return cluster.propose(command).items.at(0);
}

TEST(Configs, are_set_deleted_and_guarded_by_their_version) {
  Cluster cluster;
  cluster.add_topic("t", 1);
  EXPECT_EQ(alter(cluster, 2, "t", 0, "b", "1"), (ItemOutcome{Refusal::none, 1}));
  EXPECT_EQ(alter(cluster, 2, "t", 0, "a", "2").refusal, Refusal::guard_mismatch);
  EXPECT_EQ(alter(cluster, 2, "t", -1, "a", "2"), (ItemOutcome{Refusal::none, 2}));
  EXPECT_EQ(alter(cluster, 2, "t", -1, "a", "2"), (ItemOutcome{Refusal::none, 2}));  // no change
  const TopicInfo* topic = cluster.state().topic("t");
  EXPECT_EQ(topic->configs, (ConfigMap{{"a", "2"}, {"b", "1"}}));
  ASSERT_NE(find_config(topic->configs, "b"), nullptr);
  EXPECT_EQ(find_config(topic->configs, "c"), nullptr);
  EXPECT_EQ(alter(cluster, 2, "t", 2, "b", std::nullopt), (ItemOutcome{Refusal::none, 3}));
  EXPECT_EQ(cluster.state().topic("t")->configs, (ConfigMap{{"a", "2"}}));
  EXPECT_EQ(alter(cluster, 2, "u", -1, "a", "2").refusal, Refusal::unknown_topic);
  EXPECT_EQ(alter(cluster, 2, "t", -1, "", "2").refusal, Refusal::malformed);
  EXPECT_EQ(alter(cluster, 3, "t", -1, "a", "2").refusal, Refusal::malformed);
}

TEST(Configs, of_named_resources_make_and_unmake_them) {
  constexpr auto kMetrics = ResourceType::client_metrics;
  Cluster cluster;
  const Hash128 before = cluster.state().digest();
  EXPECT_EQ(alter(cluster, 16, "s", 0, "metrics", "*"), (ItemOutcome{Refusal::none, 1}));
  EXPECT_EQ(alter(cluster, 16, "s", 0, "metrics", "x").refusal, Refusal::guard_mismatch);
  EXPECT_EQ(alter(cluster, 32, "s", 0, "k", "v"), (ItemOutcome{Refusal::none, 2}));
  EXPECT_EQ(alter(cluster, 16, "s", 1, "match", "m"), (ItemOutcome{Refusal::none, 3}));
  EXPECT_EQ(cluster.state().resource_configs(kMetrics, "s"),
            (ConfigMap{{"match", "m"}, {"metrics", "*"}}));
  EXPECT_EQ(alter(cluster, 32, "s", 2, "k", std::nullopt), (ItemOutcome{Refusal::none, 0}));
  EXPECT_EQ(cluster.state().resource_config_version(ResourceType::group, "s"), 0);
  EXPECT_EQ(alter(cluster, 32, "s", 2, "k", "v").refusal, Refusal::guard_mismatch);
  EXPECT_EQ(alter(cluster, 32, "s", 0, "k", "v"), (ItemOutcome{Refusal::none, 5}))
      << "a version never comes back";
  EXPECT_EQ(alter(cluster, 16, "", 0, "k", "v").refusal, Refusal::malformed);
  EXPECT_EQ(alter(cluster, 16, std::string(256, 'n'), 0, "k", "v").refusal, Refusal::malformed);
  std::vector<std::string> names;
  cluster.state().visit_resources(
      kMetrics, [&](const std::string& name, const ConfigMap&) { names.push_back(name); });
  EXPECT_EQ(names, std::vector<std::string>{"s"});
  EXPECT_NE(cluster.state().digest(), before);
}

TEST(Configs, of_brokers_are_for_all_or_for_a_node) {
  Cluster cluster;
  EXPECT_EQ(alter(cluster, 4, "", -1, "k", "all"), (ItemOutcome{Refusal::none, 1}));
  EXPECT_EQ(alter(cluster, 4, "7", 0, "k", "one"), (ItemOutcome{Refusal::none, 1}));
  for (const char* bad : {"07", "-1", "x", "7 ", "99999999999"})
    EXPECT_EQ(alter(cluster, 4, bad, -1, "k", "v").refusal, Refusal::malformed) << bad;
  EXPECT_EQ(cluster.state().broker_configs(NodeId(-1)), (ConfigMap{{"k", "all"}}));
  EXPECT_EQ(cluster.state().broker_configs(NodeId(7)), (ConfigMap{{"k", "one"}}));
  EXPECT_TRUE(cluster.state().broker_configs(NodeId(8)).empty());
  EXPECT_EQ(cluster.state().broker_config_version(NodeId(7)), 1);
  EXPECT_EQ(cluster.state().broker_config_version(NodeId(8)), 0);
}

}  // namespace
}  // namespace weir::state
