// What a partition tells of its producers: State::producers.
#include <gtest/gtest.h>

#include <limits>

#include "state/commands/advance_start.h"
#include "state/producers/runs.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::Cluster;
using testing::run_of;
using testing::run_span;

class ProducerInfoTest : public ::testing::Test {
 protected:
  void append(std::int64_t producer, std::int16_t epoch, std::int32_t sequence, std::int64_t ms) {
    NewSpan span = run_span(topic_, 0, 2, run_of(producer, epoch, sequence));
    span.max_timestamp_ms = ms;
    ASSERT_EQ(cluster_.append({span}).at(0).refusal, Refusal::none);
  }
  std::vector<ProducerInfo> told() {
    return cluster_.state().producers({topic_, PartitionIndex(0)});
  }
  Cluster cluster_;
  TopicId topic_ = cluster_.add_topic("t", 2);
};

TEST_F(ProducerInfoTest, each_producer_is_told_once_by_id_with_its_last_record) {
  append(9, 0, 0, 1'000);
  append(4, 3, 0, 2'000);
  append(9, 0, 2, 3'000);
  const auto producers = told();
  ASSERT_EQ(producers.size(), 2u);
  EXPECT_EQ(producers[0].id, ProducerId(4));
  EXPECT_EQ(producers[0].epoch, ProducerEpoch(3));
  EXPECT_EQ(producers[0].last_sequence, 1);
  EXPECT_EQ(producers[0].last_timestamp_ms, 2'000);
  EXPECT_EQ(producers[0].end, Offset(4));
  EXPECT_EQ(producers[1].id, ProducerId(9));
  EXPECT_EQ(producers[1].last_sequence, 3);
  EXPECT_EQ(producers[1].last_timestamp_ms, 3'000);
  EXPECT_TRUE(cluster_.state().producers({topic_, PartitionIndex(1)}).empty());
  EXPECT_TRUE(cluster_.state().producers({topic_, PartitionIndex(2)}).empty());
}

TEST_F(ProducerInfoTest, a_producer_whose_records_are_deleted_has_no_timestamp) {
  append(9, 0, 0, 1'000);
  append(4, 0, 0, 2'000);
  command::AdvanceStart advance;
  advance.partitions.push_back({topic_, 0, 2});
  ASSERT_EQ(cluster_.propose(advance).refusal, Refusal::none);
  const auto producers = told();
  ASSERT_EQ(producers.size(), 2u);
  EXPECT_EQ(producers[0].last_timestamp_ms, 2'000);
  EXPECT_EQ(producers[1].last_timestamp_ms, -1);
  EXPECT_EQ(producers[1].last_sequence, 1);
}

TEST(ProducerSequence, the_last_one_before_zero_is_the_greatest) {
  RunMemory runs;
  runs.accept(run_of(1, 0, std::numeric_limits<std::int32_t>::max()), 1, 1, Offset(5));
  EXPECT_EQ(runs.next_sequence(), 0);
  EXPECT_EQ(runs.last_sequence(), std::numeric_limits<std::int32_t>::max());
}

}  // namespace
}  // namespace weir::state
