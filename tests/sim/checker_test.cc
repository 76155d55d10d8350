#include "tests/sim/checker.h"

#include <gtest/gtest.h>

namespace weir::sim {
namespace {

constexpr std::uint64_t kHash = 7;

/// One topic with one partition, two streams of ten records each.
class CheckerTest : public ::testing::Test {
 protected:
  CheckerTest() {
    checker_.topic_created(at_.topic);
    for (int i = 0; i < 10; ++i) {
      checker_.sent(stream_, seen(0, static_cast<std::uint32_t>(i)));
      checker_.sent(plain_, seen(0, static_cast<std::uint32_t>(i), plain_));
    }
  }
  Seen seen(std::int64_t offset, std::uint32_t number) const {
    return seen(offset, number, stream_);
  }
  Seen seen(std::int64_t offset, std::uint32_t number, StreamId stream) const {
    return {Offset(offset), stream, number, kHash + number};
  }
  void poll(std::int64_t asked, std::vector<Seen> records) {
    checker_.polled({"reader", at_, Offset(asked), std::move(records)});
  }
  void end(std::int64_t start, std::int64_t end) {
    checker_.ended(at_, Offset(start), Offset(end));
    checker_.finish();
  }
  void expect(std::vector<Violation> kinds) {
    std::vector<Violation> found;
    for (const Finding& finding : checker_.findings()) found.push_back(finding.kind);
    EXPECT_EQ(found, kinds) << (found.empty() ? "" : checker_.findings().front().text);
  }

  Checker checker_;
  PartitionRef at_{TopicId::from_bytes(as_bytes("0123456789abcdef")), PartitionIndex(0)};
  StreamId stream_ = checker_.add_stream(at_, true);
  StreamId plain_ = checker_.add_stream(at_, false);
};

TEST_F(CheckerTest, is_content_with_a_right_history) {
  checker_.acknowledged({stream_, 0, 2}, Offset(0));
  poll(0, {seen(0, 0), seen(1, 1), seen(2, 0, plain_)});
  poll(1, {seen(0, 0), seen(1, 1), seen(2, 0, plain_), seen(3, 0, plain_)});
  end(0, 4);
  expect({});
}

TEST_F(CheckerTest, finds_an_acknowledged_record_behind_the_end) {
  checker_.acknowledged({stream_, 0, 2}, Offset(0));
  poll(0, {seen(0, 0)});
  end(0, 1);
  expect({Violation::lost});
}

TEST_F(CheckerTest, finds_an_acknowledged_record_that_is_nowhere) {
  checker_.acknowledged({stream_, 0, 1}, Offset(-1));
  end(0, 0);
  expect({Violation::lost});
}

TEST_F(CheckerTest, takes_a_record_below_the_start_as_deleted) {
  checker_.acknowledged({stream_, 0, 1}, Offset(-1));
  checker_.deletion_asked(at_, Offset(1));
  end(1, 1);
  expect({});
}

TEST_F(CheckerTest, finds_a_start_that_nobody_asked_for) {
  poll(0, {seen(0, 0), seen(1, 1)});
  end(1, 2);
  expect({Violation::lost});
}

TEST_F(CheckerTest, finds_an_acknowledged_offset_that_holds_something_else) {
  checker_.acknowledged({stream_, 0, 1}, Offset(0));
  poll(0, {seen(0, 3, plain_)});
  expect({Violation::two_values});
}

TEST_F(CheckerTest, finds_two_values_at_one_offset_on_two_brokers) {
  poll(0, {seen(0, 0)});
  poll(0, {seen(0, 0, plain_)});
  expect({Violation::two_values});
}

TEST_F(CheckerTest, finds_a_duplicate_of_an_idempotent_producer_only) {
  poll(0, {seen(0, 0, plain_), seen(1, 0, plain_), seen(2, 0), seen(3, 0)});
  end(0, 4);
  expect({Violation::duplicate, Violation::duplicate});
}

TEST_F(CheckerTest, finds_a_wrong_order_of_an_idempotent_producer_only) {
  poll(0, {seen(0, 1, plain_), seen(1, 0, plain_), seen(2, 1), seen(3, 0)});
  end(0, 4);
  expect({Violation::reordered});
}

TEST_F(CheckerTest, finds_altered_and_invented_records) {
  Seen changed = seen(0, 0);
  changed.hash = 1;
  poll(0, {changed});
  poll(0, {seen(0, 10)});
  poll(0, {seen(0, 0, 77)});
  expect({Violation::altered, Violation::altered, Violation::altered});
}

TEST_F(CheckerTest, finds_polls_that_skip_or_go_back) {
  poll(1, {seen(2, 2)});
  poll(0, {seen(0, 0), seen(2, 2)});
  poll(2, {seen(0, 0), seen(1, 1)});
  poll(1, {seen(1, 1), seen(0, 0)});
  expect(std::vector(4, Violation::skipping_poll));
}

TEST_F(CheckerTest, finds_holes) {
  poll(0, {seen(0, 0)});
  poll(2, {seen(2, 2)});
  end(0, 3);
  expect({Violation::hole});
}

TEST_F(CheckerTest, finds_a_hole_that_only_an_answer_filled) {
  checker_.acknowledged({stream_, 0, 1}, Offset(0));
  poll(1, {seen(1, 1)});
  end(0, 2);
  expect({Violation::hole});
}

TEST_F(CheckerTest, finds_what_was_read_and_is_gone) {
  poll(0, {seen(0, 0), seen(1, 1)});
  end(0, 1);
  expect({Violation::withdrawn});
}

TEST_F(CheckerTest, finds_brokers_that_end_differently) {
  checker_.ended(at_, Offset(0), Offset(0));
  checker_.ended(at_, Offset(0), Offset(1));
  expect({Violation::two_values});
}

TEST_F(CheckerTest, finds_refusals_from_a_stale_state) {
  checker_.acknowledged({stream_, 0, 2}, Offset(0));
  Checker::Known before = checker_.known(at_);
  checker_.refused_range(at_, Offset(3), before, "b1");  // That far nothing is known.
  expect({});
  checker_.refused_range(at_, Offset(2), before, "b1");
  checker_.refused_topic(at_, "b1");
  checker_.answered_end(at_, Offset(1), before, "b1");
  expect({Violation::stale_refusal, Violation::stale_refusal, Violation::stale_end});
}

TEST_F(CheckerTest, takes_refusals_of_what_is_being_deleted) {
  checker_.acknowledged({stream_, 0, 2}, Offset(0));
  checker_.deletion_asked(at_, Offset(1));
  checker_.refused_range(at_, Offset(0), checker_.known(at_), "b1");
  checker_.topic_deletion_asked(at_.topic);
  checker_.refused_range(at_, Offset(2), checker_.known(at_), "b1");
  checker_.refused_topic(at_, "b1");
  end(0, 0);
  expect({});
}

TEST_F(CheckerTest, finds_two_states_at_one_position) {
  checker_.digest("b1", Position(1), {1, 1});
  checker_.digest("b2", Position(1), {1, 1});
  checker_.digest("b2", Position(2), {1, 1});
  expect({});
  checker_.digest("b1", Position(2), {1, 2});
  expect({Violation::digest});
}

TEST_F(CheckerTest, finds_a_topic_that_is_gone_at_the_end) {
  poll(0, {seen(0, 0)});
  checker_.finish();
  expect({Violation::lost});
}

TEST_F(CheckerTest, reports_what_others_found) {
  checker_.refused_next({stream_, 0, 1}, "out_of_order_sequence");
  checker_.report(Violation::halted, "b1");
  expect({Violation::wrong_refusal, Violation::halted});
}

}  // namespace
}  // namespace weir::sim
