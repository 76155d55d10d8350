// Random members, targets and late heartbeats: whatever comes, no partition has two holders, and a
// snapshot is the state.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "state/consumer_groups/group_for_test.h"
#include "state/consumer_groups/heartbeat.h"
#include "state/snapshot/snapshot.h"

namespace weir::state {
namespace {

using testing::Partitions;
using testing::TestGroup;

constexpr std::int32_t kPartitions = 12;

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

class Play {
 public:
  explicit Play(std::uint32_t seed) : random_(seed) {}

  void step() {
    std::string id(1, static_cast<char>('a' + random_() % 6));
    const Group* group = test_.cluster.state().groups().find("g");
    bool known = group != nullptr && group->consumer()->find(id) != nullptr;
    switch (random_() % 8) {
      case 0: join(id); break;
      case 1:
        if (known) test_.leave(id, test_.member(id).instance, random_() % 2 == 0);
        break;
      case 2:
        if (group != nullptr) assign();
        break;
      default:
        if (known) beat(id);
    }
  }
  TestGroup& test() { return test_; }

 private:
  void join(const std::string& id) {
    auto heartbeat = TestGroup::joining(id);
    if (random_() % 2 == 0) heartbeat.instance_id = std::string(1, "xy"[random_() % 2]);
    test_.beat(heartbeat);
  }
  void assign() {
    std::map<std::string, Partitions> targets;
    std::vector<std::string> ids;
    for (const auto& [id, member] : test_.group().members()) ids.push_back(id);
    for (const std::string& id : ids) targets[id];
    for (std::int32_t p = 0; p < kPartitions && !ids.empty(); ++p)
      targets[ids[random_() % ids.size()]].push_back(p);
    auto command = test_.assignment(targets);
    if (random_() % 3 == 0) --command.group_epoch;
    for (const std::string& id : ids)
      if (random_() % 2 == 0) command.advance.push_back(id);
    test_.cluster.propose(command);
  }
  void beat(const std::string& id) {
    const ConsumerMember& member = test_.member(id);
    auto heartbeat = TestGroup::plain(id, member.epoch);
    if (random_() % 8 == 0) heartbeat.member_epoch = member.previous_epoch;
    Partitions owned;
    for (const HeldPartition& held : member.assigned) owned.push_back(held.at.partition.value);
    if (random_() % 2 == 0)
      for (const HeldPartition& held : member.revoking) owned.push_back(held.at.partition.value);
    if (random_() % 4 != 0) heartbeat.owned = TestGroup::owning(owned);
    if (heartbeat.member_epoch < 0) return;
    test_.beat(heartbeat);
  }

  std::mt19937 random_;
  TestGroup test_{kPartitions};
};

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
  State& state = play.test().cluster.state();
  SnapshotWriter writer(state);
  while (!writer.step(100)) {
  }
  Result<State> loaded = load_snapshot(writer.finish().flatten());
  ASSERT_TRUE(loaded.has_value()) << describe(loaded.error());
  EXPECT_EQ(loaded->digest(), state.digest());
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
