// The clock of the cluster, and votes about digests.
#include <gtest/gtest.h>

#include "state/cluster/log_clock.h"
#include "state/commands/advance_clock.h"
#include "state/commands/note_snapshot.h"
#include "state/commands/report_digest.h"
#include "state/limits.h"
#include "state/snapshot/snapshot.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::broker_id;
using testing::Cluster;

constexpr std::int64_t kNow = 1'700'000'000'000;
constexpr std::int64_t kYear = 31'536'000'000;

void tell(Cluster& cluster, std::int64_t ms, std::uint64_t broker = 1) {
  ASSERT_EQ(cluster.propose(command::AdvanceClock{.wall_ms = ms}, broker).refusal, Refusal::none);
}

TEST(LogClock, of_several_brokers_is_the_lower_median) {
  Cluster cluster;
  EXPECT_EQ(cluster.state().clock_ms(), 0);
  tell(cluster, kNow);
  EXPECT_EQ(cluster.state().clock_ms(), kNow);
  cluster.add_broker(2);
  tell(cluster, kNow + kYear, 2);
  EXPECT_EQ(cluster.state().clock_ms(), kNow) << "of two, the earlier";
  cluster.add_broker(3);
  tell(cluster, kNow + 500, 3);
  EXPECT_EQ(cluster.state().clock_ms(), kNow + 500);
  tell(cluster, kNow - kYear, 3);
  EXPECT_EQ(cluster.state().clock_ms(), kNow);
}

TEST(LogClock, ignores_a_step_of_a_year_until_it_has_been_claimed_for_long) {
  Cluster cluster;
  tell(cluster, kNow);
  tell(cluster, kNow + kYear);
  tell(cluster, kNow + kYear + kClockSettleMs - 1);
  EXPECT_EQ(cluster.state().clock_ms(), kNow);
  tell(cluster, kNow + 60'000);
  EXPECT_EQ(cluster.state().clock_ms(), kNow + 60'000) << "the clock was put right";
  tell(cluster, kNow + kYear + 2 * kClockSettleMs);
  EXPECT_EQ(cluster.state().clock_ms(), kNow + 60'000) << "a new claim begins anew";
  tell(cluster, kNow + kYear + 3 * kClockSettleMs);
  EXPECT_EQ(cluster.state().clock_ms(), kNow + kYear + 3 * kClockSettleMs);
}

TEST(LogClock, a_first_reading_that_is_wrong_by_a_year_counts_for_nothing) {
  Cluster cluster;
  tell(cluster, kNow + kYear);
  EXPECT_EQ(cluster.state().clock_ms(), 0);
  tell(cluster, kNow + 3 * kYear);
  EXPECT_EQ(cluster.state().clock_ms(), 0) << "that clock jumped again";
  tell(cluster, kNow + 1'000);
  EXPECT_EQ(cluster.state().clock_ms(), kNow + 1'000);
}

TEST(LogClock, goes_back_at_once) {
  Cluster cluster;
  tell(cluster, kNow + kYear);
  tell(cluster, kNow + kYear + kClockSettleMs);
  ASSERT_EQ(cluster.state().clock_ms(), kNow + kYear + kClockSettleMs);
  Position before = *cluster.state().position();
  tell(cluster, kNow);
  EXPECT_EQ(cluster.state().clock_ms(), kNow);
  EXPECT_EQ(cluster.state().folded_by_ms(before), kNow);
}

TEST(LogClock, knows_by_when_a_position_was_folded) {
  Cluster cluster;
  Position early = *cluster.state().position();
  EXPECT_FALSE(cluster.state().folded_by_ms(early).has_value());
  tell(cluster, kNow);
  Position later = *cluster.state().position();
  tell(cluster, kNow + 5'000);
  EXPECT_EQ(cluster.state().folded_by_ms(early), kNow);
  EXPECT_EQ(cluster.state().folded_by_ms(later.next()), kNow + 5'000);
  EXPECT_FALSE(cluster.state().folded_by_ms(later.next().next()).has_value());
}

TEST(LogClock, thins_old_marks) {
  ClockValues clock;
  for (std::uint64_t i = 1; i <= 10'000; ++i)
    clock.read({broker_id(1)}, kNow,
               {broker_id(1), kNow + static_cast<std::int64_t>(i) * 1'000, Position(i)});
  EXPECT_LE(clock.marks.size(), kClockMarksMax);
  EXPECT_EQ(clock.marks.back().at, Position(10'000));
  EXPECT_EQ(clock.marks[clock.marks.size() - 2].at, Position(9'999));
  EXPECT_LT(clock.marks.front().at, Position(5'000));
}

TEST(LogClock, and_votes_survive_a_snapshot) {
  Cluster cluster;
  cluster.add_broker(2);
  tell(cluster, kNow);
  tell(cluster, kNow + kYear);
  command::NoteSnapshot note;
  note.snapshot_position = 1;
  cluster.propose(note);
  EXPECT_EQ(cluster.propose(command::ReportDigest{.snapshot_position = 1, .digest_low = 5}).refusal,
            Refusal::none);
  SnapshotWriter writer(cluster.state());
  while (!writer.step(10)) {
  }
  Result<State> loaded = load_snapshot(writer.finish().flatten());
  ASSERT_TRUE(loaded.has_value()) << describe(loaded.error());
  EXPECT_EQ(loaded->clock_ms(), kNow);
  EXPECT_EQ(loaded->last_clock_mark().second, kNow);
  EXPECT_EQ(loaded->digest_votes(Position(1)).size(), 1u);
}

TEST(DigestVotes, are_kept_as_long_as_the_snapshot_is_noted) {
  Cluster cluster;
  EXPECT_EQ(cluster.propose(command::ReportDigest{.snapshot_position = 1}).refusal,
            Refusal::not_found);
  for (std::int64_t position = 1; position <= 5; ++position) {
    command::NoteSnapshot note;
    note.snapshot_position = position;
    ASSERT_EQ(cluster.propose(note).refusal, Refusal::none) << position;
    if (position == 1)
      cluster.propose(command::ReportDigest{.snapshot_position = 1, .digest_low = 9});
    if (position < 5) {
      ASSERT_EQ(cluster.state().digest_votes(Position(1)).size(), 1u);
    }
  }
  EXPECT_TRUE(cluster.state().digest_votes(Position(1)).empty());
}

}  // namespace
}  // namespace weir::state
