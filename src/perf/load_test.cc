// The loads, on a small broker in simulated time.
#include <gtest/gtest.h>

#include "client/producer.h"
#include "client/test_broker.h"
#include "perf/connect_load.h"
#include "perf/consumer_load.h"
#include "perf/end_to_end.h"
#include "perf/raw_producer.h"

namespace weir::perf {
namespace {

class Loads : public ::testing::Test {
 protected:
  Loads() { broker_.add_topic("t", 6); }
  ~Loads() override { run(cluster_.close()); }

  template <class T>
  T run(rt::Task<T> task) {
    std::optional<T> result;
    client_.spawn(store(std::move(task), result));
    EXPECT_TRUE(world_.run_while([&] { return !result.has_value(); }, 1000s)) << "did not end";
    return std::move(*result);
  }
  void run(rt::Task<void> task) { (void)run(truly(std::move(task))); }
  static rt::Task<bool> truly(rt::Task<void> task) {
    co_await std::move(task);
    co_return true;
  }
  template <class T>
  static rt::Task<void> store(rt::Task<T> task, std::optional<T>& result) {
    result.emplace(co_await std::move(task));
  }
  template <class Load>
  auto with_links(Load& load, Links& links) {
    auto outcome = run(load.run());
    run(links.close());
    return outcome;
  }
  void open(Links& links, std::size_t connections) {
    Result<void> opened =
        run(links.open({.topic = "t", .connections = connections}, cluster_.loop().now() + 10s));
    ASSERT_TRUE(opened) << opened.error().message;
  }
  Result<Outcome> raw(const ProduceOptions& options, std::size_t connections = 2) {
    Links links(cluster_, client_.network());
    open(links, connections);
    RawProducer producer(links, options);
    return with_links(producer, links);
  }
  Result<Outcome> records(const ProduceOptions& options) {
    Links links(cluster_, client_.network());
    open(links, 2);
    RecordProducer producer(links, options);
    return with_links(producer, links);
  }
  std::int64_t stored() {
    std::int64_t sum = 0;
    for (const auto& partition : broker_.topics["t"].partitions) sum += partition.end;
    return sum;
  }

  rt::sim::SimWorld world_{3};
  rt::sim::SimNode& broker_node_ = world_.start_node({.host = "broker"});
  rt::sim::SimNode& client_ = world_.start_node({.host = "client"});
  client::TestBroker& broker_ = broker_node_.make<client::TestBroker>(broker_node_, "broker");
  client::Cluster cluster_{
      client_.loop(), client_.network(), client_.random(), {.bootstrap = {{"broker", 9092}}}};
};

TEST_F(Loads, LinksShareOutThePartitions) {
  Links links(cluster_, client_.network());
  open(links, 4);
  ASSERT_EQ(links.shares().size(), 4u);
  EXPECT_EQ(links.shares()[0].partitions.size(), 2u);
  EXPECT_EQ(links.shares()[3].partitions, std::vector{PartitionIndex(3)});
  run(links.close());
}

TEST_F(Loads, ATopicIsMadeUnlessItIsThere) {
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(run(ensure_topic(cluster_, {.name = "new", .partitions = 3}, MonoTime::max())));
  EXPECT_EQ(broker_.topics["new"].partitions.size(), 3u);
}

TEST_F(Loads, ARawProducerSendsWhatWasAsked) {
  auto outcome = raw({.topic = "t", .batch_bytes = 8 << 10, .amount = {.bytes = 1 << 20}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_GE(outcome->payload_bytes, 1u << 20);
  EXPECT_LT(outcome->payload_bytes, (1u << 20) + (100u << 10));
  EXPECT_EQ(static_cast<std::int64_t>(outcome->records), stored());
  EXPECT_EQ(outcome->latency.count(), outcome->requests);
  for (const auto& partition : broker_.topics["t"].partitions) EXPECT_GT(partition.end, 0);
}

TEST_F(Loads, SequencesOfARawProducerAreInOrder) {
  auto outcome = raw(
      {.topic = "t", .batch_bytes = 4 << 10, .idempotent = true, .amount = {.bytes = 512 << 10}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(static_cast<std::int64_t>(outcome->records), stored());
  EXPECT_EQ(broker_.topics["t"].partitions[0].next_sequence.size(), 1u);
}

TEST_F(Loads, AFixedRateTakesItsTime) {
  auto outcome = raw({.topic = "t",
                      .batch_bytes = 10 << 10,
                      .bytes_per_second = 1'000'000,
                      .amount = {.time = 5s},
                      .partitions_per_request = 1});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_NEAR(static_cast<double>(outcome->payload_bytes), 5e6, 3e4);
  EXPECT_GT(outcome->took, Duration(4s));
  EXPECT_LT(outcome->took, Duration(6s));
}

TEST_F(Loads, ARefusedBatchEndsTheRun) {
  broker_.refuse_produce = {2};
  auto outcome = raw({.topic = "t", .batch_bytes = 1, .amount = {.bytes = 100'000}});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("t partition "), std::string::npos);
}

TEST_F(Loads, WaitingBehindAStallCounts) {
  // The broker is away for two seconds of four: what was due meanwhile has waited a second on
  // average, though only `window` requests were under way.
  world_.after(1s, nullptr, [this] { broker_node_.pause(); });
  world_.after(3s, nullptr, [this] { broker_node_.resume(); });
  auto outcome = raw({.topic = "t",
                      .batch_bytes = 1,
                      .window = 1,
                      .bytes_per_second = 100 << 10,
                      .amount = {.time = 4s},
                      .partitions_per_request = 1},
                     1);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_NEAR(static_cast<double>(outcome->requests), 400, 5);
  EXPECT_GT(outcome->latency.percentile(0.7), Duration(300ms));
  EXPECT_LT(outcome->latency.percentile(0.3), Duration(300ms));
  EXPECT_NEAR(static_cast<double>(outcome->latency.max().count()), 2e9, 1e8);
}

TEST_F(Loads, ARecordProducerBatchesByLinger) {
  auto outcome = records({.topic = "t",
                          .payload = {.value_bytes = 100},
                          .bytes_per_second = 100'000,
                          .amount = {.time = 2s},
                          .linger = 20ms});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_NEAR(static_cast<double>(outcome->records), 2000, 2);
  EXPECT_EQ(static_cast<std::int64_t>(outcome->records), stored());
  EXPECT_EQ(outcome->latency.count(), outcome->records);
  // A record a millisecond: a batch holds about twenty.
  EXPECT_LT(outcome->requests, 150u);
  EXPECT_GT(outcome->requests, 50u);
  EXPECT_GT(outcome->latency.percentile(0.95), Duration(18ms));
}

TEST_F(Loads, ARecordProducerPutsKeysWhereKafkaDoes) {
  auto outcome = records({.topic = "t",
                          .payload = {.value_bytes = 10, .keys = KeyKind::uniform, .key_count = 1},
                          .idempotent = true,
                          .amount = {.bytes = 5'000},
                          .linger = 0ms});
  ASSERT_TRUE(outcome) << outcome.error().message;
  const auto at = client::partition_of_key("key-0", 6).value;
  EXPECT_EQ(broker_.topics["t"].partitions[static_cast<std::size_t>(at)].end, stored());
  EXPECT_EQ(static_cast<std::int64_t>(outcome->records), stored());
}

TEST_F(Loads, AtFullSpeedBatchesAreFull) {
  auto outcome = records({.topic = "t",
                          .payload = {.value_bytes = 1000},
                          .batch_bytes = 16 << 10,
                          .codec = codec::Codec::lz4,
                          .idempotent = true,
                          .amount = {.bytes = 4 << 20}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(static_cast<std::int64_t>(outcome->records), stored());
  EXPECT_LT(outcome->batch_bytes, outcome->payload_bytes) << "compressed";
}

TEST_F(Loads, AConsumerReadsToTheEnd) {
  auto produced = raw({.topic = "t", .batch_bytes = 4 << 10, .amount = {.bytes = 1 << 20}});
  ASSERT_TRUE(produced);
  Links links(cluster_, client_.network());
  open(links, 3);
  const ConsumeOptions options{.topic = "t"};
  ConsumerLoad consumer(links, options);
  auto outcome = with_links(consumer, links);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->records, produced->records);
  EXPECT_EQ(outcome->batch_bytes, produced->batch_bytes);
}

TEST_F(Loads, AConsumerNoticesAHole) {
  ASSERT_TRUE(raw({.topic = "t", .batch_bytes = 1 << 10, .amount = {.bytes = 100 << 10}}));
  auto& batches = broker_.topics["t"].partitions[2].batches;
  batches.erase(batches.begin() + 1);
  Links links(cluster_, client_.network());
  open(links, 1);
  const ConsumeOptions options{.topic = "t"};
  ConsumerLoad consumer(links, options);
  auto outcome = with_links(consumer, links);
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("t partition 2"), std::string::npos);
}

TEST_F(Loads, EndToEndSeesEachRecordOnce) {
  ASSERT_TRUE(raw({.topic = "t", .batch_bytes = 1 << 10, .amount = {.bytes = 20 << 10}}));
  const ProduceOptions options{.topic = "t",
                               .payload = {.value_bytes = 100},
                               .bytes_per_second = 50'000,
                               .amount = {.time = 2s},
                               .linger = 10ms,
                               .stamps = true};
  Links producing(cluster_, client_.network()), consuming(cluster_, client_.network());
  open(producing, 2);
  open(consuming, 2);
  EndToEnd load({.producing = producing, .consuming = consuming}, options);
  auto outcome = with_links(load, producing);
  run(consuming.close());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_NEAR(static_cast<double>(outcome->produced.records), 1000, 2);
  EXPECT_EQ(outcome->consumed.records, outcome->produced.records);
  EXPECT_EQ(outcome->consumed.latency.count(), outcome->produced.records);
  EXPECT_GT(outcome->consumed.latency.percentile(0.95), Duration(9ms));
}

TEST_F(Loads, ConnectionsAreHeldAndOthersComeAndGo) {
  const ConnectOptions options{
      .bootstrap = {{"broker", 9092}}, .connections = 100, .hold = 2s, .per_second = 50};
  int held = 0;
  ConnectLoad load({cluster_, client_.network()}, options, [&] {
    ++held;
    EXPECT_EQ(broker_.connections, 100u);
  });
  Result<Outcome> outcome = run(load.run());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(held, 1);
  EXPECT_EQ(outcome->records, 200u);
  EXPECT_EQ(outcome->latency.count(), 100u);
  EXPECT_EQ(broker_.connections, 200u);
}

}  // namespace
}  // namespace weir::perf
