// Members of classic groups, and groups as an operator sees them, against a small coordinator.
#include <gtest/gtest.h>

#include "client/group_admin.h"
#include "client/group_member.h"
#include "client/group_offsets.h"
#include "client/test_broker.h"

namespace weir::client {
namespace {

TEST(AssignRanges, GivesRunsAndTheRestToTheFirst) {
  const Assignments shared = assign_ranges({{"a", {"t"}}, {"b", {"t", "u"}}, {"c", {"t"}}},
                                           {{"t", 7}, {"u", 2}, {"unwanted", 5}});
  const auto text = [](const std::vector<TopicPartition>& partitions) {
    std::string out;
    for (const auto& at : partitions) out += at.topic + std::to_string(at.partition.value) + " ";
    return out;
  };
  EXPECT_EQ(text(shared.at("a")), "t0 t1 t2 ");
  EXPECT_EQ(text(shared.at("b")), "t3 t4 u0 u1 ");
  EXPECT_EQ(text(shared.at("c")), "t5 t6 ");
  EXPECT_TRUE(assign_ranges({{"a", {"gone"}}}, {}).at("a").empty());
  EXPECT_EQ(text(assign_ranges({{"a", {"t"}}, {"b", {"t"}}}, {{"t", 1}}).at("b")), "");
}

TEST(ConsumerProtocol, SurvivesLaterVersionsAndRefusesRubbish) {
  const std::vector<TopicPartition> all{{"t", PartitionIndex(2)}, {"u", PartitionIndex(0)}};
  EXPECT_EQ(decode_assignment(encode_assignment(all)).value(), all);
  EXPECT_EQ(decode_assignment(SharedBytes()).value().size(), 0u);
  const std::string later("\0\x09\0\0\0\1\0\1t\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff\xff\xffmore",
                          27);
  EXPECT_EQ(decode_subscription(SharedBytes::copy_of(as_bytes(later))).value(),
            std::vector<std::string>{"t"});
  for (const std::string& bad :
       {std::string("\0", 1), std::string("\xff\xff\0\0\0\0", 6),
        std::string("\0\0\x7f\xff\xff\xff", 6), std::string("\0\0\0\0\0\1\0\5ab", 10)})
    EXPECT_EQ(decode_subscription(SharedBytes::copy_of(as_bytes(bad))).error().code,
              ErrorCode::corrupt);
}

class GroupTest : public testing::Test {
 protected:
  void TearDown() override {
    bool closed = false;
    node_.spawn(close(closed));
    world_.run_for(300s);
    EXPECT_TRUE(closed);
  }
  rt::Task<void> close(bool& closed) {
    co_await cluster_.close();
    closed = true;
  }
  template <class T>
  T run(rt::Task<T> task) {
    std::optional<T> result;
    node_.spawn(store(std::move(task), result));
    EXPECT_TRUE(world_.run_while([&] { return !result.has_value(); }, 600s));
    return std::move(result.value());
  }
  template <class T>
  static rt::Task<void> store(rt::Task<T> task, std::optional<T>& result) {
    result.emplace(co_await std::move(task));
  }
  MonoTime in(Duration d) { return node_.loop().now() + d; }
  GroupMember member() { return {cluster_, {.group = "g", .topics = {"t"}}}; }
  static TopicPartition t(std::int32_t partition) { return {"t", PartitionIndex(partition)}; }

  rt::sim::SimWorld world_{7};
  rt::sim::SimNode& broker_node_ = world_.start_node({.host = "broker"});
  rt::sim::SimNode& node_ = world_.start_node({.host = "client"});
  TestBroker& broker_ = broker_node_.make<TestBroker>(broker_node_, "broker");
  Cluster cluster_{
      node_.loop(), node_.network(), node_.random(), {.bootstrap = {{"broker", 9092}}}};
};

TEST_F(GroupTest, AMemberAloneGetsAllPartitions) {
  broker_.add_topic("t", 3);
  GroupMember alone = member();
  auto mine = run(alone.join(in(60s)));
  ASSERT_TRUE(mine) << mine.error().message;
  EXPECT_EQ(*mine, (std::vector<TopicPartition>{t(0), t(1), t(2)}));
  EXPECT_EQ(alone.member_id(), "m-1");
  EXPECT_TRUE(run(alone.heartbeat(in(60s))).value());
  EXPECT_TRUE(run(alone.commit({{t(1), Offset(42)}}, in(60s))).value());
  EXPECT_EQ(run(alone.committed({t(0), t(1)}, in(60s))).value(),
            (std::map<TopicPartition, Offset>{{t(1), Offset(42)}}));
  EXPECT_TRUE(run(alone.leave(in(60s))));
  EXPECT_TRUE(broker_.groups.all["g"].subscriptions.empty());
  EXPECT_TRUE(run(alone.leave(in(60s)))) << "leaving twice is nothing";
}

TEST_F(GroupTest, TwoMembersShareAndTheOneThatIsLeftTakesOver) {
  broker_.add_topic("t", 3);
  GroupMember first = member();
  GroupMember second = member();
  EXPECT_EQ(run(first.join(in(60s))).value().size(), 3u);
  std::optional<Result<std::vector<TopicPartition>>> theirs;
  node_.spawn(store(second.join(in(60s)), theirs));
  world_.run_for(2s);
  EXPECT_FALSE(theirs) << "the leader has not assigned yet";
  EXPECT_FALSE(run(first.heartbeat(in(60s))).value());
  EXPECT_FALSE(run(first.commit({{t(0), Offset(1)}}, in(60s))).value()) << "the generation is over";
  EXPECT_EQ(run(first.join(in(60s))).value(), (std::vector<TopicPartition>{t(0), t(1)}));
  EXPECT_TRUE(world_.run_while([&] { return !theirs.has_value(); }, 60s));
  EXPECT_EQ(theirs->value(), std::vector<TopicPartition>{t(2)});
  EXPECT_TRUE(run(first.leave(in(60s))));
  EXPECT_FALSE(run(second.heartbeat(in(60s))).value());
  EXPECT_EQ(run(second.join(in(60s))).value().size(), 3u);
}

TEST_F(GroupTest, AMemberThatWasForgottenComesBackAsANewOne) {
  broker_.add_topic("t", 1);
  GroupMember lost = member();
  EXPECT_TRUE(run(lost.join(in(60s))));
  broker_.groups.all.erase("g");
  EXPECT_FALSE(run(lost.heartbeat(in(60s))).value());
  EXPECT_EQ(run(lost.join(in(60s))).value().size(), 1u);
  EXPECT_EQ(lost.member_id(), "m-2");
}

TEST_F(GroupTest, AMovedCoordinatorIsLookedUpAgain) {
  broker_.add_topic("t", 1);
  GroupMember one = member();
  broker_.groups.not_coordinator = 2;
  EXPECT_TRUE(run(one.join(in(60s))));
  EXPECT_EQ(broker_.groups.lookups, 3);
  broker_.groups.not_coordinator = 1;
  EXPECT_TRUE(run(one.commit({{t(0), Offset(5)}}, in(60s))).value());
  EXPECT_EQ(broker_.groups.all["g"].offsets[t(0)], 5);
}

TEST_F(GroupTest, ASilentCoordinatorIsAnErrorAtTheDeadline) {
  GroupMember one = member();
  broker_.groups.not_coordinator = 1'000;
  auto joined = run(one.join(in(5s)));
  ASSERT_FALSE(joined);
  EXPECT_NE(joined.error().message.find("NOT_COORDINATOR"), std::string::npos);
}

TEST_F(GroupTest, AnOperatorSeesAndRemovesGroups) {
  broker_.add_topic("t", 2);
  GroupMember one = member();
  EXPECT_TRUE(run(one.join(in(60s))));
  GroupAdmin admin(cluster_);
  auto groups = run(admin.list(in(60s)));
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), 1u);
  EXPECT_EQ(groups->front().state, "Stable");
  auto group = run(admin.describe("g", in(60s)));
  ASSERT_TRUE(group) << group.error().message;
  EXPECT_EQ(group->type, "classic");
  ASSERT_EQ(group->members.size(), 1u);
  EXPECT_EQ(group->members[0].assignment, (std::vector<TopicPartition>{t(0), t(1)}));
  EXPECT_TRUE(run(admin.describe("none", in(60s))).error().is(ErrorCode::not_found));
  EXPECT_NE(run(admin.remove("g", in(60s))).error().message.find("NON_EMPTY_GROUP"),
            std::string::npos);
  EXPECT_TRUE(run(one.leave(in(60s))));
  EXPECT_TRUE(run(admin.remove("g", in(60s))));
  EXPECT_TRUE(run(admin.remove("g", in(60s))).error().is(ErrorCode::not_found));
}

}  // namespace
}  // namespace weir::client
