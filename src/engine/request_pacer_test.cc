#include "engine/request_pacer.h"

#include <gtest/gtest.h>

namespace weir::engine {
namespace {

class HandClock final : public rt::Clock {
 public:
  MonoTime now() const override { return at; }
  WallMillis wall_now() const override { return WallMillis(0); }
  MonoTime at{};
};

class RequestPacerTest : public ::testing::Test {
 protected:
  /// Writes in ten seconds of a caller that always waits for the budget, under this load.
  int writes(double bytes_per_second, std::size_t brokers = 1) {
    HandClock clock;
    RequestPacer pacer(clock, {.requests_per_second = 5, .commit_gap_max = 250ms});
    pacer.set_brokers(brokers);
    int made = 0;
    for (int ms = 0; ms < 30'000; ++ms) {
      clock.at += 1ms;
      pacer.note_load(static_cast<std::uint64_t>(bytes_per_second / 1'000));
      if (pacer.when(1) > clock.at) continue;
      pacer.spend(1);
      if (ms >= 20'000) ++made;
    }
    return made;
  }
};

TEST_F(RequestPacerTest, allows_its_share_of_the_budget_and_more_under_load) {
  EXPECT_NEAR(writes(0), 40, 1);
  EXPECT_NEAR(writes(100'000), 40, 1);
  EXPECT_NEAR(writes(2'000'000), 50, 2);
  EXPECT_NEAR(writes(50'000'000), 290, 10);
  EXPECT_NEAR(writes(0, 4), 10, 1);
}

TEST_F(RequestPacerTest, a_lone_write_goes_at_once_and_a_burst_waits) {
  HandClock clock;
  RequestPacer pacer(clock, {.requests_per_second = 5, .commit_gap_max = 250ms});
  clock.at += 10s;
  EXPECT_EQ(pacer.when(2), clock.at);
  pacer.spend(3);
  EXPECT_NEAR(static_cast<double>((pacer.when(1) - clock.at) / 1ms), 250, 2);
  // However far the callers' bounds overdrew it, soon it is theirs again.
  for (int i = 0; i < 100; ++i) pacer.spend(1);
  EXPECT_LE(pacer.when(1) - clock.at, 1s);
}

TEST_F(RequestPacerTest, free_requests_never_wait) {
  HandClock clock;
  RequestPacer pacer(clock, {});
  EXPECT_FALSE(pacer.active());
  pacer.spend(50);
  EXPECT_LE(pacer.when(1), clock.at);
}

TEST_F(RequestPacerTest, the_gap_between_creates_grows_with_the_brokers_that_share_the_log) {
  HandClock clock;
  RequestPacer pacer(clock, {.requests_per_second = 5, .commit_gap_max = 250ms});
  EXPECT_EQ(pacer.commit_gap_max(), 250ms);
  pacer.set_brokers(3);
  EXPECT_EQ(pacer.commit_gap_max(), 750ms);
  pacer.set_brokers(0);
  EXPECT_EQ(pacer.commit_gap_max(), 250ms);
}

}  // namespace
}  // namespace weir::engine
