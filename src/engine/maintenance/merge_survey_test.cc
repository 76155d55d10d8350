// What one round of merging takes.
#include "engine/maintenance/merge_survey.h"

#include <gtest/gtest.h>

#include "engine/limits.h"
#include "state/testing/log_builder.h"

namespace weir::engine {
namespace {

using state::testing::Cluster;
using state::testing::plain_span;

constexpr std::uint64_t kMuch = 1u << 20;
/// Of a span of one record, in memory.
constexpr std::uint64_t kSpan = 70 + kMergeSpanBytes;

class MergeSurveyTest : public ::testing::Test {
 protected:
  MergeSurveyTest() : topic_(cluster_.add_topic("t", 10)) {
    rules_.spans_min = 4;
    rules_.settled = Position(1'000);
  }
  /// One flush: a span of so many records in each of these partitions. Returns its position.
  Position flush(const std::vector<std::int32_t>& partitions, std::int32_t records = 1) {
    std::vector<state::NewSpan> spans;
    spans.reserve(partitions.size());
    for (std::int32_t partition : partitions)
      spans.push_back(plain_span(topic_, partition, records));
    cluster_.append(spans);
    return cluster_.state().position().value();
  }
  MergeSurvey survey(std::size_t spans_max = 100) {
    MergeSurvey found;
    for (std::int32_t p = 0; p < 10; ++p) {
      std::optional<Offset> at = Offset(0);
      while (at)
        at = found.look_at(cluster_.state(), {topic_, PartitionIndex(p)}, rules_, *at, spans_max);
    }
    return found;
  }
  std::optional<MergeSurvey::Window> window(std::uint64_t pass_bytes = kMuch) {
    return survey().window(pass_bytes);
  }
  std::optional<std::size_t> merged_spans_min() { return survey().merged_spans_min(rules_); }
  /// As a merge leaves it: a span of ten records in this partition.
  void append_merged(std::int32_t partition) {
    cluster_.append({plain_span(topic_, partition, 10)});
    state::testing::finalize_last_span(cluster_, {topic_, PartitionIndex(partition)});
  }

  Cluster cluster_;
  TopicId topic_;
  MergeRules rules_;
};

TEST_F(MergeSurveyTest, nothing_is_due_while_runs_are_short_and_few) {
  EXPECT_FALSE(window().has_value());
  for (int i = 0; i < 3; ++i) flush({0, 1, 2});
  EXPECT_FALSE(window().has_value());
  EXPECT_EQ(survey().backlog_bytes(kMuch), 0u);
}

TEST_F(MergeSurveyTest, a_long_run_brings_the_flushes_of_all_with_it) {
  for (int i = 0; i < 3; ++i) flush({0, 1, 2});
  Position last = flush({0});
  auto found = window();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->end, last.next());
  EXPECT_FALSE(found->more);
  EXPECT_EQ(survey().backlog_bytes(kMuch), 700u);
}

TEST_F(MergeSurveyTest, a_long_run_among_very_many_bytes_of_others_waits_but_not_for_ever) {
  // Of the others each has a long record.
  for (int p = 1; p < 10; ++p) flush({p}, 1'000);
  for (int i = 0; i < 15; ++i) flush({0});
  EXPECT_FALSE(window().has_value()) << "few of the bytes";
  flush({0});
  EXPECT_TRUE(window().has_value()) << "16 spans";
}

TEST_F(MergeSurveyTest, what_fills_a_pass_is_due_and_is_cut_at_an_object) {
  std::vector<Position> flushes;
  for (int i = 0; i < 3; ++i) flushes.push_back(flush({0, 1, 2}));
  auto found = window(7 * kSpan);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->end, flushes[2]);
  EXPECT_FALSE(found->more);
  EXPECT_EQ(window(4 * kSpan)->end, flushes[1]);
  EXPECT_TRUE(window(4 * kSpan)->more);
  EXPECT_EQ(window(1)->end, flushes[1]) << "at least one object";
  EXPECT_FALSE(window(10 * kSpan).has_value());
  rules_.memory_weight = 8;
  EXPECT_TRUE(window(10 * kSpan).has_value()) << "what counts are bytes in memory";
}

TEST_F(MergeSurveyTest, young_large_and_unreadable_flushes_do_not_count) {
  for (int i = 0; i < 4; ++i) flush({0});
  EXPECT_TRUE(window().has_value());
  MergeRules all = rules_;
  rules_.settled = *cluster_.state().position();
  EXPECT_FALSE(window().has_value());
  rules_ = all;
  rules_.leave_bytes = 70;
  EXPECT_FALSE(window().has_value());
  rules_ = all;
  Position bad = flush({0});
  for (int i = 0; i < 3; ++i) flush({1});
  rules_.is_unreadable = [&](const state::ObjectRef& object) {
    return object.position.value + 1 >= bad.value && object.position <= bad;
  };
  EXPECT_FALSE(window().has_value()) << "3 spans, and 3";
}

TEST_F(MergeSurveyTest, a_run_goes_on_where_the_last_look_ended) {
  for (int i = 0; i < 4; ++i) flush({0});
  EXPECT_TRUE(survey(3).window(kMuch).has_value());
  for (int i = 0; i < 2; ++i) flush({1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_FALSE(survey(3).window(kMuch).has_value());
}

TEST_F(MergeSurveyTest,
       merged_spans_wait_until_a_good_part_of_them_is_due_and_then_halves_go_along) {
  for (int p = 0; p < 10; ++p) append_merged(p);
  for (int i = 0; i < 2; ++i) append_merged(0);
  EXPECT_FALSE(merged_spans_min().has_value());
  append_merged(0);
  EXPECT_EQ(merged_spans_min(), 2u) << "lone ones do not count";
  EXPECT_EQ(survey().backlog_bytes(kMuch), 2'800u);
  for (int p = 1; p < 10; ++p) append_merged(p);
  EXPECT_FALSE(merged_spans_min().has_value()) << "4 of 22 spans";
  for (int i = 0; i < 12; ++i) append_merged(0);
  EXPECT_EQ(merged_spans_min(), 2u);
}

TEST_F(MergeSurveyTest, merged_spans_that_would_not_become_fewer_make_nothing_due) {
  for (int i = 0; i < 40; ++i) append_merged(0);
  EXPECT_TRUE(merged_spans_min().has_value());
  // All records are of the same time, so only regions can be in the way.
  rules_.region_bytes = 700;
  EXPECT_FALSE(merged_spans_min().has_value());
  rules_.region_bytes = 8 * 700;
  EXPECT_TRUE(merged_spans_min().has_value());
  rules_.memory_weight = 8;
  EXPECT_FALSE(merged_spans_min().has_value())
      << "what is stored compressed may be eight times that";
}

TEST_F(MergeSurveyTest, flushes_that_hold_a_half_dead_segment_are_due) {
  flush({0, 1});
  EXPECT_FALSE(window().has_value());
  rules_.is_half_dead = [](const state::ObjectRef&) { return true; };
  EXPECT_TRUE(window().has_value());
}

}  // namespace
}  // namespace weir::engine
