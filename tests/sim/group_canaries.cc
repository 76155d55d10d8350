#include "tests/sim/group_canaries.h"

#include "serial/reader.h"
#include "state/commands/commit_offsets.h"
#include "state/commands/consumer_group_heartbeat.h"
#include "state/commands/expire_members.h"
#include "state/commands/vouch_members.h"
#include "state/consumer_groups/consumer_group.h"
#include "state/groups/group_table.h"

namespace weir::sim {

namespace {

using state::EncodedCommand;
using state::State;
using state::command::CommitOffsets;
using state::command::ConsumerGroupHeartbeat;
using state::command::ExpireMembers;
using state::command::VouchMembers;

template <class Command>
Command read_command(const EncodedCommand& encoded) {
  Command command;
  serial::Reader reader(encoded.body);
  ENSURE(decode(command, reader, 1));
  return command;
}

template <class Command>
bool replace_by(const Command& command, EncodedCommand& encoded) {
  encoded = state::encode_command(command, FeatureLevel(1));
  return true;
}

/// The member's last sign of life in this state; 0 if it is gone.
std::uint64_t last_sign(const State& state, const std::string& group, const std::string& member) {
  const state::Group* unit = state.groups().find(group);
  const state::GroupMember* found =
      unit == nullptr ? nullptr : state.groups().find_member(*unit, member);
  return found == nullptr ? 0 : found->last_sign().value;
}

/// Every guard of an expiry is what the fold will find, and some vouchers are expiries, as of a
/// broker that is late.
bool expire_unguarded(const State& state, EncodedCommand& encoded, rt::Random& random) {
  ExpireMembers expire;
  if (encoded.type == ExpireMembers::kType) {
    expire = read_command<ExpireMembers>(encoded);
  } else if (encoded.type == VouchMembers::kType && random.below(4) == 0) {
    for (const auto& group : read_command<VouchMembers>(encoded).groups)
      for (const std::string& member : group.member_ids)
        expire.members.push_back({group.group_id, member, 0});
  } else {
    return false;
  }
  for (auto& member : expire.members)
    member.last_sign = last_sign(state, member.group_id, member.member_id);
  return replace_by(expire, encoded);
}

/// Whoever commits, it is a member of now.
bool commit_unguarded(const State& state, EncodedCommand& encoded) {
  if (encoded.type != CommitOffsets::kType) return false;
  auto commit = read_command<CommitOffsets>(encoded);
  const state::Group* group = state.groups().find(commit.group_id);
  if (group == nullptr) return false;
  commit.instance_id.reset();
  if (group->consumer() != nullptr) {
    if (group->consumer()->members().empty()) return false;
    const auto& [id, member] = *group->consumer()->members().begin();
    commit.member_id = id;
    commit.generation = member.epoch;
  } else {
    if (group->members.empty()) return false;
    commit.member_id = state.groups().member(group->members.front())->id;
    commit.generation = (*group)->generation;
  }
  return replace_by(commit, encoded);
}

/// Every member is taken to have given up all that it has.
bool revoke_unawaited(EncodedCommand& encoded) {
  if (encoded.type != ConsumerGroupHeartbeat::kType) return false;
  auto heartbeat = read_command<ConsumerGroupHeartbeat>(encoded);
  if (heartbeat.member_epoch == 0) return false;
  heartbeat.owned.emplace();
  return replace_by(heartbeat, encoded);
}

bool tear(EncodedCommand& encoded, rt::Random& random) {
  if (encoded.type != CommitOffsets::kType || random.below(4) != 0) return false;
  auto commit = read_command<CommitOffsets>(encoded);
  for (auto& topic : commit.topics)
    for (auto& partition : topic.partitions) partition.metadata = "0";
  return replace_by(commit, encoded);
}

}  // namespace

bool spoils_groups(Canary canary) {
  return canary == Canary::expire_unguarded || canary == Canary::commit_unguarded ||
         canary == Canary::revoke_unawaited || canary == Canary::torn_commit;
}

bool spoil_group_command(Canary canary, const State& state, EncodedCommand& encoded,
                         rt::Random& random) {
  switch (canary) {
    case Canary::expire_unguarded: return expire_unguarded(state, encoded, random);
    case Canary::commit_unguarded: return commit_unguarded(state, encoded);
    case Canary::revoke_unawaited: return revoke_unawaited(encoded);
    case Canary::torn_commit: return tear(encoded, random);
    default: return false;
  }
}

}  // namespace weir::sim
