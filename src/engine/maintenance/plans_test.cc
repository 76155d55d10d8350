// The pure parts of maintenance: what is due, by the state alone.
#include <gtest/gtest.h>

#include "engine/api.h"
#include "engine/audit/inventory.h"
#include "engine/maintenance/merge_plan.h"
#include "engine/maintenance/retention.h"
#include "engine/segment.h"
#include "state/commands/advance_clock.h"
#include "state/testing/log_builder.h"

namespace weir::engine {
namespace {

using state::testing::Cluster;
using state::testing::plain_span;

constexpr std::int64_t kNow = 1'700'000'000'000;
constexpr std::int64_t kHour = 3'600'000;

class Plans : public ::testing::Test {
 protected:
  Plans() : topic_(cluster_.add_topic("t", 1)), at_{topic_, PartitionIndex(0)} {}
  void tell(std::int64_t ms) {
    ASSERT_EQ(cluster_.propose(state::command::AdvanceClock{.wall_ms = ms}).refusal, Refusal::none);
  }
  /// 10 records, 700 bytes.
  void append(std::int64_t max_timestamp_ms) {
    state::NewSpan span = plain_span(topic_, 0, 10);
    span.max_timestamp_ms = max_timestamp_ms;
    cluster_.append({span});
  }
  std::int64_t start(TopicRules rules) {
    return retained_start(cluster_.state(), at_, rules).value_or(Offset(-1)).value;
  }
  /// The same as a merge leaves it.
  void append_merged(std::int64_t max_timestamp_ms) {
    append(max_timestamp_ms);
    state::testing::finalize_last_span(cluster_, at_);
  }
  MergeRules merge_rules() {
    MergeRules rules;
    rules.merged_spans_min = 3;
    rules.settled = Position(1'000);
    return rules;
  }
  std::vector<MergeRun> runs(const MergeRules& rules) {
    return plan_merge(cluster_.state(), at_, rules, Offset(0), 1'000).runs;
  }

  Cluster cluster_;
  TopicId topic_;
  state::PartitionRef at_;
};

TEST_F(Plans, retention_by_time_takes_whole_old_spans_from_the_start) {
  tell(kNow);
  append(kNow - 3 * kHour);
  append(kNow - kHour);
  append(kNow - 2 * kHour);
  tell(kNow + 1);
  EXPECT_EQ(start({.retention_ms = 4 * kHour}), -1);
  EXPECT_EQ(start({.retention_ms = 2 * kHour}), 10);
  EXPECT_EQ(start({.retention_ms = kHour / 2}), 30);
  EXPECT_EQ(start({.retention_ms = -1}), -1);
  EXPECT_EQ(start({.remove_old = false, .compact = true, .retention_ms = 1}), -1);
}

TEST_F(Plans, a_timestamp_in_the_future_does_not_pin_data) {
  tell(kNow);
  append(kNow + 1'000 * kHour);
  tell(kNow + 1);
  EXPECT_EQ(start({.retention_ms = kHour}), -1);
  tell(kNow + kHour / 2);
  tell(kNow + kHour + 2);
  EXPECT_EQ(start({.retention_ms = kHour}), 10);
}

TEST_F(Plans, records_without_a_time_age_by_their_commit) {
  tell(kNow);
  append(-1);
  EXPECT_EQ(start({.retention_ms = 0}), -1) << "nobody knows yet when they were committed";
  tell(kNow + 1);
  tell(kNow + 5);
  EXPECT_EQ(start({.retention_ms = 3}), 10);
}

TEST_F(Plans, a_cluster_that_was_told_no_time_drops_nothing) {
  append(1);
  EXPECT_EQ(start({.retention_ms = 0}), -1);
}

TEST_F(Plans, a_broken_clock_empties_nothing) {
  tell(kNow);
  append(kNow);
  tell(kNow + 10'000 * kHour);
  EXPECT_EQ(start({.retention_ms = kHour}), -1);
}

TEST_F(Plans, retention_by_bytes_keeps_at_least_those_bytes) {
  for (int i = 0; i < 4; ++i) append(kNow);
  TopicRules rules{.retention_ms = -1, .retention_bytes = 1'400};
  EXPECT_EQ(start(rules), 20);
  rules.retention_bytes = 1'401;
  EXPECT_EQ(start(rules), 10);
  rules.retention_bytes = 0;
  EXPECT_EQ(start(rules), 40);
}

TEST_F(Plans, merged_spans_are_merged_again_when_there_are_enough_small_ones) {
  append_merged(kNow);
  append_merged(kNow);
  EXPECT_TRUE(runs(merge_rules()).empty());
  append_merged(kNow);
  std::vector<MergeRun> found = runs(merge_rules());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].base, Offset(0));
  EXPECT_EQ(found[0].end, Offset(30));
  EXPECT_EQ(found[0].bytes, 2'100u);
  EXPECT_EQ(found[0].digest, cluster_.state().spans_digest(at_, Offset(0), Offset(30)));
  MergeRules young = merge_rules();
  young.settled = Position(1);
  EXPECT_TRUE(runs(young).empty());
  MergeRules small = merge_rules();
  small.leave_bytes = 700;
  EXPECT_TRUE(runs(small).empty()) << "large regions are left where they are";
}

TEST_F(Plans, flushes_are_merged_in_their_window_however_few_and_not_elsewhere) {
  append_merged(kNow);
  for (int i = 0; i < 4; ++i) append(kNow);
  EXPECT_TRUE(runs(merge_rules()).empty());
  MergeRules rules = merge_rules();
  // Behind the first flush.
  rules.window_end = Position(cluster_.state().position()->value - 2);
  std::vector<MergeRun> found = runs(rules);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].base, Offset(10));
  EXPECT_EQ(found[0].end, Offset(20));
  rules.window_end = rules.settled;
  ASSERT_EQ(runs(rules).size(), 1u);
  EXPECT_EQ(runs(rules)[0].end, Offset(50));
  rules.leave_bytes = 700;
  EXPECT_TRUE(runs(rules).empty()) << "large regions are left where they are";
}

TEST_F(Plans, inline_data_below_the_next_floor_moves_however_little_it_is) {
  append(kNow);
  MergeRules rules = merge_rules();
  rules.settled = Position(0);
  rules.inline_must_move = cluster_.state().position()->next();
  ASSERT_EQ(runs(rules).size(), 1u);
  EXPECT_EQ(runs(rules)[0].spans.size(), 1u);
  rules.inline_must_move = *cluster_.state().position();
  EXPECT_TRUE(runs(rules).empty());
}

TEST_F(Plans, a_merged_span_covers_little_time_so_that_retention_stays_exact) {
  for (int hour = 0; hour < 6; ++hour) append_merged(kNow + hour * kHour);
  MergeRules rules = merge_rules();
  rules.extent_ms_max = 2 * kHour;
  std::vector<MergeRun> found = runs(rules);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].end, Offset(30));
  EXPECT_EQ(found[1].end, Offset(60));
}

TEST_F(Plans, nothing_is_rewritten_that_would_not_become_less) {
  for (int i = 0; i < 8; ++i) append_merged(kNow);
  MergeRules rules = merge_rules();
  rules.region_bytes = 700;
  EXPECT_TRUE(runs(rules).empty());
  rules.region_bytes = 1'400;
  ASSERT_EQ(runs(rules).size(), 1u);
  EXPECT_EQ(runs(rules)[0].region_bytes, 1'400u);
}

TEST_F(Plans, a_long_partition_is_looked_at_in_pieces) {
  for (int i = 0; i < 10; ++i) append_merged(kNow);
  MergePlan plan = plan_merge(cluster_.state(), at_, merge_rules(), Offset(0), 4);
  EXPECT_EQ(plan.next, Offset(40));
  ASSERT_EQ(plan.runs.size(), 1u);
  EXPECT_EQ(plan.runs[0].end, Offset(40));
  EXPECT_FALSE(plan_merge(cluster_.state(), at_, merge_rules(), Offset(90), 4).next.has_value());
}

TEST(SegmentNames, are_parsed_only_if_they_are_ours) {
  auto writer = state::testing::broker_id(1);
  std::string name = segment_name(Position(7), writer, 12);
  auto is_segment = [](std::string_view text) {
    return audit::identify(text).kind == audit::ObjectKind::segment;
  };
  audit::ObjectIdentity parsed = audit::identify(name);
  ASSERT_EQ(parsed.kind, audit::ObjectKind::segment);
  EXPECT_EQ(parsed.position, Position(7));
  EXPECT_EQ(parsed.writer, writer);
  EXPECT_EQ(parsed.counter, 12u);
  for (std::size_t size = 0; size < name.size(); ++size)
    EXPECT_FALSE(is_segment(name.substr(0, size))) << size;
  name[6] = name[6] == 'a' ? 'b' : 'a';
  EXPECT_FALSE(is_segment(name)) << "another hash";
  EXPECT_FALSE(is_segment("data/notes.txt"));
}

}  // namespace
}  // namespace weir::engine
