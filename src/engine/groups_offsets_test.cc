// Offsets of groups, and groups as admin tools see them: docs/design.md, 9.
#include <gtest/gtest.h>

#include "engine/testing/groups_fixture.h"

namespace weir::engine {
namespace {

using testing::EngineNode;
using testing::join_of;
using testing::quick_options;

class GroupOffsetsTest : public testing::GroupsFixture {};

TEST_F(GroupOffsetsTest, offsets_come_back_as_committed_on_every_broker) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  EXPECT_TRUE(commit("a", a, {}, at, 17).ok());
  const FetchedOffsets found = committed("b", b);
  ASSERT_EQ(found.offsets.size(), 1u);
  EXPECT_EQ(found.offsets[0].at, at);
  EXPECT_EQ(found.offsets[0].offset, 17);
  EXPECT_EQ(found.offsets[0].leader_epoch, 3);
  EXPECT_EQ(found.offsets[0].metadata, "m");
}

TEST_F(GroupOffsetsTest, many_commits_share_entries) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  const Position before = a->status().folded;
  int open = 200;
  for (int i = 0; i < 200; ++i) {
    node("a").spawn(
        [](EngineNode& e, PartitionRef p, int n, MonoTime until, int* left) -> rt::Task<void> {
          co_await e->groups().commit_offsets({"g" + std::to_string(n), "", std::nullopt, -1},
                                              {{p, n, -1, ""}}, until);
          --*left;
        }(a, at, i, soon("a"), &open));
  }
  ASSERT_TRUE(world_.run_while([&] { return open > 0; }, 10s));
  EXPECT_LE(a->status().folded.value - before.value, 5u);
}

TEST_F(GroupOffsetsTest, a_commit_of_an_old_generation_is_refused_on_every_broker) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  settle("a", a, "m1");
  EXPECT_TRUE(commit("a", a, {"", "m1", std::nullopt, 1}, at, 10).ok());
  ASSERT_TRUE(join("a", a, join_of("unused", "m1")).ok());
  EXPECT_EQ(commit("b", b, {"", "m1", std::nullopt, 1}, at, 5).refusal,
            Refusal::illegal_generation);
  EXPECT_EQ(committed("b", b).offsets.at(0).offset, 10);
}

TEST_F(GroupOffsetsTest, offsets_expire_only_without_members) {
  Options options = quick_options("a");
  options.offsets_retention = 1min;
  options.offsets_retention_check = 10s;
  EngineNode& a = start("a", options);
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  // The metadata of a consumer of "t", so that its topic counts as read.
  JoinRequest request = join_of("m1");
  request.protocols[0].metadata =
      SharedBytes::copy_of(as_bytes(std::string_view("\0\1\0\0\0\1\0\1t\xff\xff\xff\xff", 13)));
  ASSERT_TRUE(join("a", a, std::move(request)).ok());
  ASSERT_TRUE(sync("a", a, sync_of("m1", 1, {"m1"})).ok());
  ASSERT_TRUE(commit("a", a, {"", "m1", std::nullopt, 1}, at, 10).ok());
  for (int i = 0; i < 30; ++i) {
    world_.run_for(4s);
    ASSERT_EQ(beat("a", a, "m1", 1), Refusal::none);
  }
  EXPECT_EQ(committed("a", a).offsets.size(), 1u);
  get(node("a"), a->groups().leave("g", {{"m1", std::nullopt}}, soon("a")));
  world_.run_for(45s);
  EXPECT_EQ(committed("a", a).offsets.size(), 1u) << "it counts from when the group was empty";
  world_.run_for(30s);
  EXPECT_TRUE(committed("a", a).offsets.empty());
  EXPECT_EQ(group(a), nullptr);
}

TEST_F(GroupOffsetsTest, are_listed_described_and_deleted) {
  EngineNode& a = start("a");
  settle("a", a, "m1");
  auto listed = get(node("a"), a->groups().list_groups(soon("a")));
  ASSERT_TRUE(listed.has_value());
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().state, "Stable");
  EXPECT_EQ(listed->front().protocol_type, "consumer");
  auto shown = get(node("a"), a->groups().describe_groups({"g", "none"}, soon("a")));
  ASSERT_EQ(shown[0].members.size(), 1u);
  EXPECT_EQ(shown[0].members[0].client_host, "/127.0.0.1");
  EXPECT_EQ(as_text(shown[0].members[0].assignment.view()), "for m1");
  EXPECT_EQ(shown[1].refusal, Refusal::group_not_found);
  auto deleted = get(node("a"), a->groups().delete_groups({"g", "none"}, soon("a")));
  EXPECT_EQ(deleted[0].refusal, Refusal::group_not_empty);
  EXPECT_EQ(deleted[1].refusal, Refusal::group_not_found);
  get(node("a"), a->groups().leave("g", {{"m1", std::nullopt}}, soon("a")));
  EXPECT_TRUE(get(node("a"), a->groups().delete_groups({"g"}, soon("a")))[0].ok());
}

TEST_F(GroupOffsetsTest, a_group_can_be_deleted_once_its_members_sessions_have_ended) {
  EngineNode& a = start("a");
  const auto settle_in = [&](const std::string& id) {
    JoinRequest request = join_of("m");
    request.group = id;
    ASSERT_TRUE(join("a", a, std::move(request)).ok());
  };
  // The second session ends so soon after the first that the broker does not look in between.
  settle_in("g");
  settle_in("h");
  const MonoTime last = world_.now();
  ASSERT_TRUE(world_.run_while([&] { return world_.now() < last + 6s + 1ms; }, 10s));
  for (const GroupOutcome& outcome :
       get(node("a"), a->groups().delete_groups({"g", "h"}, soon("a"))))
    EXPECT_TRUE(outcome.ok());
}

TEST_F(GroupOffsetsTest, a_request_that_no_entry_can_take_is_refused_before_it_is_proposed) {
  EngineNode& a = start("a");
  settle("a", a, "m1");
  SyncRequest huge = sync_of("m1", 1);
  huge.assignments.emplace_back("m1", SharedBytes::copy_of(as_bytes(std::string(20u << 20, 'x'))));
  const SyncAnswer answer = sync("a", a, std::move(huge));
  ASSERT_TRUE(answer.failure.has_value());
  EXPECT_EQ(answer.failure->code, ErrorCode::too_large);
}

TEST_F(GroupOffsetsTest, survive_a_restart_from_a_snapshot) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  settle("a", a, "m1");
  for (int i = 0; i < 120; ++i) commit("a", a, {"", "m1", std::nullopt, 1}, at, i);
  world_.run_for(5s);
  node("a").kill();
  EngineNode& again = start("a");
  EXPECT_EQ(beat("a", again, "m1", 1), Refusal::none);
  EXPECT_EQ(committed("a", again).offsets.at(0).offset, 119);
}

}  // namespace
}  // namespace weir::engine
