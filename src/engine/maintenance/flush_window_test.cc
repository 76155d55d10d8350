// Which flushes one round of merging takes.
#include "engine/maintenance/flush_window.h"

#include <gtest/gtest.h>

#include "state/testing/log_builder.h"

namespace weir::engine {
namespace {

using state::testing::Cluster;
using state::testing::plain_span;

/// Of a span of one record.
constexpr std::uint64_t kSpanBytes = 70;
constexpr FlushWindow::Room kMuch{1u << 20, 1'000};

class FlushWindowTest : public ::testing::Test {
 protected:
  FlushWindowTest() : topic_(cluster_.add_topic("t", 10)) {
    rules_.spans_min = 4;
    rules_.settled = Position(1'000);
  }
  /// One flush: a span of a record in each of these partitions. Returns its position.
  Position flush(const std::vector<std::int32_t>& partitions) {
    std::vector<state::NewSpan> spans;
    spans.reserve(partitions.size());
    for (std::int32_t partition : partitions) spans.push_back(plain_span(topic_, partition, 1));
    cluster_.append(spans);
    return cluster_.state().position().value();
  }
  std::optional<FlushWindow::Window> window(const FlushWindow::Room& room,
                                            Position from = Position(0),
                                            std::size_t spans_max = 100, std::uint64_t weight = 1) {
    FlushWindow found(from);
    for (std::int32_t p = 0; p < 10; ++p) {
      std::optional<Offset> at = Offset(0);
      while (at)
        at = found.look_at(cluster_.state(), {topic_, PartitionIndex(p)}, rules_, *at, spans_max,
                           weight);
    }
    return found.window(room);
  }

  Cluster cluster_;
  TopicId topic_;
  MergeRules rules_;
};

TEST_F(FlushWindowTest, nothing_is_due_while_runs_are_short_and_few) {
  EXPECT_FALSE(window(kMuch).has_value());
  for (int i = 0; i < 3; ++i) flush({0, 1, 2});
  EXPECT_FALSE(window(kMuch).has_value());
}

TEST_F(FlushWindowTest, a_long_run_brings_the_flushes_of_all_with_it) {
  for (int i = 0; i < 3; ++i) flush({0, 1, 2});
  Position last = flush({0});
  auto found = window(kMuch);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->end, last.next());
  EXPECT_FALSE(found->more);
}

TEST_F(FlushWindowTest, a_long_run_among_very_many_bytes_of_others_waits) {
  for (int i = 0; i < 3; ++i) flush({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  flush({0});
  EXPECT_FALSE(window(kMuch).has_value()) << "4 of 31 spans";
}

TEST_F(FlushWindowTest, what_fills_a_pass_is_due_and_is_cut_at_an_object) {
  std::vector<Position> flushes;
  for (int i = 0; i < 3; ++i) flushes.push_back(flush({0, 1, 2}));
  auto by_bytes = window({7 * kSpanBytes, 1'000});
  ASSERT_TRUE(by_bytes.has_value());
  EXPECT_EQ(by_bytes->end, flushes[2]);
  EXPECT_FALSE(by_bytes->more);
  auto by_spans = window({1u << 20, 4});
  ASSERT_TRUE(by_spans.has_value());
  EXPECT_EQ(by_spans->end, flushes[1]);
  EXPECT_TRUE(by_spans->more);
  EXPECT_EQ(window({1, 1})->end, flushes[1]) << "at least one object";
  EXPECT_EQ(window({14 * kSpanBytes, 1'000}, Position(0), 100, 2)->end, flushes[2])
      << "bytes in memory";
}

TEST_F(FlushWindowTest, what_lies_before_the_beginning_does_not_count) {
  for (int i = 0; i < 3; ++i) flush({0, 1});
  Position last = flush({0, 1});
  EXPECT_TRUE(window(kMuch).has_value());
  EXPECT_FALSE(window(kMuch, last).has_value());
  EXPECT_FALSE(window({1, 1}, last.next()).has_value());
}

TEST_F(FlushWindowTest, young_and_large_flushes_do_not_count) {
  for (int i = 0; i < 4; ++i) flush({0});
  rules_.settled = *cluster_.state().position();
  EXPECT_FALSE(window(kMuch).has_value());
  rules_.settled = Position(1'000);
  rules_.leave_bytes = kSpanBytes;
  EXPECT_FALSE(window(kMuch).has_value());
}

TEST_F(FlushWindowTest, a_run_goes_on_where_the_last_look_ended) {
  for (int i = 0; i < 4; ++i) flush({0});
  EXPECT_TRUE(window(kMuch, Position(0), 3).has_value());
  for (int i = 0; i < 2; ++i) flush({1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_FALSE(window(kMuch, Position(0), 3).has_value());
}

}  // namespace
}  // namespace weir::engine
