// Groups of the classic protocol on one and on several brokers: docs/design.md, 9.
#include <gtest/gtest.h>

#include "engine/testing/groups_fixture.h"

namespace weir::engine {
namespace {

using testing::EngineNode;
using testing::join_of;

class GroupsTest : public testing::GroupsFixture {};

TEST_F(GroupsTest, a_group_forms_and_its_leader_assigns) {
  EngineNode& a = start("a");
  JoinRequest first = join_of("m1");
  first.initial_delay_ms = 3'000;
  auto& one = join_later("a", a, std::move(first));
  JoinRequest second = join_of("m2");
  second.initial_delay_ms = 3'000;
  auto& two = join_later("a", a, std::move(second));
  EXPECT_FALSE(one.has_value()) << "the initial delay runs";
  EXPECT_EQ(a->status().parked_group_calls, 2u);
  ASSERT_TRUE(world_.run_while([&] { return !one || !two; }, 10s));
  EXPECT_EQ(one->generation, 1);
  EXPECT_EQ(one->leader, "m1");
  EXPECT_EQ(two->leader, "m1");
  ASSERT_EQ(one->members.size(), 2u);
  EXPECT_TRUE(two->members.empty());
  EXPECT_EQ(as_text(one->members[1].metadata.view()), "of m2");

  auto& follower = sync_later("a", a, sync_of("m2", 1));
  EXPECT_FALSE(follower.has_value());
  EXPECT_EQ(as_text(sync("a", a, sync_of("m1", 1, {"m1", "m2"})).assignment.view()), "for m1");
  ASSERT_TRUE(world_.run_while([&] { return !follower; }, 1s));
  EXPECT_EQ(as_text(follower->assignment.view()), "for m2");
  EXPECT_EQ(beat("a", a, "m1", 1), Refusal::none);
}

TEST_F(GroupsTest, the_initial_delay_is_extended_while_members_come) {
  EngineNode& a = start("a");
  const auto with_delay = [](const std::string& member) {
    JoinRequest request = join_of(member);
    request.initial_delay_ms = 3'000;
    return request;
  };
  const MonoTime begun = world_.now();
  auto& one = join_later("a", a, with_delay("m1"));
  world_.run_for(2s);
  auto& two = join_later("a", a, with_delay("m2"));
  ASSERT_TRUE(world_.run_while([&] { return !one || !two; }, 20s));
  EXPECT_GE(world_.now() - begun, 5900ms);
  EXPECT_LE(world_.now() - begun, 8s);
}

TEST_F(GroupsTest, a_lone_broker_writes_nothing_for_a_steady_group) {
  EngineNode& a = start("a");
  settle("a", a, "m1");
  const Position before = a->status().folded;
  for (int i = 0; i < 20; ++i) {
    world_.run_for(3s);
    ASSERT_EQ(beat("a", a, "m1", 1), Refusal::none);
  }
  EXPECT_EQ(a->status().folded, before);
}

TEST_F(GroupsTest, a_session_counts_from_when_the_heartbeat_came) {
  EngineNode& a = start("a");
  settle("a", a, "m1");
  world_.run_for(4900ms);
  ASSERT_EQ(beat("a", a, "m1", 1), Refusal::none);
  world_.run_for(5500ms);
  EXPECT_EQ(group(a)->counts.members, 1u) << "silent for 5.5 s of 6 s";
  world_.run_for(1s);
  EXPECT_EQ(group(a)->counts.members, 0u);
}

TEST_F(GroupsTest, a_silent_member_is_out_after_its_session) {
  EngineNode& a = start("a");
  settle("a", a, "m1");
  world_.run_for(4s);
  ASSERT_EQ(beat("a", a, "m1", 1), Refusal::none);
  world_.run_for(5s);
  EXPECT_EQ(group(a)->counts.members, 1u) << "silent for 5 s of 6 s";
  world_.run_for(2s);
  EXPECT_EQ(group(a)->counts.members, 0u);
  EXPECT_EQ(beat("a", a, "m1", 1), Refusal::unknown_member);
}

TEST_F(GroupsTest, a_member_that_was_told_its_id_and_does_not_come_is_forgotten) {
  EngineNode& a = start("a");
  JoinRequest request = join_of("m1");
  request.require_known_member = true;
  const JoinAnswer told = join("a", a, std::move(request));
  EXPECT_TRUE(told.member_id_required);
  EXPECT_EQ(told.member, "m1");
  world_.run_for(8s);
  EXPECT_EQ(join("a", a, join_of("unused", "m1")).refusal, Refusal::unknown_member);
}

TEST_F(GroupsTest, who_does_not_rejoin_in_time_is_left_behind) {
  EngineNode& a = start("a");
  settle("a", a, "m1");
  auto& two = join_later("a", a, join_of("m2"));
  for (int i = 0; i < 9; ++i) {
    EXPECT_FALSE(two.has_value());
    world_.run_for(2s);
    EXPECT_EQ(beat("a", a, "m1", 1), Refusal::rebalance_in_progress);
  }
  ASSERT_TRUE(world_.run_while([&] { return !two; }, 5s));
  EXPECT_EQ(two->generation, 2);
  EXPECT_EQ(two->leader, "m2");
  EXPECT_EQ(two->members.size(), 1u);
}

TEST_F(GroupsTest, a_parked_member_lives_as_long_as_it_waits) {
  EngineNode& a = start("a");
  settle("a", a, "m1");
  auto& two = join_later("a", a, join_of("m2"));
  for (int i = 0; i < 5; ++i) {
    world_.run_for(3s);
    EXPECT_EQ(beat("a", a, "m1", 1), Refusal::rebalance_in_progress);
  }
  EXPECT_FALSE(two.has_value()) << "15 s with a session of 6 s";
  EXPECT_EQ(group(a)->counts.members, 2u);
  auto& one = join_later("a", a, join_of("unused", "m1"));
  ASSERT_TRUE(world_.run_while([&] { return !one || !two; }, 2s));
  EXPECT_TRUE(two->ok());
}

TEST_F(GroupsTest, a_closed_connection_ends_its_parked_join) {
  EngineNode& a = start("a");
  settle("a", a, "m1");
  bool cancelled = false;
  auto& two = join_later("a", a, join_of("m2"), &cancelled);
  cancelled = true;
  a->wake_parked();
  ASSERT_TRUE(world_.run_while([&] { return !two; }, 1s));
  EXPECT_FALSE(two->ok());
  // Its member is silent from now on.
  for (int i = 0; i < 3; ++i) {
    world_.run_for(3s);
    beat("a", a, "m1", 1);
  }
  EXPECT_EQ(group(a)->counts.members, 1u);
}

TEST_F(GroupsTest, a_leader_that_never_assigns_is_dropped) {
  EngineNode& a = start("a");
  JoinRequest leader = join_of("m1");
  leader.initial_delay_ms = 1'000;
  auto& one = join_later("a", a, leader);
  leader.new_member = "m2";
  auto& two = join_later("a", a, leader);
  ASSERT_TRUE(world_.run_while([&] { return !one || !two; }, 10s));
  auto& follower = sync_later("a", a, sync_of("m2", 1));
  for (int i = 0; i < 12 && !follower; ++i) {
    world_.run_for(2s);
    beat("a", a, "m1", 1);
  }
  ASSERT_TRUE(follower.has_value());
  EXPECT_EQ(follower->refusal, Refusal::rebalance_in_progress);
  EXPECT_EQ(join("a", a, join_of("unused", "m2")).leader, "m2");
}

// --- several brokers ---

TEST_F(GroupsTest, any_broker_serves_any_request_of_a_group) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  auto& one = join_later("a", a, join_of("m1"));
  ASSERT_TRUE(one.has_value());
  EXPECT_TRUE(sync("b", b, sync_of("m1", 1, {"m1"})).ok());
  auto& two = join_later("b", b, join_of("m2"));
  auto& again = join_later("a", a, join_of("unused", "m1"));
  ASSERT_TRUE(world_.run_while([&] { return !two || !again; }, 5s));
  EXPECT_EQ(two->generation, 2);
  EXPECT_EQ(again->generation, 2);
  auto& follower = sync_later("a", a, sync_of("m2", 2));
  EXPECT_TRUE(sync("b", b, sync_of("m1", 2, {"m1", "m2"})).ok());
  ASSERT_TRUE(world_.run_while([&] { return !follower; }, 5s));
  EXPECT_EQ(as_text(follower->assignment.view()), "for m2");
  EXPECT_EQ(beat("b", b, "m2", 2), Refusal::none);
  EXPECT_EQ(beat("a", a, "m2", 2), Refusal::none);
}

TEST_F(GroupsTest, a_member_that_is_heard_by_one_broker_is_not_expired_by_another) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  settle("a", a, "m1");
  for (int i = 0; i < 15; ++i) {
    world_.run_for(2s);
    ASSERT_EQ(beat("a", a, "m1", 1), Refusal::none);
  }
  ASSERT_TRUE(get(node("b"), b->barrier(soon("b"))).has_value());
  EXPECT_EQ(group(b)->counts.members, 1u);
  EXPECT_EQ(group(b)->values().generation, 1);
}

TEST_F(GroupsTest, heartbeats_spread_over_brokers_keep_a_member_alive) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  settle("a", a, "m1");
  for (int i = 0; i < 20; ++i) {
    world_.run_for(2s);
    ASSERT_EQ(i % 2 == 0 ? beat("a", a, "m1", 1) : beat("b", b, "m1", 1), Refusal::none) << i;
  }
}

TEST_F(GroupsTest, a_broker_that_joins_gives_the_lone_one_time_to_vouch) {
  EngineNode& a = start("a");
  settle("a", a, "m1");
  for (int i = 0; i < 10; ++i) {
    world_.run_for(3s);
    ASSERT_EQ(beat("a", a, "m1", 1), Refusal::none);
  }
  start("b");
  for (int i = 0; i < 10; ++i) {
    world_.run_for(2s);
    ASSERT_EQ(beat("a", a, "m1", 1), Refusal::none) << i;
  }
}

TEST_F(GroupsTest, members_outlive_the_broker_that_heard_them) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  settle("a", a, "m1");
  world_.run_for(2s);
  beat("a", a, "m1", 1);
  node("a").kill();
  for (int i = 0; i < 10; ++i) {
    world_.run_for(2s);
    ASSERT_EQ(beat("b", b, "m1", 1), Refusal::none) << i;
  }
  EXPECT_EQ(group(b)->values().generation, 1);
}

TEST_F(GroupsTest, a_stale_broker_refuses_nobody) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  world_.run_for(2s);
  settle("a", a, "m1");
  EXPECT_EQ(beat("b", b, "m1", 1), Refusal::none) << "b had not folded that yet";
}

}  // namespace
}  // namespace weir::engine
