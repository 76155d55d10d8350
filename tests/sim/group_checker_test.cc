// Each violation that the checker of groups knows is found, and right behaviour gives none.
#include "tests/sim/group_checker.h"

#include <gtest/gtest.h>

namespace weir::sim {
namespace {

struct Groups : ::testing::Test {
  Checker checker;
  GroupChecker groups{checker};

  void work(std::int64_t position, std::int32_t generation) {
    groups.processed(0, position);
    groups.committed(0, position, generation, groups.known(0), "m");
  }
  bool found(Violation kind) const {
    for (const Finding& finding : checker.findings())
      if (finding.kind == kind) return true;
    return false;
  }
};

TEST_F(Groups, that_hand_over_in_order_give_no_finding) {
  groups.owns(1, "a", {0, 1});
  groups.fetched(0, -1, groups.known(0), "a");
  work(0, 1);
  work(1, 1);
  groups.owns(2, "b", {0});
  groups.owns(2, "a", {1});
  groups.fetched(0, 2, groups.known(0), "b");
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
  groups.fetched(0, 0, groups.known(0), "b");
  EXPECT_TRUE(found(Violation::offset_back));
}

TEST_F(Groups, whose_offset_passes_what_was_processed_are_found) {
  groups.fetched(0, 1, groups.known(0), "b");
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

}  // namespace
}  // namespace weir::sim
