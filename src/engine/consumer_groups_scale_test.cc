// Groups of many members of the consumer protocol, and members whose requests are spread over the
// brokers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/testing/consumer_groups_fixture.h"

namespace weir::engine {
namespace {

using testing::EngineNode;
using Member = testing::ConsumerOfTest;

class ConsumerGroupsScale : public testing::ConsumerGroupsFixture {
 protected:
  /// All of them, at the same time.
  void beat_all(EngineNode& a, std::vector<Member>& members) {
    std::size_t open = members.size();
    const auto live = [](ConsumerGroupsScale* self, EngineNode& e, Member* member,
                         std::size_t* left) -> rt::Task<void> {
      ConsumerHeartbeat request = self->heartbeat_of(*member);
      request.settings.session_timeout_ms = 60'000;
      request.rebalance_timeout_ms = request.rebalance_timeout_ms < 0 ? -1 : 60'000;
      ConsumerHeartbeatAnswer answer =
          co_await e->consumer_groups().heartbeat(std::move(request), self->soon("a"));
      EXPECT_TRUE(answer.ok()) << to_string(answer.refusal);
      member->epoch = answer.epoch;
      member->told = answer.assignment.has_value();
      if (answer.assignment) member->owned = *answer.assignment;
      --*left;
    };
    for (Member& member : members) node("a").spawn(live(this, a, &member, &open));
    ASSERT_TRUE(world_.run_while([&] { return open > 0; }, 60s));
  }
  void settle_all(EngineNode& a, std::vector<Member>& members) {
    for (int round = 0; round < 20; ++round) {
      ASSERT_NO_FATAL_FAILURE(beat_all(a, members));
      const bool held = std::ranges::all_of(members, [](const Member& m) { return !m.told; });
      if (held && state(a) == state::ConsumerGroupState::stable) return;
    }
    FAIL() << "the group does not settle";
  }
  static std::map<PartitionRef, std::string> owners(const std::vector<Member>& members) {
    std::map<PartitionRef, std::string> out;
    for (const Member& member : members)
      for (const PartitionRef& at : member.owned) out[at] = member.id;
    return out;
  }
};

TEST_F(ConsumerGroupsScale, one_join_among_a_thousand_moves_only_what_it_gets) {
  constexpr int kMembers = 1'000;
  constexpr int kPartitions = 3'000;
  EngineNode& a = start("a");
  create_topic("a", a, "t", kPartitions);
  std::vector<Member> members;
  for (int i = 0; i < kMembers; ++i) members.push_back({.id = "m" + std::to_string(i)});
  ASSERT_NO_FATAL_FAILURE(settle_all(a, members));
  const auto before = owners(members);
  ASSERT_EQ(before.size(), static_cast<std::size_t>(kPartitions));

  members.push_back({.id = "late"});
  ASSERT_NO_FATAL_FAILURE(settle_all(a, members));
  const auto after = owners(members);
  ASSERT_EQ(after.size(), static_cast<std::size_t>(kPartitions));
  std::size_t moved = 0;
  for (const auto& [at, owner] : after) {
    if (owner == before.at(at)) continue;
    EXPECT_EQ(owner, "late");
    ++moved;
  }
  EXPECT_EQ(moved, members.back().owned.size());
  EXPECT_GE(moved, 2u) << "its share of 3,000 among 1,001";
  EXPECT_LE(moved, 3u);
}

TEST_F(ConsumerGroupsScale, what_a_member_gave_up_is_not_lost_at_a_broker_that_is_behind) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  create_topic("a", a, "t", 4);
  Member one{.id = "one"};
  ASSERT_EQ(beat("a", a, one), Refusal::none);
  ASSERT_EQ(beat("b", b, one), Refusal::none);
  Member two{.id = "two"};
  ASSERT_EQ(beat("a", a, two), Refusal::none);
  ASSERT_EQ(beat("a", a, one), Refusal::none);
  ASSERT_EQ(one.owned.size(), 2u) << "told to give two up";
  // b has not read yet that it has to give anything up.
  ASSERT_EQ(b->follower().state().groups().find("g")->consumer()->find("one")->assigned.size(), 4u);
  ASSERT_EQ(beat("b", b, one), Refusal::none);
  ASSERT_TRUE(get(node("a"), a->barrier(soon("a"))).has_value());
  ASSERT_EQ(beat("a", a, two), Refusal::none);
  EXPECT_EQ(two.owned.size(), 2u) << "it was told";
}

}  // namespace
}  // namespace weir::engine
