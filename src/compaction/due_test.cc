#include "compaction/due.h"

#include <gtest/gtest.h>

#include <vector>

#include "compaction/limits.h"

namespace weir::compaction {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr std::int64_t kNow = 1'000'000;

/// Spans of 10 offsets each.
struct Case {
  Settings settings;
  Due::Log log{Offset(0), Offset(0), Offset(1'000)};
  std::vector<std::pair<std::uint64_t, std::int64_t>> spans;  // bytes, timestamp

  Due judge() const {
    Due due(log, settings, WallMillis(kNow));
    std::int64_t base = 0;
    for (const auto& [bytes, timestamp] : spans) {
      if (!due.add({Offset(base), Offset(base + 10), bytes, timestamp})) break;
      base += 10;
    }
    return due;
  }
};

TEST(Due, by_ratio_and_size) {
  Case c{.spans = {{2 * kMiB, kNow}, {2 * kMiB, kNow}}};
  EXPECT_EQ(c.judge().reason(), Due::Reason::ratio) << "all of it is dirty";
  c.log.compacted_to = Offset(10);
  EXPECT_EQ(c.judge().reason(), Due::Reason::not_due) << "half is not more than half";
  EXPECT_EQ(c.judge().dirty_bytes(), 2 * kMiB);
  EXPECT_EQ(c.judge().clean_bytes(), 2 * kMiB);
  EXPECT_EQ(c.judge().dirty_begin(), Offset(10));
  EXPECT_EQ(c.judge().dirty_end(), Offset(20));
  c.settings.dirty_ratio_min = 0.4;
  EXPECT_EQ(c.judge().reason(), Due::Reason::ratio);
}

TEST(Due, not_for_less_than_a_mebibyte) {
  Case c{.spans = {{kMiB - 1, kNow}}};
  EXPECT_EQ(c.judge().reason(), Due::Reason::not_due);
  c.spans[0].first = kMiB;
  EXPECT_EQ(c.judge().reason(), Due::Reason::ratio);
}

TEST(Due, when_the_oldest_dirty_record_is_older_than_the_max_lag) {
  Case c{.settings = {.max_lag_ms = 1'000}, .spans = {{10, kNow - 5'000}, {10, kNow}}};
  EXPECT_EQ(c.judge().reason(), Due::Reason::lag);
  c.log.compacted_to = Offset(10);
  EXPECT_EQ(c.judge().reason(), Due::Reason::not_due);
  c.spans[1].second = kNow - 1'000;
  EXPECT_EQ(c.judge().reason(), Due::Reason::not_due);
  c.spans[1].second = kNow - 1'001;
  EXPECT_EQ(c.judge().reason(), Due::Reason::lag);
  c.spans[1].second = -1;
  EXPECT_EQ(c.judge().reason(), Due::Reason::not_due) << "no timestamp, no age";
}

TEST(Due, leaves_records_alone_that_are_younger_than_the_min_lag) {
  Case c{.settings = {.min_lag_ms = 1'000},
         .spans = {{2 * kMiB, kNow - 5'000}, {kMiB, kNow - 999}, {kMiB, kNow - 5'000}}};
  EXPECT_EQ(c.judge().dirty_end(), Offset(10));
  EXPECT_EQ(c.judge().dirty_bytes(), 2 * kMiB);
  c.spans[1].second = kNow - 1'000;
  EXPECT_EQ(c.judge().dirty_end(), Offset(30));
}

TEST(Due, stops_at_the_last_stable_offset) {
  Case c{.spans = {{kMiB, kNow}, {kMiB, kNow}}};
  c.log.last_stable = Offset(19);
  EXPECT_EQ(c.judge().dirty_end(), Offset(10));
  c.log.last_stable = Offset(5);
  EXPECT_EQ(c.judge().dirty_bytes(), 0u);
  EXPECT_EQ(c.judge().reason(), Due::Reason::not_due);
}

TEST(Due, begins_at_the_log_start_if_that_is_beyond_what_was_compacted) {
  Case c{.spans = {{kMiB, kNow}, {kMiB, kNow}}};
  c.log.start = Offset(13);
  c.log.compacted_to = Offset(4);
  EXPECT_EQ(c.judge().dirty_begin(), Offset(13));
  EXPECT_EQ(c.judge().clean_bytes(), kMiB);
}

TEST(Due, survives_absurd_settings) {
  Case c{.settings = {.min_lag_ms = INT64_MAX, .max_lag_ms = 0}, .spans = {{2 * kMiB, 5}}};
  EXPECT_EQ(c.judge().reason(), Due::Reason::not_due);
  c.settings = {.min_lag_ms = 0, .max_lag_ms = INT64_MAX, .dirty_ratio_min = 0};
  EXPECT_EQ(c.judge().reason(), Due::Reason::ratio);
}

}  // namespace
}  // namespace weir::compaction
