// A consumer group in a test: commands in, the state of members out.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "state/commands/assign_consumer_group.h"
#include "state/commands/consumer_group_heartbeat.h"
#include "state/commands/delete_topics.h"
#include "state/commands/fence_consumer_member.h"
#include "state/commands/leave_consumer_group.h"
#include "state/consumer_groups/consumer_group.h"
#include "state/groups/group_table.h"
#include "state/testing/log_builder.h"

namespace weir::state::testing {

using Partitions = std::vector<std::int32_t>;

class TestGroup {
 public:
  using Heartbeat = command::ConsumerGroupHeartbeat;
  static constexpr const char* kId = "g";
  static constexpr const char* kTopic = "t";

  explicit TestGroup(std::int32_t partitions = 4) { cluster.add_topic(kTopic, partitions); }

  /// A heartbeat that says only who it is.
  static Heartbeat plain(std::string member, std::int32_t epoch) {
    Heartbeat out;
    out.group_id = kId;
    out.member_id = std::move(member);
    out.member_epoch = epoch;
    out.client_id = "client";
    out.client_host = "/10.0.0.1";
    out.session_timeout_ms = 45'000;
    out.members_max = 100;
    out.may_upgrade = true;
    return out;
  }
  static Heartbeat joining(std::string member, std::vector<std::string> topics = {kTopic}) {
    Heartbeat out = plain(std::move(member), 0);
    out.rebalance_timeout_ms = 60'000;
    out.topics = std::move(topics);
    out.owned.emplace();
    return out;
  }
  static std::vector<Heartbeat::OwnedPartitions> owning(const Partitions& partitions) {
    if (partitions.empty()) return {};
    return {{.topic_id = topic_id(kTopic), .partitions = partitions}};
  }

  /// Folds a command, and keeps it.
  template <class Command>
  CommandOutcome send(const Command& command) {
    sent.push_back(encoded(command));
    return cluster.propose(command);
  }
  Refusal beat(const Heartbeat& heartbeat) { return send(heartbeat).refusal; }
  Refusal join(std::string member) { return beat(joining(std::move(member))); }
  /// At its present epoch, owning what it says.
  Refusal beat(const std::string& id, const Partitions& owned) {
    Heartbeat out = plain(id, member(id).epoch);
    out.owned = owning(owned);
    return beat(out);
  }
  Refusal leave(std::string member, std::optional<std::string> instance = std::nullopt,
                bool temporary = false) {
    command::LeaveConsumerGroup command;
    command.group_id = kId;
    command.members.push_back({std::move(member), std::move(instance), temporary});
    CommandOutcome outcome = send(command);
    return outcome.refusal != Refusal::none ? outcome.refusal : outcome.items.at(0).refusal;
  }
  command::AssignConsumerGroup assignment(const std::map<std::string, Partitions>& targets) {
    command::AssignConsumerGroup out;
    out.group_id = kId;
    out.group_epoch = group().epoch();
    out.target_epoch = group().target_epoch();
    out.bump = group().epoch() == group().target_epoch();
    out.metadata_hash = 7;
    for (const auto& [id, partitions] : targets) {
      auto& target = out.targets.emplace_back();
      target.member_id = id;
      target.topics.push_back({topic_id(kTopic), partitions});
    }
    return out;
  }
  Refusal assign(const std::map<std::string, Partitions>& targets) {
    return send(assignment(targets)).refusal;
  }

  const ConsumerGroup& group() { return *cluster.state().groups().find(kId)->consumer(); }
  const ConsumerMember& member(const std::string& id) {
    const ConsumerMember* found = group().find(id);
    ENSURE(found != nullptr);
    return *found;
  }
  Partitions assigned(const std::string& id) { return numbers(member(id).assigned); }
  Partitions revoking(const std::string& id) { return numbers(member(id).revoking); }

  Cluster cluster;
  std::vector<EncodedCommand> sent;

 private:
  static Partitions numbers(const HeldList& list) {
    Partitions out;
    for (const HeldPartition& held : list) out.push_back(held.at.partition.value);
    return out;
  }
};

}  // namespace weir::state::testing
