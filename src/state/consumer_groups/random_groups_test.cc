// Random members, targets and late heartbeats: whatever comes, no partition has two holders, and a
// snapshot is the state.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "state/consumer_groups/heartbeat.h"
#include "state/consumer_groups/play_for_test.h"
#include "state/snapshot/snapshot.h"

namespace weir::state {
namespace {

using testing::Partitions;
using testing::Play;
using testing::TestGroup;

using testing::kPartitions;

/// Empty if nobody shares a partition and all epochs are possible.
std::string problem(const ConsumerGroup::Members& members, std::int32_t target_epoch) {
  std::set<PartitionRef> held;
  for (const auto& [id, member] : members) {
    for (const HeldList* list : {&member.assigned, &member.revoking})
      for (const HeldPartition& one : *list)
        if (!held.insert(one.at).second) return id + " shares a partition";
    if (member.epoch > target_epoch) return id + " is ahead of the target";
    if (member.state == MemberState::stable && !member.revoking.empty())
      return id + " is stable and gives something up";
  }
  return "";
}

TEST(RandomGroups, the_checker_sees_a_shared_partition) {
  ConsumerMember a;
  a.assigned = {{{TopicId(), PartitionIndex(1)}, 1}};
  EXPECT_EQ(problem({{"a", a}}, 1), "");
  EXPECT_NE(problem({{"a", a}, {"b", a}}, 1), "");
  a.epoch = 2;
  EXPECT_NE(problem({{"a", a}}, 1), "");
}

TEST(RandomGroups, no_partition_ever_has_two_holders) {
  std::uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Play play(seed);
  for (int i = 0; i < 3'000; ++i) {
    play.step();
    const Group* group = play.test().cluster.state().groups().find("g");
    if (group == nullptr) continue;
    ASSERT_EQ(problem(group->consumer()->members(), group->consumer()->target_epoch()), "")
        << "step " << i;
  }
  std::size_t bytes = 0;
  for (const auto& [id, member] : play.test().group().members()) bytes += bytes_of(member);
  EXPECT_EQ(play.test().group().bytes(), bytes) << "what is counted is what is there";
  State& state = play.test().cluster.state();
  SnapshotWriter writer(state);
  while (!writer.step(100)) {
  }
  Result<State> loaded = load_snapshot(writer.finish().flatten());
  ASSERT_TRUE(loaded.has_value()) << describe(loaded.error());
  EXPECT_EQ(loaded->digest(), state.digest());
  EXPECT_EQ(loaded->groups().bytes(), state.groups().bytes());
}

TEST(RandomGroups, converge_once_members_do_as_they_are_told) {
  std::uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Play play(seed);
  for (int i = 0; i < 500; ++i) play.step();
  TestGroup& test = play.test();
  test.join("z");
  std::map<std::string, Partitions> targets;
  std::vector<std::string> ids;
  for (const auto& [id, member] : test.group().members()) ids.push_back(id);
  for (const std::string& id : ids) {
    if (test.member(id).away()) test.leave(id, test.member(id).instance);
    if (test.group().find(id) != nullptr) targets[id];
  }
  std::int32_t next = 0;
  while (next < kPartitions)
    for (auto& [id, partitions] : targets)
      if (next < kPartitions) partitions.push_back(next++);
  ASSERT_EQ(test.assign(targets), Refusal::none);
  for (int round = 0; round < 3; ++round)
    for (const auto& [id, partitions] : targets) {
      ASSERT_EQ(test.beat(id, test.assigned(id)), Refusal::none);
    }
  EXPECT_EQ(test.group().state(), ConsumerGroupState::stable);
  for (const auto& [id, partitions] : targets) EXPECT_EQ(test.assigned(id), partitions);
}

}  // namespace
}  // namespace weir::state
