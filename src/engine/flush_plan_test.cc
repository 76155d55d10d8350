#include "engine/flush_plan.h"

#include <gtest/gtest.h>

namespace weir::engine {
namespace {

PartitionRef partition(std::uint8_t topic, std::int32_t index) {
  PartitionRef at;
  at.topic.bytes[0] = topic;
  at.partition = PartitionIndex(index);
  return at;
}

QueuedBatch batch(PartitionRef at, std::uint32_t bytes, std::int64_t producer = -1,
                  std::int32_t sequence = -1) {
  QueuedBatch out;
  out.item.at = at;
  out.item.batch = Buffer::make(bytes);
  out.item.info.bytes = bytes;
  out.item.info.records = 10;
  out.item.info.max_timestamp_ms = bytes;
  out.item.info.producer = ProducerId(producer);
  out.item.info.epoch = ProducerEpoch(0);
  out.item.info.base_sequence = sequence;
  return out;
}

FlushPlan plan(std::vector<QueuedBatch> batches, FlushLimits limits = {1'000, 100, 100}) {
  return plan_flush(std::move(batches), limits);
}

TEST(FlushPlan, groups_by_partition_in_the_order_of_arrival) {
  FlushPlan p =
      plan({batch(partition(2, 0), 1), batch(partition(1, 1), 2), batch(partition(2, 0), 3)});
  ASSERT_EQ(p.objects.size(), 1u);
  EXPECT_TRUE(p.is_inline);
  ASSERT_EQ(p.objects[0].spans.size(), 2u);
  EXPECT_EQ(p.objects[0].spans[0].span.at, partition(1, 1));
  const PlannedSpan& joined = p.objects[0].spans[1];
  ASSERT_EQ(joined.batches.size(), 2u);
  EXPECT_EQ(joined.batches[0].item.info.bytes, 1u);
  EXPECT_EQ(joined.batches[1].item.info.bytes, 3u);
  EXPECT_EQ(joined.span.bytes, 4u);
  EXPECT_EQ(joined.span.records, 20);
  EXPECT_EQ(joined.span.max_timestamp_ms, 3);
}

TEST(FlushPlan, a_run_joins_only_consecutive_sequences_of_one_producer) {
  PartitionRef at = partition(1, 0);
  FlushPlan p = plan({batch(at, 1, 7, 0), batch(at, 1, 7, 10), batch(at, 1, 7, 30),
                      batch(at, 1, 8, 40), batch(at, 1)});
  ASSERT_EQ(p.objects[0].spans.size(), 4u);
  EXPECT_EQ(p.objects[0].spans[0].span.records, 20);
  EXPECT_EQ(p.objects[0].spans[0].span.run->first_sequence, 0);
  EXPECT_EQ(p.objects[0].spans[1].span.run->first_sequence, 30);
  EXPECT_EQ(p.objects[0].spans[2].span.run->producer, ProducerId(8));
  EXPECT_FALSE(p.objects[0].spans[3].span.run.has_value());
}

TEST(FlushPlan, sequences_go_on_at_zero_after_the_greatest) {
  EXPECT_EQ(sequence_after(INT32_MAX, 1), 0);
  EXPECT_EQ(sequence_after(INT32_MAX - 9, 10), 0);
  EXPECT_EQ(sequence_after(0, 10), 10);
  PartitionRef at = partition(1, 0);
  EXPECT_EQ(plan({batch(at, 1, 7, INT32_MAX - 9), batch(at, 1, 7, 0)}).objects[0].spans.size(), 1u);
}

TEST(FlushPlan, a_large_flush_is_cut_between_spans_into_segments) {
  std::vector<QueuedBatch> batches;
  for (int i = 0; i < 30; ++i) batches.push_back(batch(partition(1, i), 60));
  FlushPlan p = plan(std::move(batches));
  EXPECT_FALSE(p.is_inline);
  EXPECT_EQ(p.objects.size(), 15u);
  std::size_t spans = 0;
  for (const PlannedObject& object : p.objects) {
    EXPECT_LE(object.bytes, 160u);
    spans += object.spans.size();
  }
  EXPECT_EQ(spans, 30u);
}

TEST(FlushPlan, more_spans_than_a_command_may_hold_become_several_commands) {
  std::vector<QueuedBatch> batches;
  for (int i = 0; i < 250; ++i) batches.push_back(batch(partition(1, i), 1));
  FlushPlan p = plan(std::move(batches));
  EXPECT_TRUE(p.is_inline);
  ASSERT_EQ(p.objects.size(), 3u);
  EXPECT_EQ(p.objects[2].spans.size(), 50u);
}

}  // namespace
}  // namespace weir::engine
