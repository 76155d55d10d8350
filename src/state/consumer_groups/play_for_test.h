// Members that come, go, assign and talk at random, sometimes late and sometimes nonsense; what
// they do is a function of the seed.
#pragma once

#include <random>

#include "state/consumer_groups/group_for_test.h"

namespace weir::state::testing {

inline constexpr std::int32_t kPartitions = 12;

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
    test_.send(command);
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

}  // namespace weir::state::testing
