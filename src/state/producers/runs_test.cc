#include "state/producers/runs.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::run_of;

constexpr std::int32_t kMaxSequence = std::numeric_limits<std::int32_t>::max();

/// Appends `batches` batches of one record each; offsets go on from `base`.
void add(RunMemory& memory, std::int32_t first, std::int32_t batches, std::int64_t base,
         std::int16_t epoch = 0) {
  ProducerRun run = run_of(1, epoch, first);
  ASSERT_EQ(memory.judge(run, batches, Offset(base)), (ItemOutcome{Refusal::none, base}));
  memory.accept(run, batches, batches, Offset(base));
}

Refusal judge(const RunMemory& memory, std::int32_t first, std::int32_t records,
              std::int16_t epoch = 0) {
  return memory.judge(run_of(1, epoch, first), records, Offset(1'000'000)).refusal;
}

TEST(Runs, a_producer_without_state_begins_at_zero) {
  RunMemory memory;
  EXPECT_EQ(judge(memory, 0, 3), Refusal::none);
  EXPECT_EQ(judge(memory, 3, 1), Refusal::unknown_producer);
}

TEST(Runs, a_duplicate_gets_its_original_offset) {
  RunMemory memory;
  add(memory, 0, 3, 100);
  add(memory, 3, 2, 500);
  EXPECT_EQ(memory.judge(run_of(1, 0, 1), 2, Offset(900)), (ItemOutcome{Refusal::duplicate, 101}));
  EXPECT_EQ(memory.judge(run_of(1, 0, 4), 1, Offset(900)), (ItemOutcome{Refusal::duplicate, 501}));
}

TEST(Runs, what_crosses_two_runs_has_no_single_offset_and_is_refused) {
  RunMemory memory;
  add(memory, 0, 3, 100);
  add(memory, 3, 2, 500);
  EXPECT_EQ(judge(memory, 2, 2), Refusal::out_of_order_sequence);
}

TEST(Runs, gaps_and_partial_overlaps_are_out_of_order) {
  RunMemory memory;
  add(memory, 0, 3, 100);
  EXPECT_EQ(judge(memory, 4, 1), Refusal::out_of_order_sequence);
  EXPECT_EQ(judge(memory, 2, 2), Refusal::out_of_order_sequence);
  EXPECT_EQ(judge(memory, 3, 1), Refusal::none);
}

TEST(Runs, at_least_five_batches_are_remembered_and_older_ones_forgotten) {
  RunMemory memory;
  for (std::int32_t i = 0; i < 20; ++i) add(memory, i, 1, 1'000 + 10 * i);
  for (std::int32_t i = 15; i < 20; ++i) {
    EXPECT_EQ(memory.judge(run_of(1, 0, i), 1, Offset(0)),
              (ItemOutcome{Refusal::duplicate, 1'000 + 10 * i}));
  }
  for (std::int32_t i = 0; i < 10; ++i)
    EXPECT_EQ(judge(memory, i, 1), Refusal::duplicate_forgotten);
}

TEST(Runs, a_lone_producer_keeps_few_runs_however_long_it_writes) {
  RunMemory memory;
  for (std::int32_t i = 0; i < 1'000; ++i) add(memory, i, 1, i);
  EXPECT_LE(memory.count(), 2u);
  EXPECT_EQ(judge(memory, 995, 5), Refusal::duplicate);
}

TEST(Runs, sequences_go_on_from_the_greatest_to_zero) {
  EXPECT_EQ(advance_sequence(kMaxSequence, 1), 0);
  EXPECT_EQ(advance_sequence(kMaxSequence - 1, 3), 1);
  RunMemory memory;
  ASSERT_TRUE(memory.restore(ProducerEpoch(0), {50, kMaxSequence - 1, 2}, 2));
  add(memory, 0, 2, 52);
  EXPECT_EQ(memory.judge(run_of(1, 0, kMaxSequence), 2, Offset(0)),
            (ItemOutcome{Refusal::duplicate, 51}));
  EXPECT_EQ(judge(memory, kMaxSequence - 3, 2), Refusal::duplicate_forgotten);
  EXPECT_EQ(judge(memory, 3, 1), Refusal::out_of_order_sequence);
}

TEST(Runs, a_new_epoch_begins_at_zero_and_an_old_one_is_fenced) {
  RunMemory memory;
  add(memory, 0, 3, 100, 4);
  EXPECT_EQ(judge(memory, 3, 1, 3), Refusal::invalid_producer_epoch);
  EXPECT_EQ(judge(memory, 3, 1, 5), Refusal::out_of_order_sequence);
  add(memory, 0, 2, 200, 5);
  EXPECT_EQ(judge(memory, 0, 1, 4), Refusal::invalid_producer_epoch);
  EXPECT_EQ(memory.judge(run_of(1, 5, 1), 1, Offset(0)), (ItemOutcome{Refusal::duplicate, 201}));
}

TEST(Runs, the_longest_runs_do_not_overflow) {
  RunMemory memory;
  memory.accept(run_of(1, 0, 0), kMaxSequence, 1, Offset(0));
  memory.accept(run_of(1, 0, kMaxSequence), kMaxSequence, 1, Offset(kMaxSequence));
  EXPECT_EQ(memory.count(), 2u);
  EXPECT_EQ(memory.next_sequence(), kMaxSequence - 1);
}

/// Against a memory of everything: duplicates among the last five batches are found with their
/// offsets, nothing else is ever called a duplicate or accepted.
TEST(Runs, agree_with_a_full_history) {
  std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    RunMemory memory;
    std::vector<std::pair<std::int32_t, std::int64_t>> batches;  // first sequence (2 each), offset
    std::int64_t end = 0;
    for (int i = 0; i < 40; ++i) {
      if (random() % 3 == 0) end += static_cast<std::int64_t>(random() % 5);  // other producers
      auto count = static_cast<std::int32_t>(1 + random() % 3);
      auto next = static_cast<std::int32_t>(batches.size() * 2);
      ASSERT_EQ(judge(memory, next, count * 2), Refusal::none);
      memory.accept(run_of(1, 0, next), count * 2, count, Offset(end));
      for (std::int32_t b = 0; b < count; ++b) {
        batches.emplace_back(next + 2 * b, end);
        end += 2;
      }
      for (std::size_t b = 0; b < batches.size(); ++b) {
        ItemOutcome outcome = memory.judge(run_of(1, 0, batches[b].first), 2, Offset(end));
        bool recent = batches.size() - b <= 5;
        if (recent || outcome.refusal == Refusal::duplicate) {
          ASSERT_EQ(outcome, (ItemOutcome{Refusal::duplicate, batches[b].second}));
        } else {
          ASSERT_EQ(outcome.refusal, Refusal::duplicate_forgotten);
        }
      }
    }
  }
}

}  // namespace
}  // namespace weir::state
