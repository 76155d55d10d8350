// Groups of the consumer protocol on one and on several brokers: docs/design.md, 9.
#include "engine/consumer_groups.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/testing/consumer_groups_fixture.h"
#include "serial/writer.h"
#include "state/consumer_groups/embedded.h"

namespace weir::engine {
namespace {

using testing::EngineNode;
using Member = testing::ConsumerOfTest;

/// As a consumer puts it into its JoinGroup, version 1 with what it owns.
SharedBytes subscription_of(const std::string& topic, const std::vector<std::int32_t>& owned) {
  serial::Writer out;
  out.int16(1);
  out.array(serial::Form::classic, 1, "t");
  out.string(serial::Form::classic, topic, "t");
  out.int32(-1);
  out.array(serial::Form::classic, owned.empty() ? 0 : 1, "o");
  if (!owned.empty()) {
    out.string(serial::Form::classic, topic, "t");
    out.array(serial::Form::classic, owned.size(), "p");
    for (std::int32_t partition : owned) out.int32(partition);
  }
  return out.finish()->flatten();
}

class ConsumerGroupsTest : public testing::ConsumerGroupsFixture {};

TEST_F(ConsumerGroupsTest, a_join_is_answered_with_its_assignment) {
  EngineNode& a = start("a");
  create_topic("a", a, "t", 4);
  Member one{.id = "one"};
  ASSERT_EQ(beat("a", a, one), Refusal::none);
  EXPECT_EQ(one.epoch, 1);
  EXPECT_EQ(one.owned.size(), 4u);
  Member two{.id = "two"};
  ASSERT_EQ(beat("a", a, two), Refusal::none);
  EXPECT_TRUE(two.owned.empty()) << "nothing is free yet";
  converge("a", a, {&one, &two});
  EXPECT_EQ(one.owned.size(), 2u);
  EXPECT_EQ(two.owned.size(), 2u);
}

TEST_F(ConsumerGroupsTest, a_steady_group_writes_nothing) {
  Options options = testing::quick_options("a");
  options.maintenance.enabled = false;  // It writes the time now and then.
  EngineNode& a = start("a", options);
  create_topic("a", a, "t", 4);
  Member one{.id = "one"};
  converge("a", a, {&one});
  Position before = a->status().folded;
  for (int i = 0; i < 20; ++i) {
    world_.run_for(3s);
    ASSERT_EQ(beat("a", a, one), Refusal::none);
  }
  EXPECT_EQ(a->status().folded, before);
}

TEST_F(ConsumerGroupsTest, a_silent_member_is_out_after_its_session_and_others_take_over) {
  EngineNode& a = start("a");
  create_topic("a", a, "t", 4);
  Member one{.id = "one"};
  Member two{.id = "two"};
  beat("a", a, one);
  beat("a", a, two);
  converge("a", a, {&one, &two});
  for (int i = 0; i < 5; ++i) {
    world_.run_for(2s);
    beat("a", a, one);
  }
  converge("a", a, {&one});
  EXPECT_EQ(one.owned.size(), 4u);
  EXPECT_EQ(beat("a", a, two), Refusal::unknown_member);
}

TEST_F(ConsumerGroupsTest, new_partitions_topics_and_deletions_are_noticed_by_heartbeats) {
  EngineNode& a = start("a");
  Member one{.id = "one"};
  ASSERT_EQ(beat("a", a, one), Refusal::none);
  EXPECT_TRUE(one.owned.empty()) << "the topic does not exist";
  TopicId id = create_topic("a", a, "t", 2);
  converge("a", a, {&one});
  EXPECT_EQ(one.owned.size(), 2u);
  get(node("a"), a->create_partitions({{id, 5}}, soon("a")));
  converge("a", a, {&one});
  EXPECT_EQ(one.owned.size(), 5u);
  get(node("a"), a->delete_topics({id}, soon("a")));
  converge("a", a, {&one});
  EXPECT_TRUE(one.owned.empty());
}

TEST_F(ConsumerGroupsTest, an_expression_follows_the_topics) {
  EngineNode& a = start("a");
  create_topic("a", a, "t-1");
  create_topic("a", a, "u");
  Member one{.id = "one"};
  ConsumerHeartbeat join = heartbeat_of(one);
  join.topics.reset();
  join.regex = "t-.*";
  ConsumerHeartbeatAnswer answer = call("a", a, join);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.assignment->size(), 1u);
  one.epoch = answer.epoch;
  one.owned = *answer.assignment;
  create_topic("a", a, "t-2");
  converge("a", a, {&one});
  EXPECT_EQ(one.owned.size(), 2u);
}

TEST_F(ConsumerGroupsTest, refusals_say_what_is_wrong) {
  EngineNode& a = start("a");
  Member stranger{.id = "stranger", .epoch = 3};
  EXPECT_EQ(beat("a", a, stranger), Refusal::group_not_found);
  EXPECT_EQ(leave("a", a, "stranger").refusal, Refusal::group_not_found);
  create_topic("a", a, "t", 2);
  Member one{.id = "one"};
  converge("a", a, {&one});
  EXPECT_EQ(beat("a", a, stranger), Refusal::unknown_member);
  Member ahead = one;
  ahead.epoch += 1;
  EXPECT_EQ(beat("a", a, ahead), Refusal::fenced_member_epoch);
  EXPECT_EQ(leave("a", a, "one").refusal, Refusal::none);
  EXPECT_EQ(leave("a", a, "one").refusal, Refusal::unknown_member);
  EXPECT_EQ(state(a), state::ConsumerGroupState::empty);
}

TEST_F(ConsumerGroupsTest, who_does_not_revoke_in_time_is_fenced) {
  EngineNode& a = start("a");
  create_topic("a", a, "t", 2);
  Member one{.id = "one"};
  converge("a", a, {&one});
  Member two{.id = "two"};
  beat("a", a, two);
  // It heartbeats, but never says that it gave the partition up.
  Refusal refusal = Refusal::none;
  for (int i = 0; i < 10 && refusal == Refusal::none; ++i) {
    Member stubborn = one;
    stubborn.told = false;
    refusal = call("a", a, heartbeat_of(stubborn)).refusal;
    world_.run_for(2s);
    beat("a", a, two);
  }
  EXPECT_EQ(refusal, Refusal::fenced_member_epoch);
  converge("a", a, {&two});
  EXPECT_EQ(two.owned.size(), 2u);
}

TEST_F(ConsumerGroupsTest, any_broker_serves_any_member_also_after_a_kill) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  create_topic("a", a, "t", 6);
  Member one{.id = "one"};
  Member two{.id = "two"};
  ASSERT_EQ(beat("a", a, one), Refusal::none);
  ASSERT_EQ(beat("b", b, two), Refusal::none);
  for (int round = 0; round < 8; ++round) {
    ASSERT_EQ(beat(round % 2 == 0 ? "a" : "b", round % 2 == 0 ? a : b, one), Refusal::none);
    ASSERT_EQ(beat(round % 2 == 0 ? "b" : "a", round % 2 == 0 ? b : a, two), Refusal::none);
  }
  EXPECT_EQ(one.owned.size(), 3u);
  EXPECT_EQ(two.owned.size(), 3u);
  node("a").kill();
  for (int i = 0; i < 6; ++i) {
    world_.run_for(2s);
    ASSERT_EQ(beat("b", b, one), Refusal::none);
    ASSERT_EQ(beat("b", b, two), Refusal::none);
  }
  EXPECT_EQ(state(b), state::ConsumerGroupState::stable);
}

TEST_F(ConsumerGroupsTest, members_of_one_broker_are_vouched_for_to_the_other) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  create_topic("a", a, "t", 6);
  Member one{.id = "one"};
  converge("a", a, {&one});
  for (int i = 0; i < 15; ++i) {
    world_.run_for(2s);
    ASSERT_EQ(beat("a", a, one), Refusal::none);
  }
  EXPECT_NE(group(b).find("one"), nullptr);
}

TEST_F(ConsumerGroupsTest, a_hundred_joins_at_once_converge) {
  EngineNode& a = start("a");
  create_topic("a", a, "t", 200);
  std::vector<Member> members;
  for (int i = 0; i < 100; ++i) members.push_back({.id = "m" + std::to_string(i)});
  std::size_t answered = 0;
  for (Member& member : members)
    node("a").spawn([](EngineNode& e, ConsumerHeartbeat request, MonoTime until, Member* out,
                       std::size_t* count) -> rt::Task<void> {
      auto answer = co_await e->consumer_groups().heartbeat(std::move(request), until);
      EXPECT_TRUE(answer.ok());
      out->epoch = answer.epoch;
      if (answer.assignment) out->owned = *answer.assignment;
      out->told = true;
      ++*count;
    }(a, heartbeat_of(member), soon("a"), &member, &answered));
  ASSERT_TRUE(world_.run_while([&] { return answered < members.size(); }, 30s));
  std::vector<Member*> all;
  for (Member& member : members) all.push_back(&member);
  converge("a", a, all);
  for (const Member& member : members) EXPECT_EQ(member.owned.size(), 2u);
}

// --- online migration ---

class MigrationTest : public ConsumerGroupsTest {
 protected:
  JoinRequest join_of(const std::string& id, const std::vector<std::int32_t>& owned = {}) {
    JoinRequest join;
    join.group = "g";
    join.member = id;
    join.new_member = id;
    join.client_id = "client";
    join.client_host = "/127.0.0.1";
    join.session_timeout_ms = 6'000;
    join.rebalance_timeout_ms = 20'000;
    join.protocol_type = "consumer";
    join.protocols.push_back({"cooperative-sticky", subscription_of("t", owned)});
    join.group_size_max = 100;
    return join;
  }
  JoinAnswer join(EngineNode& a, JoinRequest request) {
    return get(node("a"), a->groups().join(std::move(request), soon("a"), nullptr));
  }
  SyncAnswer sync(EngineNode& a, const std::string& id, std::int32_t generation,
                  const SharedBytes& assignment = {}) {
    SyncRequest request;
    request.from = {"g", id, std::nullopt, generation};
    if (assignment.size() != 0) request.assignments.emplace_back(id, assignment);
    return get(node("a"), a->groups().sync(std::move(request), soon("a"), nullptr));
  }
  Refusal classic_beat(EngineNode& a, const std::string& id, std::int32_t generation) {
    return get(node("a"), a->groups().heartbeat({"g", id, std::nullopt, generation}, soon("a")))
        .refusal;
  }
  std::vector<std::int32_t> partitions_of(const SyncAnswer& answer) {
    auto named = state::parse_assignment(answer.assignment);
    EXPECT_TRUE(named.has_value());
    return !named || named->empty() ? std::vector<std::int32_t>() : named->front().second;
  }
  /// A classic member that owns everything.
  std::int32_t settle(EngineNode& a, const std::string& id) {
    JoinRequest first = join_of(id);
    first.member.clear();
    JoinAnswer joined = join(a, first);
    EXPECT_TRUE(joined.ok());
    SyncAnswer synced =
        sync(a, id, joined.generation, state::encode_assignment(1, {{"t", {0, 1, 2, 3}}}));
    EXPECT_TRUE(synced.ok());
    return joined.generation;
  }
};

TEST_F(MigrationTest, a_consumer_joins_a_classic_group_which_becomes_one_of_its_kind) {
  EngineNode& a = start("a");
  create_topic("a", a, "t", 4);
  std::int32_t generation = settle(a, "old");
  Member fresh{.id = "new"};
  ASSERT_EQ(beat("a", a, fresh), Refusal::none);
  EXPECT_TRUE(fresh.owned.empty());
  // The classic member is told to join again, loses half, and says so by joining once more.
  EXPECT_EQ(classic_beat(a, "old", generation), Refusal::rebalance_in_progress);
  JoinAnswer again = join(a, join_of("old", {0, 1, 2, 3}));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.protocol_name, "cooperative-sticky");
  std::vector<std::int32_t> kept = partitions_of(sync(a, "old", again.generation));
  EXPECT_EQ(kept.size(), 2u);
  EXPECT_EQ(classic_beat(a, "old", again.generation), Refusal::rebalance_in_progress);
  again = join(a, join_of("old", kept));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(partitions_of(sync(a, "old", again.generation)), kept);
  EXPECT_EQ(classic_beat(a, "old", again.generation), Refusal::none);
  converge("a", a, {&fresh});
  EXPECT_EQ(fresh.owned.size(), 2u);
  EXPECT_TRUE(group(a).find("old")->classic.has_value());
}

TEST_F(MigrationTest, the_last_consumer_leaves_and_the_group_is_classic_again) {
  EngineNode& a = start("a");
  create_topic("a", a, "t", 4);
  settle(a, "old");
  Member fresh{.id = "new"};
  ASSERT_EQ(beat("a", a, fresh), Refusal::none);
  JoinAnswer again = join(a, join_of("old"));
  ASSERT_TRUE(again.ok());
  ASSERT_EQ(leave("a", a, "new").refusal, Refusal::none);
  world_.run_for(1s);
  const state::Group* now = a->follower().state().groups().find("g");
  EXPECT_EQ((*now)->kind, state::GroupKind::classic);
  EXPECT_EQ(classic_beat(a, "old", again.generation), Refusal::rebalance_in_progress);
  JoinAnswer classic = join(a, join_of("old"));
  ASSERT_TRUE(classic.ok());
  EXPECT_EQ(classic.leader, "old");
  EXPECT_GT(classic.generation, again.generation);
}

TEST_F(MigrationTest, a_stale_broker_knows_members_of_a_group_that_changed_its_kind) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  create_topic("a", a, "t", 4);
  settle(a, "old");
  Member fresh{.id = "new"};
  ASSERT_EQ(beat("a", a, fresh), Refusal::none);
  const JoinAnswer mixed = join(a, join_of("old"));
  ASSERT_TRUE(get(node("b"), b->barrier(soon("b"))).has_value());
  ASSERT_EQ(leave("a", a, "new").refusal, Refusal::none);
  const auto kind_at = [](EngineNode& e) {
    return (*e->follower().state().groups().find("g"))->kind;
  };
  ASSERT_TRUE(world_.run_while([&] { return kind_at(a) != state::GroupKind::classic; }, 5s));
  const JoinAnswer classic = join(a, join_of("old"));
  ASSERT_TRUE(classic.ok());
  ASSERT_EQ(kind_at(b), state::GroupKind::consumer) << "b is to be stale here";
  const auto beat_b = [&](const JoinAnswer& as) {
    const MemberId from{"g", "old", std::nullopt, as.generation};
    return get(node("b"), b->groups().heartbeat(from, soon("b"))).refusal;
  };
  EXPECT_EQ(beat_b(classic), Refusal::none);
  EXPECT_EQ(kind_at(b), state::GroupKind::classic);
  EXPECT_EQ(beat_b(mixed), Refusal::illegal_generation);
}

TEST_F(MigrationTest, is_refused_where_the_policy_says_so) {
  EngineNode& a = start("a");
  create_topic("a", a, "t", 4);
  settle(a, "old");
  ConsumerHeartbeat request = heartbeat_of(Member{.id = "new"});
  request.settings.may_upgrade = false;
  EXPECT_EQ(call("a", a, request).refusal, Refusal::group_exists);
  EXPECT_EQ(classic_beat(a, "old", 1), Refusal::none);
}

TEST_F(MigrationTest, a_classic_member_joins_a_consumer_group) {
  EngineNode& a = start("a");
  create_topic("a", a, "t", 4);
  Member one{.id = "one"};
  converge("a", a, {&one});
  JoinAnswer joined = join(a, join_of("old"));
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(joined.leader, "");
  EXPECT_TRUE(partitions_of(sync(a, "old", joined.generation)).empty());
  for (int i = 0; i < 3; ++i) ASSERT_EQ(beat("a", a, one), Refusal::none);
  EXPECT_EQ(classic_beat(a, "old", joined.generation), Refusal::rebalance_in_progress)
      << "something was released for it";
  joined = join(a, join_of("old"));
  EXPECT_EQ(partitions_of(sync(a, "old", joined.generation)).size(), 2u);
  JoinRequest odd = join_of("odd");
  odd.protocols.front().name = "range";
  EXPECT_EQ(join(a, odd).refusal, Refusal::inconsistent_protocol);
}

}  // namespace
}  // namespace weir::engine
