// Each violation that the checker of groups knows is found, and right behaviour gives none.
#include "tests/sim/group_checker.h"

#include <gtest/gtest.h>

namespace weir::sim {
namespace {

struct Groups : ::testing::Test {
  Checker checker;
  GroupChecker groups{checker};

  GroupWho who(std::string name, std::int32_t generation = 1) {
    return {name, name + "-id", generation};
  }
  void work(std::int64_t position, std::int32_t generation, std::string name = "m",
            MonoTime sent = MonoTime{}) {
    groups.processed(0, position);
    groups.committed(0, position, groups.known(0), who(std::move(name), generation), sent);
  }
  void fetch(std::int64_t offset, std::int64_t output, GroupWho by) {
    groups.fetched(0, {offset, output}, groups.known(0), by);
  }
  static MonoTime at(Duration since) { return MonoTime{} + since; }
  bool found(Violation kind) const {
    for (const Finding& finding : checker.findings())
      if (finding.kind == kind) return true;
    return false;
  }
};

TEST_F(Groups, that_hand_over_in_order_give_no_finding) {
  groups.owns(1, "a", {0, 1});
  fetch(-1, 0, who("a"));
  work(0, 1);
  work(1, 1);
  groups.owns(2, "b", {0});
  groups.owns(2, "a", {1});
  fetch(2, 2, who("b", 2));
  work(2, 2);
  EXPECT_TRUE(checker.findings().empty());
}

TEST_F(Groups, with_two_owners_of_a_partition_are_found) {
  groups.owns(1, "a", {0, 1});
  groups.owns(1, "b", {1});
  EXPECT_TRUE(found(Violation::two_owners));
}

TEST_F(Groups, whose_offset_goes_back_are_found) {
  work(0, 1);
  fetch(0, 0, who("b"));
  EXPECT_TRUE(found(Violation::offset_back));
}

TEST_F(Groups, whose_offset_passes_what_was_processed_are_found) {
  fetch(1, 1, who("b"));
  EXPECT_TRUE(found(Violation::skipped_work));
}

TEST_F(Groups, that_take_a_commit_of_an_older_generation_are_found) {
  work(0, 2);
  work(1, 1);
  EXPECT_TRUE(found(Violation::fenced_commit));
}

TEST_F(Groups, that_commit_a_position_twice_are_found) {
  work(0, 1);
  work(0, 1);
  EXPECT_TRUE(found(Violation::committed_twice));
}

TEST_F(Groups, whose_commit_was_not_answered_may_fall_back_to_it_once) {
  work(0, 1, "a");
  groups.processed(0, 1);
  groups.unclear(0, 1, who("a"));
  work(1, 1, "a");
  work(2, 1, "a");
  fetch(2, 2, who("b", 2));
  EXPECT_EQ(groups.late_landings(), 1u);
  work(2, 2, "b");
  EXPECT_TRUE(checker.findings().empty()) << "what fell back is done again";
  fetch(2, 2, who("c", 3));
  EXPECT_TRUE(found(Violation::offset_back)) << "its generation is over";
}

TEST_F(Groups, whose_member_keeps_a_partition_may_fall_back_to_its_commit_of_an_older_epoch) {
  work(0, 1, "a");
  groups.processed(0, 1);
  groups.unclear(0, 1, who("a", 1));
  work(1, 1, "a");
  work(2, 1, "a");
  fetch(3, 3, who("a", 2));
  fetch(2, 2, who("a", 3));
  EXPECT_TRUE(checker.findings().empty());
  EXPECT_EQ(groups.late_landings(), 1u);
}

TEST_F(Groups, that_fall_back_to_what_nobody_left_open_are_found) {
  work(0, 1, "a");
  groups.unclear(0, 1, who("a"));
  work(1, 1, "a");
  work(2, 1, "a");
  fetch(1, 1, who("b", 2));
  EXPECT_TRUE(found(Violation::offset_back));
}

TEST_F(Groups, that_give_a_partition_on_too_early_are_found) {
  groups.takes(0, who("a", 1), at(1s));
  groups.takes(0, who("b", 2), at(2s));
  EXPECT_TRUE(checker.findings().empty()) << "a may be out of the group";
  groups.taken_away(0, "a");
  EXPECT_TRUE(found(Violation::two_owners));
}

TEST_F(Groups, that_keep_a_member_whose_partition_another_has_are_found) {
  groups.takes(0, who("a", 1), at(1s));
  groups.takes(0, who("b", 2), at(2s));
  groups.lives("a", at(10s));
  EXPECT_TRUE(checker.findings().empty()) << "the broker may be late";
  groups.lives("b", at(30s));
  EXPECT_TRUE(checker.findings().empty());
  groups.lives("a", at(30s));
  EXPECT_TRUE(found(Violation::two_owners));
}

TEST_F(Groups, that_take_a_commit_of_a_member_that_was_replaced_are_found) {
  groups.takes(0, who("a", 1), at(1s));
  groups.takes(0, who("b", 2), at(2s));
  work(0, 1, "a", at(1s));
  EXPECT_TRUE(checker.findings().empty()) << "it may have been folded before";
  work(1, 1, "a", at(3s));
  EXPECT_TRUE(found(Violation::fenced_commit));
}

TEST_F(Groups, that_give_a_partition_up_first_give_no_finding) {
  groups.takes(0, who("a", 1), at(1s));
  groups.gives_up(0, "a");
  groups.takes(0, who("b", 2), at(2s));
  // An answer of an older generation arrives late: b is the owner all the same.
  groups.takes(0, who("c", 1), at(3s));
  groups.taken_away(0, "b");
  groups.lives("b", at(60s));
  work(0, 2, "b", at(60s));
  EXPECT_TRUE(checker.findings().empty());
}

TEST_F(Groups, whose_output_is_not_that_of_the_offset_are_found) {
  work(0, 1);
  work(1, 1);
  fetch(2, 1, who("b", 2));
  EXPECT_TRUE(found(Violation::torn_output));
}

}  // namespace
}  // namespace weir::sim
