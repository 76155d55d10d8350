#include "engine/maintenance/span_age.h"

#include <gtest/gtest.h>

#include "state/commands/advance_clock.h"
#include "state/testing/log_builder.h"

namespace weir::engine {
namespace {

using state::testing::Cluster;
using state::testing::plain_span;

constexpr std::int64_t kNow = 1'700'000'000'000;

class SpanAgeTest : public testing::Test {
 protected:
  void SetUp() override { at_ = {cluster_.add_topic("t", 1), PartitionIndex(0)}; }
  void tell_clock(std::int64_t ms) {
    state::command::AdvanceClock advance;
    advance.wall_ms = ms;
    ASSERT_EQ(cluster_.propose(advance).status, state::CommandStatus::applied);
  }
  std::optional<std::int64_t> written(std::int64_t timestamp_ms) {
    auto span = plain_span(at_.topic, 0, 1);
    span.max_timestamp_ms = timestamp_ms;
    cluster_.append({span});
    std::optional<state::SpanInfo> last;
    cluster_.state().visit_spans(at_, Offset(0), [&](const state::SpanInfo& found) {
      last = found;
      return true;
    });
    tell_clock(kNow);
    return written_ms(cluster_.state(), *last);
  }
  Cluster cluster_;
  state::PartitionRef at_;
};

TEST_F(SpanAgeTest, is_that_of_the_timestamp_within_a_minute_of_the_commit) {
  EXPECT_EQ(written(kNow - 5'000'000), kNow - 5'000'000);
  EXPECT_EQ(written(kNow), kNow);
  EXPECT_EQ(written(kNow + 60'000), kNow + 60'000) << "clocks may differ by so much";
}

TEST_F(SpanAgeTest, is_that_of_the_commit_for_a_timestamp_in_the_future_and_for_none) {
  EXPECT_EQ(written(kNow + 60'001), kNow);
  EXPECT_EQ(written(-1), kNow);
}

}  // namespace
}  // namespace weir::engine
