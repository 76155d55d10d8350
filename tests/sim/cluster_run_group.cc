// The members of the groups workload: made at the start, and looked at when the weather is fair.
#include <algorithm>

#include "tests/sim/cluster_run.h"

namespace weir::sim {

namespace {

constexpr Duration kStep = 100ms;
constexpr std::int32_t kGroupPartitions = 6;

/// A topic of the group alone, which nobody deletes.
rt::Task<void> create_group_topic(Caller& caller, TopicId& id) {
  for (;;) {
    using Made = std::vector<engine::CreateTopicOutcome>;
    Request<Made> request = [](engine::ClusterEngine& engine) {
      return engine.create_topics({{"of-the-group", kGroupPartitions, 1, {}}},
                                  engine.loop().now() + 4s);
    };
    auto made = co_await caller.call<Made>(caller.any_broker(), std::move(request), 4s);
    if (made && made->front().ok()) {
      id = made->front().id;
      co_return;
    }
    co_await rt::sleep_for(caller.loop(), kStep);
  }
}

}  // namespace

void ClusterRun::add_group() {
  rt::Random& random = world_.random();
  TopicId topic;
  if (!run_task(create_group_topic(*admin_caller_, topic), kRecoveryMax)) {
    checker_.report(Violation::stuck, "the topic of the group could not be created");
    return;
  }
  // One in three as a load balancer spreads them.
  const bool spread = random.below(3) == 0;
  const std::uint64_t count = 3 + random.below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    GroupMemberOptions member;
    member.name = "m" + std::to_string(i + 1);
    member.topic = topic;
    member.partitions = kGroupPartitions;
    member.spread = spread;
    member.is_static = random.below(3) == 0;
    Caller& caller = clients_->make<Caller>(*cluster_, *clients_);
    GroupMember& client = clients_->make<GroupMember>(caller, group_checker_, std::move(member));
    members_.push_back(&client);
    start_client(*clients_, client);
  }
  set_up_ += ", " + std::to_string(count) + (spread ? " spread members" : " members");
}

/// All work in one generation and own everything between them.
bool ClusterRun::group_converged() const {
  std::vector<std::int32_t> owned;
  for (const GroupMember* member : members_) {
    if (member->generation() < 0 || member->generation() != members_.front()->generation())
      return false;
    owned.insert(owned.end(), member->owned().begin(), member->owned().end());
  }
  std::sort(owned.begin(), owned.end());
  for (std::size_t i = 0; i < owned.size(); ++i)
    if (owned[i] != static_cast<std::int32_t>(i)) return false;
  return owned.size() == static_cast<std::size_t>(kGroupPartitions);
}

}  // namespace weir::sim
