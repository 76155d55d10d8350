// GroupRig: commands of groups for tests, with what most of them have in common filled in.
#pragma once

#include <string>
#include <vector>

#include "state/commands/commit_offsets.h"
#include "state/commands/end_phase.h"
#include "state/commands/expire_members.h"
#include "state/commands/join_group.h"
#include "state/commands/leave_group.h"
#include "state/commands/sync_group.h"
#include "state/commands/vouch_members.h"
#include "state/groups/classic.h"
#include "state/testing/log_builder.h"

namespace weir::state::testing {

class GroupRig {
 public:
  Cluster cluster;
  std::string id = "g";

  const Group& group() { return *state().groups().find(id); }
  const State& state() { return cluster.state(); }
  const GroupMember* member(const std::string& name) {
    return state().groups().find_member(group(), name);
  }

  command::JoinGroup join_command(const std::string& member, const std::string& metadata = "m") {
    command::JoinGroup command;
    command.group_id = id;
    command.new_member_id = member;
    command.client_id = "client";
    command.client_host = "/127.0.0.1";
    command.session_timeout_ms = 10'000;
    command.rebalance_timeout_ms = 60'000;
    command.protocol_type = "consumer";
    command.protocols.push_back({"range", SharedBytes::copy_of(weir::as_bytes(metadata))});
    command.group_size_max = 1'000;
    return command;
  }
  CommandOutcome join_new(const std::string& member, const std::string& metadata = "m") {
    return cluster.propose(join_command(member, metadata));
  }
  CommandOutcome rejoin(const std::string& member, const std::string& metadata = "m") {
    command::JoinGroup command = join_command("unused-" + std::to_string(++unused_), metadata);
    command.member_id = member;
    return cluster.propose(command);
  }
  CommandOutcome join_static(const std::string& instance, const std::string& new_member,
                             const std::string& known = "") {
    command::JoinGroup command = join_command(new_member);
    command.instance_id = instance;
    command.member_id = known;
    return cluster.propose(command);
  }
  /// `assignments`: for each member its own name.
  CommandOutcome sync(const std::string& member, const std::vector<std::string>& assigned = {}) {
    command::SyncGroup command;
    command.group_id = id;
    command.member_id = member;
    command.generation = group()->generation;
    for (const std::string& one : assigned)
      command.assignments.push_back({one, SharedBytes::copy_of(weir::as_bytes("for " + one))});
    return cluster.propose(command);
  }
  CommandOutcome end_phase() {
    command::EndPhase command;
    command.group_id = id;
    command.generation = group()->generation;
    command.phase = static_cast<std::int8_t>(group()->phase);
    command.phase_since = group()->phase_since.value;
    return cluster.propose(command);
  }
  Refusal leave(const std::string& member, std::optional<std::string> instance = {}) {
    command::LeaveGroup command;
    command.group_id = id;
    command.members.push_back({member, std::move(instance)});
    return cluster.propose(command).items.at(0).refusal;
  }
  Refusal expire(const std::string& member, Position last_sign) {
    command::ExpireMembers command;
    command.members.push_back({id, member, last_sign.value});
    return cluster.propose(command).items.at(0).refusal;
  }
  void vouch(const std::string& member) {
    command::VouchMembers command;
    command.groups.push_back({id, {member}});
    cluster.propose(command);
  }
  command::CommitOffsets commit_command(const std::string& member, std::int32_t generation) {
    command::CommitOffsets command;
    command.group_id = id;
    command.member_id = member;
    command.generation = generation;
    command.commit_ms = 1'700'000'000'000;
    return command;
  }
  CommandOutcome commit(const std::string& member, std::int32_t generation, TopicId topic,
                        std::int64_t offset, const std::string& metadata = "") {
    command::CommitOffsets command = commit_command(member, generation);
    command.topics.push_back({topic, {{0, offset, 5, metadata}}});
    return cluster.propose(command);
  }
  /// Members a, b, … of a stable group, generation 1 led by "a".
  void make_stable(const std::vector<std::string>& members) {
    for (const std::string& name : members) {
      command::JoinGroup command = join_command(name);
      command.initial_delay_ms = 3'000;
      cluster.propose(command);
    }
    end_phase();
    for (const std::string& name : members)
      sync(name, name == group()->leader ? members : std::vector<std::string>());
  }

 private:
  int unused_ = 0;
};

inline std::int64_t value_of(const CommandOutcome& outcome) {
  return outcome.items.size() == 1 ? outcome.items[0].value : -1;
}
inline JoinResult result_of(const CommandOutcome& outcome) {
  return join_result(value_of(outcome));
}

}  // namespace weir::state::testing
