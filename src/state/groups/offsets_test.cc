// Committed offsets in the fold: docs/design.md, 9.
#include <gtest/gtest.h>

#include "state/commands/delete_groups.h"
#include "state/commands/delete_offsets.h"
#include "state/commands/delete_topics.h"
#include "state/commands/expire_offsets.h"
#include "state/limits.h"
#include "state/testing/group_rig.h"

namespace weir::state {
namespace {

using testing::GroupRig;

struct Offsets : ::testing::Test {
  GroupRig rig;
  TopicId topic = rig.cluster.add_topic("t", 3);

  const GroupOffset* offset(std::int32_t partition = 0) {
    const Tables& tables = rig.cluster.state().tables();
    return tables.offsets.find(tables.groups.find_slot(rig.id),
                               tables.topics.partition_slot({topic, PartitionIndex(partition)}));
  }
  Refusal remove(const std::string& group = "g") {
    command::DeleteGroups command;
    command.group_ids = {group};
    return rig.cluster.propose(command).items.at(0).refusal;
  }
  ItemOutcome expire(std::uint64_t guard, std::uint64_t committed_at) {
    command::ExpireOffsets command;
    command.groups.push_back({rig.id, guard, {{topic, 0, committed_at}}});
    return rig.cluster.propose(command).items.at(0);
  }
  CommandOutcome delete_offset() {
    command::DeleteOffsets command;
    command.group_id = rig.id;
    command.topics.push_back({topic, {0}});
    return rig.cluster.propose(command);
  }
};

TEST_F(Offsets, are_kept_with_metadata_and_leader_epoch) {
  EXPECT_EQ(rig.commit("", -1, topic, 42, "note").items.at(0).refusal, Refusal::none);
  ASSERT_NE(offset(), nullptr);
  EXPECT_EQ((*offset())->offset, 42);
  EXPECT_EQ((*offset())->leader_epoch, 5);
  EXPECT_EQ((*offset())->metadata, "note");
  EXPECT_EQ((*offset())->commit_ms, 1'700'000'000'000);
  EXPECT_EQ((*offset())->committed_at, *rig.state().position());
  EXPECT_EQ(offset(1), nullptr);
}

TEST_F(Offsets, of_unknown_partitions_are_refused_and_the_others_are_kept) {
  command::CommitOffsets command = rig.commit_command("", -1);
  command.topics.push_back({topic, {{0, 1, -1, ""}, {9, 1, -1, ""}}});
  command.topics.push_back({testing::topic_id("none"), {{0, 1, -1, ""}}});
  const CommandOutcome outcome = rig.cluster.propose(command);
  ASSERT_EQ(outcome.items.size(), 3u);
  EXPECT_EQ(outcome.items[0].refusal, Refusal::none);
  EXPECT_EQ(outcome.items[1].refusal, Refusal::unknown_partition);
  EXPECT_EQ(outcome.items[2].refusal, Refusal::unknown_topic);
}

TEST_F(Offsets, without_a_generation_only_while_the_group_has_no_members) {
  rig.make_stable({"a"});
  EXPECT_EQ(rig.commit("", -1, topic, 1).refusal, Refusal::unknown_member);
  rig.leave("a");
  EXPECT_EQ(rig.commit("", -1, topic, 1).refusal, Refusal::none);
}

TEST_F(Offsets, of_a_stale_generation_or_member_never_land) {
  EXPECT_EQ(rig.commit("a", 1, topic, 1).refusal, Refusal::group_not_found);
  rig.make_stable({"a", "b"});
  EXPECT_EQ(rig.commit("a", 1, topic, 10).refusal, Refusal::none);
  EXPECT_EQ(rig.commit("c", 1, topic, 1).refusal, Refusal::unknown_member);
  EXPECT_EQ(rig.commit("a", 0, topic, 1).refusal, Refusal::illegal_generation);
  rig.rejoin("a");
  EXPECT_EQ(rig.commit("b", 1, topic, 11).refusal, Refusal::none)
      << "before it rejoins, a member commits what it has done";
  rig.rejoin("b");
  EXPECT_EQ(rig.commit("b", 2, topic, 12).refusal, Refusal::rebalance_in_progress);
  EXPECT_EQ(rig.commit("b", 1, topic, 1).refusal, Refusal::illegal_generation);
  EXPECT_EQ((*offset())->offset, 11);
}

TEST_F(Offsets, of_a_fenced_static_member_are_refused) {
  rig.join_static("i", "i-1");
  rig.sync("i-1", {});
  rig.join_static("i", "i-2");
  command::CommitOffsets command = rig.commit_command("i-1", 1);
  command.instance_id = "i";
  command.topics.push_back({topic, {{0, 1, -1, ""}}});
  EXPECT_EQ(rig.cluster.propose(command).refusal, Refusal::fenced_instance);
}

TEST_F(Offsets, are_a_sign_of_life) {
  rig.make_stable({"a"});
  const Position before = rig.member("a")->last_sign();
  rig.commit("a", 1, topic, 1);
  EXPECT_GT(rig.member("a")->last_sign(), before);
}

TEST_F(Offsets, go_with_their_topic) {
  rig.commit("", -1, topic, 1);
  command::DeleteTopics command;
  command.topic_ids = {topic};
  rig.cluster.propose(command);
  EXPECT_EQ(rig.state().counts().group_offsets, 0u);
  topic = rig.cluster.add_topic("t2", 1);
  EXPECT_EQ(offset(), nullptr);
}

TEST_F(Offsets, expire_unless_they_were_committed_again_or_members_came) {
  rig.commit("", -1, topic, 1);
  const std::uint64_t first = (*offset())->committed_at.value;
  const std::uint64_t guard = expiry_guard(rig.group());
  rig.commit("", -1, topic, 2);
  EXPECT_EQ(expire(guard, first).refusal, Refusal::none);
  ASSERT_NE(offset(), nullptr);
  const std::uint64_t second = (*offset())->committed_at.value;
  rig.make_stable({"a"});
  rig.leave("a");
  EXPECT_EQ(expire(guard, second).refusal, Refusal::guard_mismatch);
  EXPECT_EQ(expire(expiry_guard(rig.group()), second).value, 1);
  EXPECT_EQ(rig.state().groups().find("g"), nullptr) << "nothing was left of the group";
}

TEST_F(Offsets, go_with_their_group_which_must_be_empty) {
  rig.make_stable({"a"});
  rig.commit("a", 1, topic, 1);
  EXPECT_EQ(remove(), Refusal::group_not_empty);
  rig.leave("a");
  EXPECT_EQ(remove(), Refusal::none);
  EXPECT_EQ(remove(), Refusal::group_not_found);
  EXPECT_EQ(rig.state().counts().group_offsets, 0u);
}

TEST_F(Offsets, are_deleted_one_by_one_but_not_of_topics_that_are_read) {
  EXPECT_EQ(delete_offset().refusal, Refusal::group_not_found);
  rig.commit("", -1, topic, 1);
  EXPECT_EQ(delete_offset().items.at(0).refusal, Refusal::none);
  EXPECT_EQ(offset(), nullptr);
  // A consumer that reads "t": version 1, one topic, no user data.
  rig.join_new("a", std::string("\0\1\0\0\0\1\0\1t\xff\xff\xff\xff", 13));
  EXPECT_EQ(delete_offset().items.at(0).refusal, Refusal::group_reads_topic);
  rig.rejoin("a", std::string("\0\1\0\0\0\1\0\1u\xff\xff\xff\xff", 13));
  EXPECT_EQ(delete_offset().items.at(0).refusal, Refusal::none);
}

TEST_F(Offsets, of_a_group_that_is_no_consumers_are_deleted_only_while_it_is_empty) {
  command::JoinGroup join = rig.join_command("a");
  join.protocol_type = "connect";
  rig.cluster.propose(join);
  EXPECT_EQ(delete_offset().refusal, Refusal::group_not_empty);
}

TEST_F(Offsets, with_too_much_metadata_are_malformed) {
  EXPECT_EQ(rig.commit("", -1, topic, 1, std::string(32'767, 'x')).refusal, Refusal::none);
  EXPECT_EQ(kOffsetMetadataBytesMax, 32'767u);
}

}  // namespace
}  // namespace weir::state
