// The members of the groups workload: made at the start, and looked at when the weather is fair.
#include <algorithm>

#include "tests/sim/cluster_run.h"

namespace weir::sim {

namespace {

constexpr Duration kStep = 100ms;
constexpr std::int32_t kGroupPartitions = 6;
constexpr const char* kGroupTopic = "of-the-group";

/// Of which protocols the members are.
enum class Protocols : std::uint8_t { classic, consumer, mixed };

Protocols draw_protocols(Canary canary, rt::Random& random) {
  const auto drawn = static_cast<Protocols>(random.below(3));
  if (canary == Canary::expire_unguarded) return Protocols::classic;
  if (canary == Canary::revoke_unawaited) return Protocols::consumer;
  return drawn;
}

const char* name_of(Protocols protocols) {
  switch (protocols) {
    case Protocols::classic: return "classic";
    case Protocols::consumer: return "consumer";
    case Protocols::mixed: return "mixed";
  }
  return "";
}

/// A topic of the group alone, which nobody deletes.
rt::Task<void> create_group_topic(Caller& caller, TopicId& id) {
  for (;;) {
    using Made = std::vector<engine::CreateTopicOutcome>;
    Request<Made> request = [](engine::ClusterEngine& engine) {
      return engine.create_topics({{kGroupTopic, kGroupPartitions, 1, {}}},
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
  const Protocols protocols = draw_protocols(options_.canary, random);
  // One in three as a load balancer spreads them.
  const bool spread = random.below(3) == 0;
  const std::uint64_t count = 3 + random.below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    GroupMemberOptions member;
    member.name = "m" + std::to_string(i + 1);
    member.topic_name = kGroupTopic;
    member.topic = topic;
    member.partitions = kGroupPartitions;
    member.spread = spread;
    member.is_static = random.below(3) == 0;
    // In a mixed group each protocol has a member at least.
    const bool classic =
        protocols == Protocols::classic ||
        (protocols == Protocols::mixed && (i == 0 || (i > 1 && random.below(2) == 0)));
    Caller& caller = clients_->make<Caller>(*cluster_, *clients_);
    if (classic) {
      add_member(clients_->make<GroupMember>(caller, group_checker_, std::move(member)));
      continue;
    }
    ConsumerMemberOptions consumer{.member = std::move(member)};
    consumer.by_regex = random.below(4) == 0;
    consumer.assignor = random.below(2) == 0 ? "uniform" : "range";
    add_member(clients_->make<ConsumerMember>(caller, group_checker_, std::move(consumer)));
  }
  set_up_ +=
      ", " + std::to_string(count) + (spread ? " spread " : " ") + name_of(protocols) + " members";
}

void ClusterRun::add_member(Member& member) {
  members_.push_back(&member);
  clients_->spawn(member.run());
}

/// The group is looked at when all others have ended, for it needs some time.
void ClusterRun::recover_group() {
  for (Member* member : members_) member->behave();
  if (!run_while([&] { return !group_converged(); }, kRecoveryMax))
    for (const Member* member : members_)
      checker_.report(Violation::stuck, "the group did not settle: " + member->describe());
  run_while([&, until = world_.now() + kGroupFairTime] { return world_.now() < until; },
            kRecoveryMax);
  if (group_checker_.commits() < kGroupCommitsMin)
    checker_.report(Violation::stuck, "the group has committed too little: " +
                                          std::to_string(group_checker_.commits()));
  end({members_.begin(), members_.end()});
}

/// All work in one generation and own everything between them.
bool ClusterRun::group_converged() const {
  std::vector<std::int32_t> owned;
  for (const Member* member : members_) {
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
