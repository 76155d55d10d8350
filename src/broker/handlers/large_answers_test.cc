// The rule for answers that may be much larger than their requests (broker/answer_room.h), API by
// API: what is named many times is answered once, and what does not fit the memory is refused.
#include <functional>
#include <span>

#include "broker/handlers/testing/group_apis.h"
#include "wire/consumer_group_describe.h"
#include "wire/describe_configs.h"
#include "wire/describe_log_dirs.h"
#include "wire/describe_producers.h"
#include "wire/describe_topic_partitions.h"
#include "wire/metadata.h"

namespace weir::broker::handlers {
namespace {

using K = KafkaError;

/// A request that names the same thing so many times; returns the size of its answer.
struct Repeating {
  const char* name;
  std::function<std::size_t(std::size_t)> ask;
};

template <class Item>
std::vector<Item> many(std::size_t n, Item item) {
  return std::vector<Item>(n, item);
}

class LargeAnswers : public GroupApis {
 protected:
  template <class Request>
  std::size_t answer_bytes(const Request& request, std::int16_t version) {
    client_->send(request, version);
    const auto frame = client_->next_frame();
    return frame ? frame->size() : 0;
  }
  /// Takes all but `left` of the memory for answers, as clients that do not read theirs would.
  PoolHold fill_memory(std::size_t left) {
    MemoryPool& pool = rig_->memory.out.pool();
    const std::size_t taken = pool.bytes_max() - left;
    EXPECT_TRUE(pool.try_reserve(taken));
    return {pool, taken};
  }
  void expect_once(std::span<const Repeating> all) {
    for (const Repeating& api : all) {
      const std::size_t once = api.ask(1);
      EXPECT_GT(once, 8u) << api.name;
      EXPECT_EQ(api.ask(100), once) << api.name;
    }
  }
  void commit_much(const std::string& group) {
    wire::OffsetCommitRequest request = commit_request(5);
    request.group_id = group;
    request.topics[0].partitions[0].committed_metadata = std::string(4'000, 'm');
    ASSERT_EQ(commit(request), 0);
  }
};

TEST_F(LargeAnswers, WhatARequestNamesManyTimesIsAnsweredOnce) {
  commit_much("g");
  const Repeating all[] = {
      {"Metadata",
       [&](std::size_t n) {
         wire::MetadataRequest request;
         request.topics = many(n, wire::MetadataRequest::MetadataRequestTopic{.name = "t"});
         return answer_bytes(request, 12);
       }},
      {"OffsetFetch, all of a group",
       [&](std::size_t n) {
         wire::OffsetFetchRequest request;
         request.groups = many(n, wire::OffsetFetchRequest::OffsetFetchRequestGroup{
                                      .group_id = "g", .topics = std::nullopt});
         return answer_bytes(request, 8);
       }},
      {"OffsetFetch, a partition",
       [&](std::size_t n) {
         wire::OffsetFetchRequest request;
         request.groups.push_back({.group_id = "g"});
         request.groups[0].topics->push_back(
             {.name = "t", .partition_indexes = many(n, std::int32_t{0})});
         return answer_bytes(request, 8);
       }},
      {"OffsetFetch, a topic of the only group",
       [&](std::size_t n) {
         wire::OffsetFetchRequest request{.group_id = "g"};
         request.topics = many(n, wire::OffsetFetchRequest::OffsetFetchRequestTopic{
                                      .name = "t", .partition_indexes = {0}});
         return answer_bytes(request, 7);
       }},
  };
  expect_once(all);
}

TEST_F(LargeAnswers, WhatIsDescribedManyTimesIsDescribedOnce) {
  commit_much("g");
  const Repeating all[] = {
      {"FindCoordinator",
       [&](std::size_t n) {
         wire::FindCoordinatorRequest request;
         request.coordinator_keys = many(n, std::string("g"));
         return answer_bytes(request, 4);
       }},
      {"DescribeGroups",
       [&](std::size_t n) {
         return answer_bytes(wire::DescribeGroupsRequest{.groups = many(n, std::string("g"))}, 5);
       }},
      {"DescribeConfigs",
       [&](std::size_t n) {
         wire::DescribeConfigsRequest request{.include_synonyms = true};
         request.resources = many(
             n, wire::DescribeConfigsRequest::DescribeConfigsResource{
                    .resource_type = 2, .resource_name = "t", .configuration_keys = std::nullopt});
         return answer_bytes(request, 4);
       }},
      {"DescribeLogDirs",
       [&](std::size_t n) {
         wire::DescribeLogDirsRequest request;
         request.topics = many(n, wire::DescribeLogDirsRequest::DescribableLogDirTopic{
                                      .topic = "t", .partitions = many(n, std::int32_t{1})});
         return answer_bytes(request, 4);
       }},
      {"DescribeProducers",
       [&](std::size_t n) {
         wire::DescribeProducersRequest request;
         request.topics = many(n, wire::DescribeProducersRequest::TopicRequest{
                                      .name = "t", .partition_indexes = many(n, 1)});
         return answer_bytes(request, 0);
       }},
      {"ConsumerGroupDescribe",
       [&](std::size_t n) {
         wire::ConsumerGroupDescribeRequest request{.group_ids = many(n, std::string("g"))};
         return answer_bytes(request, 1);
       }},
      {"DescribeTopicPartitions",
       [&](std::size_t n) {
         wire::DescribeTopicPartitionsRequest request;
         request.topics = many(n, wire::DescribeTopicPartitionsRequest::TopicRequest{.name = "t"});
         return answer_bytes(request, 0);
       }},
  };
  expect_once(all);
}

TEST_F(LargeAnswers, AGroupNamedTwiceIsAnsweredWithAllThatWasAskedOfIt) {
  commit_much("g");
  wire::OffsetFetchRequest request;
  for (const std::int32_t partition : {1, 0, 1}) {
    request.groups.push_back({.group_id = "g"});
    request.groups.back().topics->push_back({.name = "t", .partition_indexes = {partition}});
  }
  const auto answer = client_->call<wire::OffsetFetchResponse>(request, 8);
  ASSERT_EQ(answer.groups.size(), 1u);
  ASSERT_EQ(answer.groups[0].topics.size(), 1u);
  const auto& partitions = answer.groups[0].topics[0].partitions;
  ASSERT_EQ(partitions.size(), 2u);
  EXPECT_EQ(partitions[0].partition_index, 1);
  EXPECT_EQ(partitions[0].committed_offset, -1);
  EXPECT_EQ(partitions[1].committed_offset, 5);
  request.groups.push_back({.group_id = "g", .topics = std::nullopt});
  const auto whole = client_->call<wire::OffsetFetchResponse>(request, 8);
  ASSERT_EQ(whole.groups.size(), 1u);
  EXPECT_EQ(whole.groups[0].topics.at(0).partitions.at(0).committed_offset, 5);
}

TEST_F(LargeAnswers, OffsetsThatDoNotFitTheMemoryAreRefusedGroupByGroup) {
  wire::OffsetFetchRequest request;
  for (int i = 0; i < 40; ++i) {
    const std::string group = "g" + std::to_string(i);
    commit_much(group);
    request.groups.push_back({.group_id = group, .topics = std::nullopt});
  }
  const auto refused = [&] {
    std::size_t n = 0;
    for (const auto& group : client_->call<wire::OffsetFetchResponse>(request, 8).groups) {
      n += group.error_code == code(K::coordinator_load_in_progress) ? 1 : 0;
      EXPECT_EQ(group.topics.empty(), group.error_code != 0);
    }
    return n;
  };
  {
    const PoolHold others = fill_memory(std::size_t{64} << 10);
    const std::size_t n = refused();
    EXPECT_GT(n, 15u);
    EXPECT_LT(n, 30u) << "what is small, and what fits, is answered";
  }
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(rig_->memory.out.pool().used(), 0u) << "given back when the answer is written";
}

TEST_F(LargeAnswers, ConfigsThatDoNotFitTheMemoryAreRefusedResourceByResource) {
  wire::DescribeConfigsRequest request{.include_synonyms = true, .include_documentation = true};
  for (int i = 0; i < 20; ++i) {
    create("topic-" + std::to_string(i));
    request.resources.push_back({2, "topic-" + std::to_string(i), std::nullopt});
  }
  const PoolHold others = fill_memory(1);
  const auto answer = client_->call<wire::DescribeConfigsResponse>(request, 4);
  ASSERT_EQ(answer.results.size(), 20u);
  EXPECT_EQ(answer.results.front().error_code, 0);
  EXPECT_FALSE(answer.results.front().configs.empty());
  const auto& last = answer.results.back();
  EXPECT_EQ(last.error_code, code(K::policy_violation));
  EXPECT_EQ(last.resource_name, "topic-19");
  EXPECT_TRUE(last.configs.empty());
  EXPECT_NE(last.error_message.value_or("").find("fewer resources at once"), std::string::npos);
}

TEST_F(LargeAnswers, MetadataWithoutMemoryIsAskedForAgain) {
  run([](engine::ClusterEngine& e, MonoTime until) -> rt::Task<void> {
    co_await e.create_topics({{"wide", 2'000, 3, {}}}, until);
  }(*engine_, rig_->node.loop().now() + 5s));
  wire::MetadataRequest request;
  request.topics = {{{.name = "wide"}}};
  {
    const PoolHold others = fill_memory(1);
    const auto answer = client_->call<wire::MetadataResponse>(request, 12);
    EXPECT_EQ(answer.topics.at(0).error_code, code(K::leader_not_available));
    request.topics = {{{.name = "t"}}};
    EXPECT_EQ(client_->call<wire::MetadataResponse>(request, 12).topics.at(0).error_code, 0)
        << "small answers need no room";
  }
  request.topics = {{{.name = "wide"}}};
  EXPECT_EQ(client_->call<wire::MetadataResponse>(request, 12).topics.at(0).partitions.size(),
            2'000u);
}

}  // namespace
}  // namespace weir::broker::handlers
