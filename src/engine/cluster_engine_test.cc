#include "engine/cluster_engine.h"

#include <gtest/gtest.h>

#include "base/narrow.h"
#include "commitlog/memory_log.h"
#include "engine/testing/engine_node.h"
#include "objstore/memory_store.h"
#include "record/reader.h"
#include "record/validate.h"

namespace weir::engine {
namespace {

using testing::EngineNode;
using testing::quick_options;

struct Producer {
  ProducerId id{-1};
  std::int32_t next_sequence = 0;
};

ProduceItem batch_of(PartitionRef at, std::vector<std::string> values,
                     Producer* producer = nullptr) {
  record::BatchOptions options;
  if (producer) {
    options.producer_id = producer->id;
    options.producer_epoch = ProducerEpoch(0);
    options.base_sequence = producer->next_sequence;
    producer->next_sequence += static_cast<std::int32_t>(values.size());
  }
  record::BatchBuilder builder(options);
  for (const std::string& value : values)
    builder.append({.timestamp = WallMillis(1'000), .value = as_bytes(value)});
  ProduceItem item;
  item.at = at;
  item.batch = std::move(builder).finish().value();
  record::BatchFacts facts = record::validate_batch(item.batch.view(), {}).value();
  item.info.bytes = narrow<std::uint32_t>(facts.size);
  item.info.records = facts.records;
  item.info.base_timestamp_ms = facts.base_timestamp.value;
  item.info.max_timestamp_ms = facts.max_timestamp.value;
  item.info.producer = facts.producer_id;
  item.info.epoch = facts.producer_epoch;
  item.info.base_sequence = facts.base_sequence;
  return item;
}

std::vector<std::string> values_of(const BytesChain& records,
                                   std::vector<std::int64_t>* offsets = nullptr) {
  std::vector<std::string> values;
  for (const SharedBytes& part : records.parts()) {
    record::BatchIterator batches(part.view());
    for (auto batch = batches.next(); batch && *batch; batch = batches.next()) {
      auto reader = record::RecordReader::open(**batch);
      EXPECT_TRUE(reader.has_value());
      if (!reader) return values;
      for (auto r = reader->next(); r && *r; r = reader->next()) {
        values.emplace_back(as_text((*r)->value.value_or(Bytes{})));
        if (offsets) offsets->push_back((*r)->offset.value);
      }
    }
  }
  return values;
}

class ClusterEngineTest : public ::testing::Test {
 protected:
  EngineNode& start(const std::string& host, Options options) {
    rt::sim::SimNode& node = world_.start_node({.host = host});
    EngineNode& engine =
        node.make<EngineNode>(node, testing::SharedStores{store_, log_}, std::move(options));
    run(node, [](EngineNode& e, rt::Loop& loop) -> rt::Task<void> {
      auto started = co_await e->start(loop.now() + 10s);
      EXPECT_TRUE(started.has_value()) << (started ? "" : started.error().message);
    }(engine, node.loop()));
    return engine;
  }
  EngineNode& start(const std::string& host) { return start(host, quick_options(host)); }

  /// Runs `task` on the node until it ends.
  void run(rt::sim::SimNode& node, rt::Task<void> task) {
    bool done = false;
    auto wrapped = [](rt::Task<void> inner, bool* flag) -> rt::Task<void> {
      co_await std::move(inner);
      *flag = true;
    };
    node.spawn(wrapped(std::move(task), &done));
    EXPECT_TRUE(world_.run_while([&] { return !done; }, 120s)) << "the task did not end";
  }
  template <class T>
  T get(rt::sim::SimNode& node, rt::Task<T> task) {
    std::optional<T> result;
    auto keep = [](rt::Task<T> inner, std::optional<T>* out) -> rt::Task<void> {
      out->emplace(co_await std::move(inner));
    };
    run(node, keep(std::move(task), &result));
    return std::move(*result);
  }
  rt::sim::SimNode& node(const std::string& host) { return *world_.node(host); }
  MonoTime soon(const std::string& host) { return node(host).loop().now() + 10s; }

  TopicId create_topic(const std::string& host, EngineNode& engine, std::string name,
                       std::int32_t partitions = 1) {
    auto made =
        get(node(host), engine->create_topics({{std::move(name), partitions, 1, {}}}, soon(host)));
    EXPECT_TRUE(made.front().ok());
    return made.front().id;
  }
  ProduceOutcome produce(const std::string& host, EngineNode& engine, ProduceItem item) {
    std::vector<ProduceItem> items;
    items.push_back(std::move(item));
    return get(node(host), engine->produce(std::move(items), soon(host))).front();
  }
  FetchedPartition fetch(const std::string& host, EngineNode& engine, PartitionRef at, Offset from,
                         std::uint32_t bytes = 1u << 20, Duration wait = 0ms) {
    FetchOptions options;
    options.bytes_max = bytes;
    options.deadline = node(host).loop().now() + wait;
    return get(node(host), engine->fetch({{at, from, bytes}}, options, nullptr)).front();
  }

  rt::sim::SimWorld world_{42};
  objstore::MemoryStore store_;
  commitlog::MemoryLog log_;
};

TEST_F(ClusterEngineTest, serves_what_was_produced_with_dense_offsets) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  EXPECT_EQ(produce("a", a, batch_of(at, {"one", "two"})).base_offset, Offset(0));
  EXPECT_EQ(produce("a", a, batch_of(at, {"three"})).base_offset, Offset(2));
  std::vector<std::int64_t> offsets;
  FetchedPartition got = fetch("a", a, at, Offset(0));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(values_of(got.records, &offsets), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(offsets, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(got.info.end, Offset(3));
}

TEST_F(ClusterEngineTest, an_offset_inside_a_batch_returns_the_whole_batch) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  produce("a", a, batch_of(at, {"one", "two", "three"}));
  EXPECT_EQ(values_of(fetch("a", a, at, Offset(1)).records).size(), 3u);
  EXPECT_TRUE(fetch("a", a, at, Offset(3)).records.empty());
}

TEST_F(ClusterEngineTest, the_first_batch_comes_even_above_the_limit) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  produce("a", a, batch_of(at, {std::string(1000, 'x')}));
  produce("a", a, batch_of(at, {"small"}));
  EXPECT_EQ(values_of(fetch("a", a, at, Offset(0), 10).records).size(), 1u);
}

TEST_F(ClusterEngineTest, large_flushes_become_segments_and_read_the_same) {
  Options options = quick_options("a");
  options.inline_bytes = 100;
  options.segment_bytes = 1'000;
  EngineNode& a = start("a", options);
  TopicId topic = create_topic("a", a, "t", 5);
  std::vector<ProduceItem> items;
  for (int p = 0; p < 5; ++p)
    items.push_back(
        batch_of({topic, PartitionIndex(p)}, {std::string(600, static_cast<char>('a' + p))}));
  for (const ProduceOutcome& o : get(node("a"), a->produce(std::move(items), soon("a"))))
    EXPECT_TRUE(o.ok());
  auto objects = get(node("a"), store_.list("data/", ""));
  EXPECT_GE(objects->objects.size(), 2u);
  for (int p = 0; p < 5; ++p)
    EXPECT_EQ(values_of(fetch("a", a, {topic, PartitionIndex(p)}, Offset(0)).records),
              std::vector<std::string>{std::string(600, static_cast<char>('a' + p))});
}

TEST_F(ClusterEngineTest, a_parked_fetch_is_woken_by_the_fold_at_once) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  FetchOptions options;
  options.bytes_max = 1000;
  options.deadline = node("a").loop().now() + 30s;
  std::optional<std::vector<FetchedPartition>> got;
  auto wait = [](EngineNode& e, PartitionRef p, FetchOptions o,
                 std::optional<std::vector<FetchedPartition>>* out) -> rt::Task<void> {
    *out = co_await e->fetch({{p, Offset(0), 1000}}, o, nullptr);
  };
  node("a").spawn(wait(a, at, options, &got));
  world_.run_for(1s);
  EXPECT_EQ(a->status().parked_fetches, 1u);
  EXPECT_FALSE(got.has_value());
  MonoTime before = world_.now();
  produce("a", a, batch_of(at, {"x"}));
  ASSERT_TRUE(world_.run_while([&] { return !got; }, 1s));
  EXPECT_LT(world_.now() - before, 10ms);
  EXPECT_EQ(values_of(got->front().records), std::vector<std::string>{"x"});
}

TEST_F(ClusterEngineTest, a_parked_fetch_ends_at_its_deadline_with_an_empty_answer) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  MonoTime before = world_.now();
  EXPECT_TRUE(fetch("a", a, at, Offset(0), 1000, 500ms).records.empty());
  EXPECT_GE(world_.now() - before, 499ms);
}

TEST_F(ClusterEngineTest, refuses_offsets_out_of_range_and_unknown_partitions) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  EXPECT_EQ(fetch("a", a, at, Offset(1)).refusal, Refusal::offset_out_of_range);
  EXPECT_EQ(fetch("a", a, {at.topic, PartitionIndex(7)}, Offset(0)).refusal,
            Refusal::unknown_partition);
  EXPECT_EQ(fetch("a", a, {TopicId{}, PartitionIndex(0)}, Offset(0)).refusal,
            Refusal::unknown_topic);
  EXPECT_EQ(produce("a", a, batch_of({at.topic, PartitionIndex(7)}, {"x"})).refusal,
            Refusal::unknown_partition);
}

TEST_F(ClusterEngineTest, a_repeated_batch_gets_its_original_offset) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  Producer p{get(node("a"), a->new_producer_id(soon("a"))).value()};
  ProduceItem first = batch_of(at, {"one"}, &p);
  ProduceItem again = first;
  again.batch = SharedBytes::copy_of(first.batch.view());
  EXPECT_EQ(produce("a", a, std::move(first)).base_offset, Offset(0));
  EXPECT_EQ(produce("a", a, batch_of(at, {"two"}, &p)).base_offset, Offset(1));
  EXPECT_EQ(produce("a", a, std::move(again)).base_offset, Offset(0));
  EXPECT_EQ(values_of(fetch("a", a, at, Offset(0)).records),
            (std::vector<std::string>{"one", "two"}));
}

TEST_F(ClusterEngineTest, a_batch_ahead_of_its_sequence_waits_for_its_predecessor) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  Producer p{get(node("a"), a->new_producer_id(soon("a"))).value()};
  ProduceItem one = batch_of(at, {"one"}, &p), two = batch_of(at, {"two"}, &p),
              three = batch_of(at, {"three"}, &p);
  EXPECT_EQ(produce("a", a, std::move(one)).base_offset, Offset(0));
  std::optional<std::vector<ProduceOutcome>> late;
  auto send = [](EngineNode& e, ProduceItem i, MonoTime d,
                 std::optional<std::vector<ProduceOutcome>>* out) -> rt::Task<void> {
    std::vector<ProduceItem> items;
    items.push_back(std::move(i));
    *out = co_await e->produce(std::move(items), d);
  };
  node("a").spawn(send(a, std::move(three), soon("a"), &late));
  world_.run_for(500ms);
  EXPECT_FALSE(late.has_value());
  EXPECT_EQ(produce("a", a, std::move(two)).base_offset, Offset(1));
  ASSERT_TRUE(world_.run_while([&] { return !late; }, 1s));
  EXPECT_EQ(late->front().base_offset, Offset(2));
}

TEST_F(ClusterEngineTest, a_gap_that_stays_is_refused_after_a_while) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  Producer p{get(node("a"), a->new_producer_id(soon("a"))).value()};
  produce("a", a, batch_of(at, {"one"}, &p));
  batch_of(at, {"lost"}, &p);
  EXPECT_EQ(produce("a", a, batch_of(at, {"three"}, &p)).refusal, Refusal::out_of_order_sequence);
}

TEST_F(ClusterEngineTest, an_unknown_producer_in_the_middle_is_refused_with_the_log_start) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  Producer p{ProducerId(77), 5};
  ProduceOutcome got = produce("a", a, batch_of(at, {"x"}, &p));
  EXPECT_EQ(got.refusal, Refusal::unknown_producer);
  EXPECT_EQ(got.log_start, Offset(0));
}

TEST_F(ClusterEngineTest, a_restarted_broker_serves_everything_that_was_acknowledged) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  std::vector<std::string> expected;
  for (int i = 0; i < 200; ++i) {
    expected.push_back("value " + std::to_string(i));
    ASSERT_EQ(produce("a", a, batch_of(at, {expected.back()})).base_offset, Offset(i));
  }
  world_.run_for(5s);
  node("a").kill();
  EngineNode& again = start("a");
  EXPECT_EQ(values_of(fetch("a", again, at, Offset(0)).records), expected);
  EXPECT_EQ(produce("a", again, batch_of(at, {"next"})).base_offset, Offset(200));
  EXPECT_GT(again->status().folded, Position(200));
}

TEST_F(ClusterEngineTest, two_brokers_share_one_order) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  EXPECT_NE(a->node_id(), b->node_id());
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  // A topic is visible on any broker at once, after a barrier.
  ASSERT_TRUE(get(node("b"), b->barrier(soon("b"))).has_value());
  EXPECT_NE(b->catalog().topic("t"), nullptr);
  EXPECT_EQ(produce("b", b, batch_of(at, {"from b"})).base_offset, Offset(0));
  EXPECT_EQ(produce("a", a, batch_of(at, {"from a"})).base_offset, Offset(1));
  EXPECT_EQ(values_of(fetch("b", b, at, Offset(0), 1000, 1s).records).size(), 1u);
  ASSERT_TRUE(get(node("b"), b->barrier(soon("b"))).has_value());
  EXPECT_EQ(values_of(fetch("b", b, at, Offset(0)).records),
            (std::vector<std::string>{"from b", "from a"}));
  EXPECT_EQ(a->catalog().brokers().size(), 2u);
  EXPECT_EQ(a->catalog().placement_epoch(), b->catalog().placement_epoch());
}

TEST_F(ClusterEngineTest, a_silent_broker_is_expired_and_a_paused_one_comes_back) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  world_.run_for(2s);
  Incarnation first = b->status().incarnation;
  node("b").pause();
  world_.run_for(30s);
  EXPECT_EQ(a->catalog().brokers().size(), 1u);
  node("b").resume();
  world_.run_for(5s);
  // A broker that believes to be alone looks rarely; a barrier makes it look.
  ASSERT_TRUE(get(node("a"), a->barrier(soon("a"))).has_value());
  EXPECT_EQ(a->catalog().brokers().size(), 2u);
  EXPECT_NE(b->status().incarnation, first);
  EXPECT_TRUE(b->status().ready);
}

TEST_F(ClusterEngineTest, a_clean_stop_commits_what_is_buffered_and_leaves) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  EXPECT_TRUE(produce("a", a, batch_of(at, {"x"})).ok());
  run(node("a"), a->stop(soon("a")));
  world_.run_for(3s);
  EXPECT_EQ(b->catalog().brokers().size(), 1u);
  node("a").exit();
}

TEST_F(ClusterEngineTest, another_cluster_id_is_refused_with_a_sentence) {
  start("a");
  Options other = quick_options("b");
  other.cluster_id = "another";
  rt::sim::SimNode& n = world_.start_node({.host = "b"});
  EngineNode& b = n.make<EngineNode>(n, testing::SharedStores{store_, log_}, other);
  auto started = get(n, b->start(n.loop().now() + 5s));
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code, ErrorCode::configuration);
  EXPECT_NE(started.error().message.find("another"), std::string::npos);
}

TEST_F(ClusterEngineTest, finds_records_by_time) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  produce("a", a, batch_of(at, {"x", "y"}));
  auto answers = get(
      node("a"), a->find_timestamps({{at, 500}, {at, 2'000}, {at, kQueryMaxTimestamp}}, soon("a")));
  EXPECT_EQ(answers[0].offset, Offset(0));
  EXPECT_EQ(answers[0].timestamp_ms, 1'000);
  EXPECT_EQ(answers[1].offset, Offset(-1));
  EXPECT_EQ(answers[2].offset, Offset(0));
}

TEST_F(ClusterEngineTest, deletes_records_and_then_refuses_them) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  produce("a", a, batch_of(at, {"x"}));
  produce("a", a, batch_of(at, {"y"}));
  auto done = get(node("a"), a->delete_records({{at, Offset(1)}}, soon("a")));
  EXPECT_EQ(done.front().log_start, Offset(1));
  EXPECT_EQ(fetch("a", a, at, Offset(0)).refusal, Refusal::offset_out_of_range);
  EXPECT_EQ(values_of(fetch("a", a, at, Offset(1)).records), std::vector<std::string>{"y"});
  EXPECT_EQ(get(node("a"), a->delete_records({{at, Offset(9)}}, soon("a"))).front().refusal,
            Refusal::offset_out_of_range);
}

}  // namespace
}  // namespace weir::engine
