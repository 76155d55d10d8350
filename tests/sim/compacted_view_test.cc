#include "tests/sim/compacted_view.h"

#include <gtest/gtest.h>

namespace weir::sim {
namespace {

using Fault = CompactedView::Fault;

/// Offsets 0 to 5 hold the keys a b a b a c; c is a tombstone. Each was sent before the next.
class CompactedViewTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kRetentionMs = 1'000;
  CompactedViewTest() { view_.may_drop(kRetentionMs); }

  static std::optional<KeyedRecord> record(Offset at) {
    constexpr std::uint64_t kKeys[] = {1, 2, 1, 2, 1, 3};
    auto index = static_cast<std::size_t>(at.value);
    if (index >= std::size(kKeys)) return std::nullopt;
    return KeyedRecord{kKeys[index], kKeys[index] == 3, index, 0};
  }
  void gap(std::int64_t at, std::uint64_t sent = 6, std::int64_t now_ms = 0) {
    view_.missing(Offset(at), Offset(at + 1), sent, now_ms);
  }
  void read(const std::vector<std::int64_t>& offsets, std::int64_t compacted_to = 0) {
    view_.begin_final();
    for (std::int64_t at : offsets) view_.present(Offset(at));
    view_.end_final({Offset(0), Offset(6), Offset(compacted_to)}, report());
  }
  CompactedView::Report report() {
    return [this](Fault fault, Offset at) { found_.emplace_back(fault, at.value); };
  }
  void expect(std::vector<std::pair<Fault, std::int64_t>> faults,
              const std::vector<KeyedRecord>& elsewhere = {}) {
    view_.finish(record, elsewhere, 0, report());
    EXPECT_EQ(found_, faults);
  }

  CompactedView view_;
  std::vector<std::pair<Fault, std::int64_t>> found_;
};

TEST_F(CompactedViewTest, is_content_with_what_compaction_leaves) {
  for (std::int64_t at : {0, 1, 2}) gap(at);
  read({3, 4, 5}, 6);
  read({3, 4, 5}, 6);
  expect({});
}

TEST_F(CompactedViewTest, finds_a_latest_value_that_is_gone) {
  gap(3);
  read({0, 1, 2, 4, 5});
  expect({{Fault::value_gone, 3}, {Fault::stale_value, 1}});
}

TEST_F(CompactedViewTest, finds_a_value_that_went_before_the_later_one_was_sent) {
  gap(1, 3);
  read({3, 4, 5});
  expect({{Fault::value_gone, 1}});
}

TEST_F(CompactedViewTest, an_unplaced_record_may_have_taken_the_place) {
  gap(3);
  read({4, 5});
  expect({}, {{.key = 2, .tombstone = true, .sent_at = 5}});
}

TEST_F(CompactedViewTest, finds_a_tombstone_that_went_early) {
  gap(5, 6, kRetentionMs - 1);
  read({3, 4});
  expect({{Fault::tombstone_gone, 5}});
}

TEST_F(CompactedViewTest, lets_old_tombstones_go) {
  gap(5, 6, kRetentionMs);
  read({3, 4});
  expect({});
}

TEST_F(CompactedViewTest, finds_a_young_record_that_was_there_when_the_start_went_past_it) {
  for (std::int64_t at : {0, 1, 2, 3}) view_.cut(Offset(at), 6, 0);
  view_.begin_final();
  for (std::int64_t at : {4, 5}) view_.present(Offset(at));
  view_.end_final({Offset(4), Offset(6), Offset(0)}, report());
  expect({{Fault::value_gone, 3}});
}

TEST_F(CompactedViewTest, finds_what_comes_back) {
  read({3, 4, 5});
  read({2, 3, 4, 5});
  expect({{Fault::came_back, 2}});
}

TEST_F(CompactedViewTest, finds_an_older_record_where_a_later_one_is_gone) {
  gap(5, 6, kRetentionMs);
  read({0, 3, 4});
  expect({{Fault::stale_value, 0}});
}

TEST_F(CompactedViewTest, finds_two_of_a_key_where_all_is_clean) {
  read({1, 3, 4, 5}, 5);
  expect({{Fault::twice, 1}});
}

}  // namespace
}  // namespace weir::sim
