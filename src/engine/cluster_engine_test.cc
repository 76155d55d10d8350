#include "engine/cluster_engine.h"

#include <gtest/gtest.h>

#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;
using testing::Producer;
using testing::quick_options;
using testing::values_of;

class ClusterEngineTest : public testing::ClusterFixture {};

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

TEST_F(ClusterEngineTest, what_a_catch_up_reader_asks_for_next_is_loaded_ahead) {
  Options options = quick_options("a");
  options.inline_bytes = 0;
  EngineNode& writer = start("a", options);
  TopicId topic = create_topic("a", writer, "t");
  PartitionRef at{topic, PartitionIndex(0)};
  for (int i = 0; i < 6; ++i)
    ASSERT_TRUE(produce("a", writer, batch_of(at, {std::string(20'000, 'a')})).ok());
  EngineNode& reader = start("b", quick_options("b"));  // Its cache is empty.
  Counter& loads = reader.metrics().counter("weir_reader_loads_total", "");
  FetchedPartition first = fetch("b", reader, at, Offset(0), 21'000);
  EXPECT_EQ(values_of(first.records).size(), 1u);
  world_.run_for(1s);
  EXPECT_EQ(loads.value(), 2u);
  FetchedPartition second = fetch("b", reader, at, Offset(1), 21'000);
  EXPECT_EQ(values_of(second.records).size(), 1u);
  world_.run_for(1s);
  EXPECT_EQ(loads.value(), 3u);
}

TEST_F(ClusterEngineTest, nothing_is_loaded_ahead_of_a_reader_that_has_caught_up) {
  Options options = quick_options("a");
  options.inline_bytes = 0;
  EngineNode& writer = start("a", options);
  TopicId topic = create_topic("a", writer, "t");
  PartitionRef at{topic, PartitionIndex(0)};
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(produce("a", writer, batch_of(at, {"x"})).ok());
  EngineNode& reader = start("b", quick_options("b"));
  Counter& loads = reader.metrics().counter("weir_reader_loads_total", "");
  EXPECT_EQ(values_of(fetch("b", reader, at, Offset(1)).records).size(), 1u);
  world_.run_for(1s);
  EXPECT_EQ(loads.value(), 1u);
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

TEST_F(ClusterEngineTest, the_second_batch_of_a_new_producer_waits_for_the_first) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  Producer p{get(node("a"), a->new_producer_id(soon("a"))).value()};
  ProduceItem one = batch_of(at, {"one"}, &p), two = batch_of(at, {"two"}, &p);
  std::optional<std::vector<ProduceOutcome>> late;
  auto send = [](EngineNode& e, ProduceItem i, MonoTime d,
                 std::optional<std::vector<ProduceOutcome>>* out) -> rt::Task<void> {
    std::vector<ProduceItem> items;
    items.push_back(std::move(i));
    *out = co_await e->produce(std::move(items), d);
  };
  node("a").spawn(send(a, std::move(two), soon("a"), &late));
  world_.run_for(1s);
  EXPECT_FALSE(late.has_value());
  EXPECT_EQ(produce("a", a, std::move(one)).base_offset, Offset(0));
  ASSERT_TRUE(world_.run_while([&] { return !late; }, 1s));
  EXPECT_EQ(late->front().base_offset, Offset(1));
}

TEST_F(ClusterEngineTest, an_unknown_producer_gets_its_refusal_within_a_short_time_out_too) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  for (Duration time_out : {400ms, 30'000ms}) {
    Producer p{ProducerId(77), 5};
    std::vector<ProduceItem> items;
    items.push_back(batch_of(at, {"x"}, &p));
    MonoTime begin = world_.now();
    auto got = get(node("a"), a->produce(std::move(items), node("a").loop().now() + time_out));
    EXPECT_EQ(got.front().refusal, Refusal::unknown_producer);
    EXPECT_LT(world_.now() - begin, std::min<Duration>(time_out, 3s));
  }
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
