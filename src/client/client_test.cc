#include <gtest/gtest.h>

#include "client/admin_client.h"
#include "client/consumer.h"
#include "client/producer.h"
#include "client/test_broker.h"
#include "rt/sim/fabric.h"

namespace weir::client {
namespace {

/// A world with one broker and one client process.
class ClientTest : public testing::Test {
 protected:
  void TearDown() override {
    bool stopped = false;
    client_node_.spawn(stop(stopped));
    world_.run_for(300s);
    EXPECT_TRUE(stopped);
    EXPECT_EQ(client_node_.running(), 0u) << "every task of the client ends";
  }
  rt::Task<void> stop(bool& stopped) {
    if (producer_) co_await producer_->close();
    co_await cluster_.close();
    stopped = true;
  }
  /// Runs a task of the client to its end, or fails.
  template <class T>
  T run(rt::Task<T> task, Duration limit = 600s) {
    std::optional<T> result;
    client_node_.spawn(store(std::move(task), result));
    EXPECT_TRUE(world_.run_while([&] { return !result.has_value(); }, limit));
    return std::move(result.value());
  }
  template <class T>
  static rt::Task<void> store(rt::Task<T> task, std::optional<T>& result) {
    result.emplace(co_await std::move(task));
  }
  MonoTime in(Duration d) { return client_node_.loop().now() + d; }

  Producer& producer(const ProducerOptions& options = {}, DeliveryListener* listener = nullptr) {
    producer_ = std::make_unique<Producer>(cluster_, client_node_.random(), options, listener);
    return *producer_;
  }
  Result<void> send(const std::string& value, std::int32_t partition = 0) {
    return run(producer_->send("t", {.value = value, .partition = PartitionIndex(partition)}));
  }
  /// All values of a partition as the consumer sees them.
  std::vector<std::string> values(std::int32_t partition = 0, Offset from = Offset(0)) {
    Consumer consumer(cluster_, {});
    consumer.assign({"t", PartitionIndex(partition)}, from);
    std::vector<std::string> all;
    for (;;) {
      Result<std::vector<Fetched>> fetched = run(consumer.poll(in(60s)));
      EXPECT_TRUE(fetched) << fetched.error().message;
      if (!fetched || fetched->empty()) return all;
      for (const Fetched& part : *fetched)
        EXPECT_TRUE(for_each_record(part, [&](const record::RecordView& record) {
          EXPECT_EQ(record.offset.value, from.value + narrow<std::int64_t>(all.size()));
          all.emplace_back(as_text(*record.value));
          return true;
        }));
    }
  }

  rt::sim::SimWorld world_{11};
  rt::sim::SimNode& broker_node_ = world_.start_node({.host = "broker"});
  rt::sim::SimNode& client_node_ = world_.start_node({.host = "client"});
  TestBroker& broker_ = broker_node_.make<TestBroker>(broker_node_, "broker");
  Cluster cluster_{client_node_.loop(),
                   client_node_.network(),
                   client_node_.random(),
                   {.bootstrap = {{"nobody", 9092}, {"broker", 9092}}, .client_id = "test"}};
  std::unique_ptr<Producer> producer_;
};

std::vector<std::string> numbered(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back("value-" + std::to_string(i));
  return all;
}

TEST_F(ClientTest, FindsATopicThroughTheFirstBootstrapAddressThatAnswers) {
  broker_.add_topic("t", 3);
  Result<TopicMetadata> topic = run(cluster_.topic("t", in(60s)));
  ASSERT_TRUE(topic) << topic.error().message;
  EXPECT_EQ(topic->partitions.size(), 3u);
  EXPECT_EQ(topic->partitions[2].leader, NodeId(1));
  EXPECT_TRUE(run(cluster_.topic("absent", in(60s))).error().is(ErrorCode::not_found));
}

TEST_F(ClientTest, FallsBackToTheOldestApiVersions) {
  broker_.add_topic("t", 1);
  broker_.api_versions_max = 0;
  EXPECT_TRUE(run(cluster_.topic("t", in(60s))));
}

TEST_F(ClientTest, AsksAgainWhenAnAnswerIsLost) {
  broker_.add_topic("t", 1);
  broker_.swallow_metadata = 1;
  EXPECT_TRUE(run(cluster_.topic("t", in(90s))));
  EXPECT_GE(broker_.connections, 2u);
}

TEST_F(ClientTest, SaysThatNobodyAnswers) {
  broker_.add_topic("t", 1);
  ASSERT_TRUE(run(cluster_.topic("t", in(15s))));
  cluster_.forget("t");
  world_.fabric().partition("client", "broker");
  Result<TopicMetadata> topic = run(cluster_.topic("t", in(15s)));
  ASSERT_FALSE(topic);
  EXPECT_TRUE(is_retriable(topic.error())) << describe(topic.error());
  world_.fabric().heal_all();
}

TEST_F(ClientTest, GivesUpSoonOnAClusterThatNeverAnsweredAndAtOnceOnAHostThatDoesNotExist) {
  struct {
    std::vector<rt::Endpoint> bootstrap;
    Duration at_least, at_most;
  } cases[] = {{{{"broker", 1}}, 1s, 3500ms},
               {{{"nobody", 9092}}, 0s, 100ms},
               {{{"broker", 1}, {"nobody", 9092}}, 1s, 3500ms}};
  for (auto& c : cases) {
    Cluster cluster(client_node_.loop(), client_node_.network(), client_node_.random(),
                    {.bootstrap = c.bootstrap, .client_id = "test"});
    MonoTime begin = world_.now();
    auto topics = run(cluster.topics(in(30s)));
    ASSERT_FALSE(topics);
    EXPECT_TRUE(topics.error().is(ErrorCode::configuration)) << describe(topics.error());
    EXPECT_GE(world_.now() - begin, c.at_least);
    EXPECT_LE(world_.now() - begin, c.at_most);
    run([](Cluster& ended) -> rt::Task<bool> {
      co_await ended.close();
      co_return true;
    }(cluster));
  }
}

TEST_F(ClientTest, ShuttingEndsAPauseAtOnce) {
  client_node_.spawn([](Cluster& cluster) -> rt::Task<void> {
    co_await rt::sleep_for(cluster.loop(), 200ms);
    cluster.shut();
  }(cluster_));
  MonoTime begin = world_.now();
  world_.fabric().partition("client", "broker");
  EXPECT_FALSE(run(cluster_.topic("t", in(600s))));
  EXPECT_LT(world_.now() - begin, 15s);
  world_.fabric().heal_all();
}

TEST_F(ClientTest, DeliversRecordsInOrder) {
  broker_.add_topic("t", 2);
  producer({.batch_bytes_max = 500});
  for (const std::string& value : numbered(100)) EXPECT_TRUE(send(value));
  EXPECT_TRUE(send("other", 1));
  EXPECT_TRUE(run(producer_->flush()));
  EXPECT_EQ(producer_->records_delivered(), 101u);
  EXPECT_EQ(values(), numbered(100));
  EXPECT_EQ(values(1), std::vector<std::string>{"other"});
  EXPECT_EQ(values(0, Offset(98)), (std::vector<std::string>{"value-98", "value-99"}));
  EXPECT_GT(broker_.produces, 10u);
}

TEST_F(ClientTest, LingeringSendsWithoutAFlush) {
  broker_.add_topic("t", 1);
  producer({.linger = 5ms});
  EXPECT_TRUE(send("a"));
  EXPECT_TRUE(send("b"));
  world_.run_for(1s);
  EXPECT_EQ(producer_->records_delivered(), 2u);
  EXPECT_EQ(broker_.produces, 1u);
}

TEST_F(ClientTest, KeepsOrderAndAvoidsDuplicatesThroughRefusalsAndLostAnswers) {
  constexpr std::int16_t kNotLeader = 6, kStorage = 56, kTimedOut = 7;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    rt::SeededRandom random(seed);
    broker_.topics.clear();
    broker_.add_topic("t", 1);
    if (producer_)
      run([](Producer& p) -> rt::Task<bool> {
        co_await p.close();
        co_return true;
      }(*producer_));
    cluster_.forget("t");
    producer({.batch_bytes_max = 300, .linger = 1ms});
    std::vector<std::string> sent = numbered(200);
    for (const std::string& value : sent) {
      EXPECT_TRUE(send(value));
      if (random.below(10) == 0)
        broker_.refuse_produce.push_back(
            std::array{kNotLeader, kStorage, kTimedOut}[random.below(3)]);
      if (random.below(15) == 0) broker_.swallow_produce = 1;
      if (random.below(4) == 0) world_.run_for(Duration(1ms) * random.below(5));
    }
    Result<void> flushed = run(producer_->flush());
    EXPECT_TRUE(flushed) << flushed.error().message;
    EXPECT_EQ(values(), sent);
    broker_.swallow_produce = 0;
    broker_.refuse_produce.clear();
  }
}

TEST_F(ClientTest, AFatalRefusalEndsThePartitionAndIsReported) {
  broker_.add_topic("t", 2);
  producer();
  constexpr std::int16_t kTooLarge = 10;
  broker_.refuse_produce = {kTooLarge};
  EXPECT_TRUE(send("a"));
  Result<void> flushed = run(producer_->flush());
  ASSERT_FALSE(flushed);
  EXPECT_TRUE(flushed.error().is(ErrorCode::too_large)) << flushed.error().message;
  EXPECT_FALSE(send("b"));
  EXPECT_TRUE(send("elsewhere", 1));
  EXPECT_TRUE(run(producer_->flush()));
  EXPECT_EQ(producer_->records_failed(), 1u);
}

TEST_F(ClientTest, GoesOnWhenAPartitionThatHadNoLeaderGetsOne) {
  broker_.add_topic("t", 1);
  broker_.leader = -1;
  Producer& sender = producer();
  ASSERT_TRUE(send("x"));
  // The attempt fails by what is known already, without waiting for any answer.
  world_.run_for(5s);
  EXPECT_EQ(broker_.produces, 0u);
  broker_.leader = 1;
  EXPECT_TRUE(run(sender.flush()));
  EXPECT_EQ(values(), std::vector<std::string>{"x"});
}

TEST_F(ClientTest, GivesUpAfterTheDeliveryTimeout) {
  broker_.add_topic("t", 1);
  producer({.delivery_timeout = 20s});
  EXPECT_TRUE(send("a"));
  world_.fabric().partition("client", "broker");
  Result<void> flushed = run(producer_->flush());
  EXPECT_FALSE(flushed);
  world_.fabric().heal_all();
}

TEST_F(ClientTest, ASmallBufferMakesSendWaitAndNothingIsLost) {
  broker_.add_topic("t", 1);
  producer({.batch_bytes_max = 200, .buffered_bytes_max = 400});
  for (const std::string& value : numbered(50)) EXPECT_TRUE(send(value));
  EXPECT_TRUE(run(producer_->flush()));
  EXPECT_EQ(values(), numbered(50));
  EXPECT_TRUE(send(std::string(1000, 'x')).error().is(ErrorCode::too_large));
}

TEST_F(ClientTest, WithoutAcknowledgementsRecordsAreSentAllTheSame) {
  broker_.add_topic("t", 1);
  producer({.acks = 0});
  for (const std::string& value : numbered(5)) EXPECT_TRUE(send(value));
  EXPECT_TRUE(run(producer_->flush()));
  world_.run_for(1s);
  EXPECT_EQ(values(), numbered(5));
}

TEST_F(ClientTest, CompressedRecordsWithKeysAndHeadersComeBackWhole) {
  broker_.add_topic("t", 4);
  producer({.codec = codec::Codec::zstd});
  OutgoingRecord record{.key = "user-1", .value = std::nullopt, .headers = {{"h", "x"}, {"h", ""}}};
  record.timestamp = WallMillis(1234);
  EXPECT_TRUE(run(producer_->send("t", record)));
  EXPECT_TRUE(run(producer_->flush()));
  PartitionIndex partition = partition_of_key("user-1", 4);
  Consumer consumer(cluster_, {});
  consumer.assign({"t", partition}, Offset(0));
  Result<std::vector<Fetched>> fetched = run(consumer.poll(in(60s)));
  ASSERT_TRUE(fetched);
  ASSERT_EQ(fetched->size(), 1u);
  int seen = 0;
  EXPECT_TRUE(for_each_record(fetched->front(), [&](const record::RecordView& view) {
    ++seen;
    EXPECT_EQ(as_text(*view.key), "user-1");
    EXPECT_FALSE(view.value);
    EXPECT_EQ(view.timestamp, WallMillis(1234));
    EXPECT_EQ(view.headers.count(), 2);
    return true;
  }));
  EXPECT_EQ(seen, 1);
}

TEST_F(ClientTest, FindsOffsetsByTimeAndRefusesUnknownOnes) {
  broker_.add_topic("t", 1);
  producer();
  EXPECT_TRUE(run(producer_->send("t", {.value = "a", .timestamp = WallMillis(100)})));
  EXPECT_TRUE(run(producer_->flush()));
  EXPECT_TRUE(run(producer_->send("t", {.value = "b", .timestamp = WallMillis(200)})));
  EXPECT_TRUE(run(producer_->flush()));
  Consumer consumer(cluster_, {});
  TopicPartition at{"t", PartitionIndex(0)};
  EXPECT_EQ(run(consumer.find_offset(at, kEarliestTimestamp, in(9s))).value(), Offset(0));
  EXPECT_EQ(run(consumer.find_offset(at, kLatestTimestamp, in(9s))).value(), Offset(2));
  EXPECT_EQ(run(consumer.find_offset(at, 150, in(9s))).value(), Offset(1));
  EXPECT_EQ(run(consumer.find_offset(at, 300, in(9s))).value(), Offset(-1));
  consumer.assign(at, Offset(99));
  Result<std::vector<Fetched>> fetched = run(consumer.poll(in(9s)));
  ASSERT_FALSE(fetched);
  EXPECT_NE(fetched.error().message.find("t partition 0 at offset 99"), std::string::npos);
}

TEST_F(ClientTest, ACorruptBatchIsNamed) {
  broker_.add_topic("t", 1);
  producer();
  EXPECT_TRUE(send("hello"));
  EXPECT_TRUE(run(producer_->flush()));
  SharedBytes& stored = broker_.topics["t"].partitions[0].batches[0];
  stored.mutable_view().back() ^= std::byte{1};
  Consumer consumer(cluster_, {});
  consumer.assign({"t", PartitionIndex(0)}, Offset(0));
  Result<std::vector<Fetched>> fetched = run(consumer.poll(in(9s)));
  ASSERT_TRUE(fetched);
  Result<void> walked =
      for_each_record(fetched->front(), [](const record::RecordView&) { return true; });
  ASSERT_FALSE(walked);
  EXPECT_TRUE(walked.error().is(ErrorCode::corrupt));
  EXPECT_NE(walked.error().message.find("t partition 0: batch at offset 0"), std::string::npos);
}

TEST_F(ClientTest, AdministersTopicsAndConfigs) {
  AdminClient admin(cluster_);
  std::vector<NewTopic> topics{{.name = "a", .partitions = 2, .configs = {{"retention.ms", "5"}}},
                               {.name = "b"}};
  auto created = run(admin.create_topics(topics, in(9s)));
  ASSERT_TRUE(created);
  EXPECT_FALSE(created->at(0).error);
  auto again = run(admin.create_topics({{.name = "a"}}, in(9s)));
  EXPECT_TRUE(again->at(0).error->is(ErrorCode::already_exists));
  EXPECT_NE(again->at(0).error->message.find("already exists"), std::string::npos);
  EXPECT_EQ(run(cluster_.topics(in(9s))).value().size(), 2u);
  EXPECT_TRUE(run(admin.grow_topic("a", 5, in(9s))));
  EXPECT_FALSE(run(admin.grow_topic("a", 5, in(9s))));
  EXPECT_EQ(run(cluster_.topic("a", in(9s)))->partitions.size(), 5u);
  ConfigTarget target{.name = "a"};
  EXPECT_TRUE(
      run(admin.alter_configs(target, {{"x", "1"}, {"retention.ms", std::nullopt}}, in(9s))));
  auto configs = run(admin.describe_configs(target, in(9s))).value();
  ASSERT_EQ(configs.size(), 2u);
  EXPECT_TRUE(configs[0].is_default);
  EXPECT_EQ(configs[1].name, "x");
  EXPECT_EQ(configs[1].source, "topic");
  auto deleted = run(admin.delete_topics({"a", "c"}, in(9s))).value();
  EXPECT_FALSE(deleted[0].error);
  EXPECT_TRUE(deleted[1].error->is(ErrorCode::not_found));
}

TEST(PartitionOfKey, AgreesWithKafkasClients) {
  // Values of org.apache.kafka.common.utils.Utils.murmur2, from its public test.
  EXPECT_EQ(partition_of_key("21", 1000), PartitionIndex((-973932308 & 0x7fffffff) % 1000));
  EXPECT_EQ(partition_of_key("foobar", 1000), PartitionIndex((-790332482 & 0x7fffffff) % 1000));
  EXPECT_EQ(partition_of_key("a-little-bit-long-string", 1000),
            PartitionIndex((-985981536 & 0x7fffffff) % 1000));
  EXPECT_EQ(partition_of_key("abc", 1000), PartitionIndex((479470107 & 0x7fffffff) % 1000));
}

TEST_F(ClientTest, EachBootstrapAddressIsNamedWithItsOwnReason) {
  rt::sim::SimNode& frozen = world_.start_node({.host = "frozen"});
  world_.start_node({.host = "dead"});
  auto listener = frozen.network().listen(frozen.loop(), {"frozen", 9092});
  ASSERT_TRUE(listener);
  for (const char* first : {"frozen", "dead"}) {
    const char* second = std::string_view(first) == "dead" ? "frozen" : "dead";
    Cluster cluster(client_node_.loop(), client_node_.network(), client_node_.random(),
                    {.bootstrap = {{first, 9092}, {second, 9092}}});
    auto topics = run(cluster.topics(in(5s)));
    ASSERT_FALSE(topics);
    EXPECT_FALSE(cluster.has_answered());
    const std::string& said = topics.error().message;
    EXPECT_NE(said.find("frozen:9092: ApiVersions: no answer"), std::string::npos) << said;
    EXPECT_NE(said.find("dead:9092: connect to dead:9092: "), std::string::npos) << said;
    EXPECT_EQ(said.find("dead:9092: no answer in time"), std::string::npos) << said;
    run([](Cluster& c) -> rt::Task<bool> {
      co_await c.close();
      co_return true;
    }(cluster));
  }
}

}  // namespace
}  // namespace weir::client
