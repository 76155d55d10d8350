// ReplaceSpans: merged and compacted spans take the place of others, or do not.
#include <gtest/gtest.h>

#include "state/commands/advance_start.h"
#include "state/commands/delete_topics.h"
#include "state/commands/replace_spans.h"
#include "state/snapshot/snapshot.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::Cluster;
using testing::plain_span;

class Replace : public ::testing::Test {
 protected:
  Replace() : topic_(cluster_.add_topic("t", 2)) {}

  PartitionRef at(std::int32_t partition) { return {topic_, PartitionIndex(partition)}; }
  /// `count` entries with a span of 3 records for both partitions.
  void fill(int count) {
    for (int i = 0; i < count; ++i)
      cluster_.append({plain_span(topic_, 0, 3), plain_span(topic_, 1, 3)});
  }
  command::ReplaceSpans::ReplacedRun run(std::int32_t partition, std::int64_t base,
                                         std::int64_t end) {
    command::ReplaceSpans::ReplacedRun run;
    run.topic_id = topic_;
    run.partition = partition;
    run.base_offset = base;
    run.end_offset = end;
    Hash128 seen =
        cluster_.state().spans_digest(at(partition), Offset(base), Offset(end)).value_or(Hash128());
    run.old_digest_low = static_cast<std::int64_t>(seen.low);
    run.old_digest_high = static_cast<std::int64_t>(seen.high);
    run.spans.push_back({end - base, 500, 77});
    return run;
  }
  command::ReplaceSpans command(std::vector<command::ReplaceSpans::ReplacedRun> runs) {
    command::ReplaceSpans command;
    command.segment_born_position = static_cast<std::int64_t>(cluster_.state().position()->value);
    command.segment_counter = next_counter_++;
    command.first_byte = 64;
    command.segment_bytes = 100'000;
    command.runs = std::move(runs);
    return command;
  }
  std::vector<SpanInfo> spans(std::int32_t partition) {
    std::vector<SpanInfo> found;
    cluster_.state().visit_spans(at(partition), Offset(0), [&](const SpanInfo& span) {
      found.push_back(span);
      return true;
    });
    return found;
  }
  std::vector<ItemOutcome> propose(std::vector<command::ReplaceSpans::ReplacedRun> runs) {
    return cluster_.propose(command(std::move(runs))).items;
  }

  Cluster cluster_;
  TopicId topic_;
  std::int64_t next_counter_ = 1;
};

TEST_F(Replace, puts_merged_spans_in_place_and_frees_the_old_objects) {
  fill(4);
  EXPECT_EQ(cluster_.state().counts().inline_objects, 4u);
  EXPECT_EQ(propose({run(0, 0, 12), run(1, 0, 6)}),
            (std::vector<ItemOutcome>{{Refusal::none, 0}, {Refusal::none, 0}}));
  ASSERT_EQ(spans(0).size(), 1u);
  EXPECT_EQ(spans(0)[0].records, 12);
  EXPECT_EQ(spans(0)[0].first_byte, 64u);
  EXPECT_TRUE(spans(0)[0].object.is_final);
  ASSERT_EQ(spans(1).size(), 3u);
  EXPECT_EQ(spans(1)[0].first_byte, 564u);
  EXPECT_EQ(spans(1)[1].base, Offset(6));
  EXPECT_EQ(cluster_.state().counts().inline_objects, 2u);
  EXPECT_EQ(cluster_.state().counts().spans, 4u);
  EXPECT_EQ(cluster_.state().partition(at(0))->bytes, 500u);
  EXPECT_EQ(cluster_.state().partition(at(0))->end, Offset(12));
  fill(1);
  EXPECT_EQ(spans(0).back().base, Offset(12));
}

TEST_F(Replace, of_spans_that_have_changed_since_is_refused_alone) {
  fill(4);
  auto stale = run(0, 0, 6);
  auto good = run(1, 0, 6);
  command::AdvanceStart advance;
  advance.partitions.push_back({topic_, 0, 4, -1, -1});
  cluster_.propose(advance);
  EXPECT_EQ(propose({stale, good}),
            (std::vector<ItemOutcome>{{Refusal::guard_mismatch, 0}, {Refusal::none, 0}}));
  EXPECT_EQ(propose({good})[0].refusal, Refusal::guard_mismatch) << "merged before";
  EXPECT_EQ(propose({run(1, 1, 6)})[0].refusal, Refusal::guard_mismatch) << "no bounds of spans";
  // Each command entered its segment, also the ones of which nothing was accepted.
  std::size_t awaiting = 0;
  cluster_.state().visit_awaiting_deletion([&](const ObjectRef&) { return ++awaiting > 0; });
  EXPECT_EQ(awaiting, 2u);
  command::DeleteTopics remove{.topic_ids = {topic_}};
  auto late = run(0, 6, 12);
  cluster_.propose(remove);
  EXPECT_EQ(propose({late})[0].refusal, Refusal::unknown_partition);
}

TEST_F(Replace, behind_a_refused_run_of_its_partition_is_refused_too) {
  fill(4);
  auto stale = run(0, 0, 6);
  stale.old_digest_low += 1;
  const ItemOutcome refused{Refusal::guard_mismatch, 0};
  const ItemOutcome accepted{Refusal::none, 0};
  EXPECT_EQ(propose({stale, run(0, 6, 9), run(0, 9, 12), run(1, 0, 6)}),
            (std::vector<ItemOutcome>{refused, refused, refused, accepted}));
  EXPECT_EQ(spans(0).size(), 4u);
  EXPECT_EQ(propose({run(0, 6, 9)}), std::vector<ItemOutcome>{accepted});
}

TEST_F(Replace, keeps_the_start_within_the_first_span) {
  fill(2);
  command::AdvanceStart advance;
  advance.partitions.push_back({topic_, 0, 2, -1, -1});
  cluster_.propose(advance);
  auto split = run(0, 0, 6);
  split.spans = {{2, 100, 7}, {4, 100, 7}};
  EXPECT_EQ(propose({split})[0].refusal, Refusal::guard_mismatch);
  split.spans = {{3, 100, 7}, {3, 100, 7}};
  EXPECT_EQ(propose({split})[0].refusal, Refusal::none);
  EXPECT_EQ(spans(0).size(), 2u);
}

TEST_F(Replace, that_does_not_add_up_is_malformed) {
  fill(2);
  auto wrong = command({run(0, 0, 6)});
  wrong.runs[0].spans[0].offsets = 5;
  EXPECT_EQ(cluster_.propose(wrong).refusal, Refusal::malformed);
  wrong = command({run(0, 0, 6)});
  wrong.segment_bytes = 563;
  EXPECT_EQ(cluster_.propose(wrong).refusal, Refusal::malformed);
  wrong = command({run(0, 0, 6)});
  wrong.segment_born_position += 5;
  EXPECT_EQ(cluster_.propose(wrong).refusal, Refusal::malformed);
  EXPECT_EQ(cluster_.propose(command({})).refusal, Refusal::malformed);
  auto twice = command({run(0, 0, 6)});
  EXPECT_EQ(cluster_.propose(twice).refusal, Refusal::none);
  twice.runs = {run(1, 0, 6)};
  EXPECT_EQ(cluster_.propose(twice).refusal, Refusal::malformed);
}

TEST_F(Replace, in_the_middle_of_long_partitions_survives_a_snapshot) {
  fill(200);
  for (std::int64_t base = 0; base + 30 <= 600; base += 60)
    ASSERT_EQ(propose({run(0, base, base + 30)})[0].refusal, Refusal::none);
  ASSERT_EQ(propose({run(0, 3, 480)})[0].refusal, Refusal::guard_mismatch);
  ASSERT_EQ(propose({run(0, 30, 480)})[0].refusal, Refusal::none);
  std::int64_t next = 0;
  for (const SpanInfo& span : spans(0)) {
    ASSERT_EQ(span.base.value, next);
    next += span.records;
  }
  EXPECT_EQ(next, 600);
  auto compacted = run(0, 480, 510);
  compacted.compacted_to = 505;
  ASSERT_EQ(propose({compacted})[0].refusal, Refusal::none);
  SnapshotWriter writer(cluster_.state());
  while (!writer.step(10)) {
  }
  Result<State> loaded = load_snapshot(writer.finish().flatten());
  ASSERT_TRUE(loaded.has_value()) << describe(loaded.error());
  EXPECT_EQ(loaded->digest(), cluster_.state().digest());
  EXPECT_EQ(loaded->partition(at(0))->compacted_to, Offset(505));
  EXPECT_EQ(loaded->partition(at(1))->compacted_to, Offset(-1));
  bool found_final = false;
  loaded->visit_spans(at(0), Offset(0), [&](const SpanInfo& span) {
    found_final = span.object.is_final;
    return false;
  });
  EXPECT_TRUE(found_final);
}

TEST_F(Replace, a_guarded_start_moves_only_if_nothing_changed) {
  fill(2);
  command::AdvanceStart advance;
  advance.partitions.push_back({topic_, 0, 3, 1, -1});
  EXPECT_EQ(cluster_.propose(advance).items[0].refusal, Refusal::guard_mismatch);
  advance.partitions[0].guard_start = 0;
  advance.partitions[0].guard_config_version = 7;
  EXPECT_EQ(cluster_.propose(advance).items[0].refusal, Refusal::guard_mismatch);
  advance.partitions[0].guard_config_version = 0;
  EXPECT_EQ(cluster_.propose(advance).items[0].refusal, Refusal::none);
  EXPECT_EQ(cluster_.state().partition(at(0))->start, Offset(3));
}

}  // namespace
}  // namespace weir::state
