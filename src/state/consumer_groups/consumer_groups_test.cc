#include <gtest/gtest.h>

#include <limits>

#include "state/commands/create_partitions.h"
#include "state/consumer_groups/group_for_test.h"
#include "state/limits.h"

namespace weir::state {
namespace {

using testing::Partitions;
using testing::TestGroup;
using testing::topic_id;

TEST(ConsumerGroups, a_join_makes_the_group_and_the_assignment_moves_the_member) {
  TestGroup test;
  ASSERT_EQ(test.join("a"), Refusal::none);
  EXPECT_EQ(test.group().state(), ConsumerGroupState::assigning);
  EXPECT_EQ(test.group().epoch(), 1);
  auto command = test.assignment({{"a", {0, 1, 2, 3}}});
  command.advance = {"a"};
  ASSERT_EQ(test.cluster.propose(command).refusal, Refusal::none);
  EXPECT_EQ(test.member("a").epoch, 1);
  EXPECT_EQ(test.assigned("a"), (Partitions{0, 1, 2, 3}));
  EXPECT_EQ(test.group().state(), ConsumerGroupState::stable);
}

TEST(ConsumerGroups, partitions_are_revoked_before_they_are_given_on) {
  TestGroup test;
  test.join("a");
  test.assign({{"a", {0, 1, 2, 3}}});
  ASSERT_EQ(test.beat("a", {}), Refusal::none);
  test.join("b");
  ASSERT_EQ(test.assign({{"a", {0, 1}}, {"b", {2, 3}}}), Refusal::none);
  // b has the new epoch, and waits.
  ASSERT_EQ(test.beat("b", {}), Refusal::none);
  EXPECT_EQ(test.member("b").epoch, 2);
  EXPECT_EQ(test.member("b").state, MemberState::unreleased);
  EXPECT_EQ(test.assigned("b"), Partitions{});
  // a is told what to give up and keeps its epoch.
  ASSERT_EQ(test.beat("a", {0, 1, 2, 3}), Refusal::none);
  EXPECT_EQ(test.member("a").epoch, 1);
  EXPECT_EQ(test.member("a").state, MemberState::unrevoked);
  EXPECT_EQ(test.assigned("a"), (Partitions{0, 1}));
  EXPECT_EQ(test.revoking("a"), (Partitions{2, 3}));
  // Still nothing for b.
  ASSERT_EQ(test.beat("b", {}), Refusal::none);
  EXPECT_EQ(test.assigned("b"), Partitions{});
  EXPECT_EQ(test.group().state(), ConsumerGroupState::reconciling);
  // a gave one up, which is not enough, then the other.
  ASSERT_EQ(test.beat("a", {0, 1, 2}), Refusal::none);
  EXPECT_EQ(test.member("a").state, MemberState::unrevoked);
  ASSERT_EQ(test.beat("a", {0, 1}), Refusal::none);
  EXPECT_EQ(test.member("a").state, MemberState::stable);
  EXPECT_EQ(test.member("a").epoch, 2);
  ASSERT_EQ(test.beat("b", {}), Refusal::none);
  EXPECT_EQ(test.assigned("b"), (Partitions{2, 3}));
  EXPECT_EQ(test.group().state(), ConsumerGroupState::stable);
}

TEST(ConsumerGroups, a_member_that_does_not_say_what_it_owns_is_taken_to_own_all) {
  TestGroup test;
  test.join("a");
  test.assign({{"a", {0, 1}}});
  test.beat("a", {});
  test.join("b");
  test.assign({{"a", {0}}, {"b", {1}}});
  ASSERT_EQ(test.beat(TestGroup::plain("a", 1)), Refusal::none);
  ASSERT_EQ(test.beat(TestGroup::plain("a", 1)), Refusal::none);
  EXPECT_EQ(test.member("a").state, MemberState::unrevoked);
}

TEST(ConsumerGroups, a_join_that_lands_behind_its_repetition_frees_nothing) {
  TestGroup test;
  test.join("a");
  test.assign({{"a", {0, 1}}});
  test.beat("a", {});
  auto late = TestGroup::joining("a");
  late.guard_sign = static_cast<std::int64_t>(test.member("a").last_sign.value);
  auto repeated = late;
  ASSERT_EQ(test.beat(repeated), Refusal::none);
  test.join("b");
  test.assign({{"a", {0}}, {"b", {1}}});
  EXPECT_EQ(test.beat(late), Refusal::guard_mismatch);
  EXPECT_EQ(test.beat("b", {}), Refusal::none);
  EXPECT_EQ(test.assigned("a"), (Partitions{0, 1}));
  EXPECT_EQ(test.assigned("b"), Partitions{});
}

TEST(ConsumerGroups, a_join_judged_before_its_member_came_or_went_is_refused) {
  TestGroup test;
  auto first = TestGroup::joining("a");
  first.guard_sign = 0;
  ASSERT_EQ(test.beat(first), Refusal::none);
  EXPECT_EQ(test.beat(first), Refusal::guard_mismatch);
  auto again = first;
  again.guard_sign = static_cast<std::int64_t>(test.member("a").last_sign.value);
  test.leave("a");
  EXPECT_EQ(test.beat(again), Refusal::guard_mismatch);
  EXPECT_TRUE(test.group().members().empty());
}

TEST(ConsumerGroups, a_static_join_is_guarded_by_whoever_has_its_instance) {
  TestGroup test;
  auto first = TestGroup::joining("a");
  first.instance_id = "i";
  test.beat(first);
  auto heir = TestGroup::joining("b");
  heir.instance_id = "i";
  heir.guard_sign = static_cast<std::int64_t>(test.member("a").last_sign.value);
  ASSERT_EQ(test.leave("a", "i", true), Refusal::none);
  EXPECT_EQ(test.beat(heir), Refusal::guard_mismatch) << "the leave was a sign of life";
  heir.guard_sign = static_cast<std::int64_t>(test.member("a").last_sign.value);
  EXPECT_EQ(test.beat(heir), Refusal::none);
  EXPECT_EQ(test.group().find("a"), nullptr);
}

TEST(ConsumerGroups, a_leave_frees_partitions_and_asks_for_an_assignment) {
  TestGroup test;
  test.join("a");
  test.join("b");
  test.assign({{"a", {0, 1}}, {"b", {2, 3}}});
  test.beat("a", {});
  test.beat("b", {});
  ASSERT_EQ(test.leave("a"), Refusal::none);
  EXPECT_EQ(test.group().state(), ConsumerGroupState::assigning);
  test.assign({{"b", {0, 1, 2, 3}}});
  ASSERT_EQ(test.beat("b", {2, 3}), Refusal::none);
  EXPECT_EQ(test.assigned("b"), (Partitions{0, 1, 2, 3}));
  ASSERT_EQ(test.leave("b"), Refusal::none);
  EXPECT_EQ(test.group().state(), ConsumerGroupState::empty);
  EXPECT_EQ(test.leave("b"), Refusal::unknown_member);
}

TEST(ConsumerGroups, unknown_groups_and_members_are_told_so) {
  TestGroup test;
  EXPECT_EQ(test.beat(TestGroup::plain("a", 1)), Refusal::group_not_found);
  EXPECT_EQ(test.leave("a"), Refusal::group_not_found);
  test.join("a");
  EXPECT_EQ(test.beat(TestGroup::plain("z", 1)), Refusal::unknown_member);
}

TEST(ConsumerGroups, another_epoch_than_the_members_is_fenced) {
  TestGroup test;
  test.join("a");
  test.assign({{"a", {0, 1}}});
  test.beat("a", {});
  ASSERT_EQ(test.member("a").epoch, 1);
  EXPECT_EQ(test.beat(TestGroup::plain("a", 2)), Refusal::fenced_member_epoch);
  auto bump = test.assignment({});
  ASSERT_TRUE(bump.bump);
  test.cluster.propose(bump);
  test.beat("a", {0, 1});
  ASSERT_EQ(test.member("a").epoch, 2);
  // Its answer was lost: the epoch before will do as long as it owns nothing that it lost since.
  auto late = TestGroup::plain("a", 1);
  EXPECT_EQ(test.beat(late), Refusal::fenced_member_epoch);
  late.owned = TestGroup::owning({0, 3});
  EXPECT_EQ(test.beat(late), Refusal::fenced_member_epoch);
  late.owned = TestGroup::owning({0});
  EXPECT_EQ(test.beat(late), Refusal::none);
  EXPECT_EQ(test.beat(TestGroup::joining("a")), Refusal::none) << "epoch 0 may always rejoin";
}

TEST(ConsumerGroups, of_full_size_take_no_other_member) {
  TestGroup test;
  test.join("a");
  auto second = TestGroup::joining("b");
  second.members_max = 1;
  EXPECT_EQ(test.beat(second), Refusal::group_full);
  auto again = TestGroup::joining("a");
  again.members_max = 1;
  EXPECT_EQ(test.beat(again), Refusal::none);
}

TEST(ConsumerGroups, a_static_member_comes_back_to_its_partitions) {
  TestGroup test;
  auto join = TestGroup::joining("a");
  join.instance_id = "i";
  test.beat(join);
  test.assign({{"a", {0, 1}}});
  test.beat("a", {});
  auto other = TestGroup::joining("b");
  other.instance_id = "i";
  EXPECT_EQ(test.beat(other), Refusal::unreleased_instance);
  ASSERT_EQ(test.leave("a", "i", true), Refusal::none);
  EXPECT_EQ(test.member("a").epoch, -2);
  std::int32_t epoch = test.group().epoch();
  ASSERT_EQ(test.beat(other), Refusal::none);
  EXPECT_EQ(test.group().epoch(), epoch) << "nobody else is disturbed";
  EXPECT_EQ(test.group().find("a"), nullptr);
  EXPECT_EQ(test.assigned("b"), (Partitions{0, 1}));
  EXPECT_EQ(test.member("b").epoch, 1);
  auto old = TestGroup::plain("a", 1);
  old.instance_id = "i";
  EXPECT_EQ(test.beat(old), Refusal::fenced_instance);
  EXPECT_EQ(test.leave("a", "i"), Refusal::fenced_instance);
  old.instance_id = "j";
  EXPECT_EQ(test.beat(old), Refusal::unknown_member);
}

TEST(ConsumerGroups, an_assignment_for_another_epoch_is_refused) {
  TestGroup test;
  test.join("a");
  auto stale = test.assignment({{"a", {0}}});
  test.join("b");
  EXPECT_EQ(test.cluster.propose(stale).refusal, Refusal::guard_mismatch);
  EXPECT_EQ(test.assign({{"zz", {0}}}), Refusal::guard_mismatch);
  EXPECT_EQ(test.assign({{"a", {0}}}), Refusal::none);
  auto negative = test.assignment({{"a", {-1}}});
  EXPECT_EQ(test.cluster.propose(negative).refusal, Refusal::malformed);
}

TEST(ConsumerGroups, a_partition_that_two_targets_name_is_held_by_one) {
  TestGroup test;
  test.join("a");
  test.join("b");
  test.assign({{"a", {0}}, {"b", {0}}});
  test.beat("a", {});
  test.beat("b", {});
  EXPECT_EQ(test.assigned("a"), Partitions{0});
  EXPECT_EQ(test.assigned("b"), Partitions{});
  EXPECT_EQ(test.member("b").state, MemberState::unreleased);
}

TEST(ConsumerGroups, a_new_subscription_asks_for_an_assignment) {
  TestGroup test;
  test.join("a");
  test.assign({{"a", {0, 1}}});
  test.beat("a", {});
  auto change = TestGroup::plain("a", 1);
  change.topics = {"other"};
  change.owned = TestGroup::owning({0, 1});
  ASSERT_EQ(test.beat(change), Refusal::none);
  EXPECT_EQ(test.group().state(), ConsumerGroupState::assigning);
  EXPECT_EQ(test.member("a").state, MemberState::unrevoked) << "it no longer reads them";
  EXPECT_EQ(test.revoking("a"), (Partitions{0, 1}));
}

TEST(ConsumerGroups, an_expression_reads_what_it_was_resolved_to) {
  TestGroup test;
  auto join = TestGroup::joining("a");
  join.topics.reset();
  join.regex = "t.*";
  ASSERT_EQ(test.beat(join), Refusal::none);
  auto command = test.assignment({{"a", {0}}});
  command.regexes = {{"t.*", {"t"}}, {"unused", {"t"}}};
  ASSERT_EQ(test.cluster.propose(command).refusal, Refusal::none);
  EXPECT_TRUE(test.group().subscribes("t"));
  EXPECT_FALSE(test.group().subscribes("u"));
  EXPECT_EQ(test.group().regexes().size(), 1u);
  test.beat("a", {});
  EXPECT_EQ(test.assigned("a"), Partitions{0});
  test.leave("a");
  EXPECT_TRUE(test.group().regexes().empty());
}

TEST(ConsumerGroups, who_does_not_give_up_in_time_is_fenced_by_its_epoch) {
  TestGroup test;
  test.join("a");
  test.assign({{"a", {0, 1}}});
  test.beat("a", {});
  command::FenceConsumerMember fence;
  fence.group_id = "g";
  fence.member_id = "a";
  fence.member_epoch = 1;
  EXPECT_EQ(test.cluster.propose(fence).refusal, Refusal::guard_mismatch);
  test.join("b");
  test.assign({{"a", {0}}, {"b", {1}}});
  test.beat("a", {0, 1});
  fence.member_epoch = 2;
  EXPECT_EQ(test.cluster.propose(fence).refusal, Refusal::guard_mismatch);
  fence.member_epoch = 1;
  EXPECT_EQ(test.cluster.propose(fence).refusal, Refusal::none);
  EXPECT_EQ(test.cluster.propose(fence).refusal, Refusal::not_found);
  test.assign({{"b", {0, 1}}});
  test.beat("b", {});
  EXPECT_EQ(test.assigned("b"), (Partitions{0, 1}));
}

TEST(ConsumerGroups, partitions_of_a_deleted_topic_are_given_up) {
  TestGroup test;
  test.join("a");
  test.assign({{"a", {0, 1}}});
  test.beat("a", {});
  test.cluster.propose(command::DeleteTopics{.topic_ids = {topic_id("t")}});
  auto command = test.assignment({{"a", {}}});
  ASSERT_EQ(test.cluster.propose(command).refusal, Refusal::none);
  test.beat("a", {0, 1});
  test.beat("a", {});
  EXPECT_EQ(test.assigned("a"), Partitions{});
  EXPECT_EQ(test.group().state(), ConsumerGroupState::stable);
}

TEST(ConsumerGroups, absurd_heartbeats_are_malformed) {
  TestGroup test;
  auto bad = TestGroup::joining("");
  EXPECT_EQ(test.beat(bad), Refusal::malformed);
  bad = TestGroup::joining("a");
  bad.members_max = 0;
  EXPECT_EQ(test.beat(bad), Refusal::malformed);
  bad = TestGroup::joining(std::string(kGroupTextBytesMax + 1, 'm'));
  EXPECT_EQ(test.beat(bad), Refusal::malformed);
  bad = TestGroup::joining("a", std::vector<std::string>(kTopicsPerConsumerMax + 1, "t"));
  EXPECT_EQ(test.beat(bad), Refusal::malformed);
  bad = TestGroup::joining("a", {std::string(kTopicNameBytesMax + 1, 't')});
  EXPECT_EQ(test.beat(bad), Refusal::malformed);
  EXPECT_EQ(test.cluster.state().groups().count(), 0u);
}

}  // namespace
}  // namespace weir::state
