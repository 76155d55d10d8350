#include "state/groups/checks.h"

#include <algorithm>

#include "state/commands/commit_offsets.h"
#include "state/commands/join_group.h"
#include "state/commands/sync_group.h"
#include "state/limits.h"

namespace weir::state {

bool is_group_text(const std::string& text) { return text.size() <= kGroupTextBytesMax; }

bool is_group_id(const std::string& id) { return !id.empty() && is_group_text(id); }

bool well_formed(const command::JoinGroup& command) {
  if (!is_group_id(command.group_id) || !is_group_id(command.new_member_id)) return false;
  if (!is_group_text(command.member_id) || !is_group_text(command.client_id) ||
      !is_group_text(command.client_host) || !is_group_text(command.protocol_type))
    return false;
  if (command.instance_id && !is_group_id(*command.instance_id)) return false;
  if (command.session_timeout_ms <= 0 || command.rebalance_timeout_ms <= 0) return false;
  if (command.group_size_max < 1 || command.initial_delay_ms < 0) return false;
  if (command.protocols.size() > kProtocolsPerMemberMax) return false;
  std::size_t bytes = 0;
  for (const auto& protocol : command.protocols) {
    if (!is_group_text(protocol.name)) return false;
    bytes += protocol.metadata.size();
  }
  return bytes <= kMemberBytesMax;
}

bool well_formed(const command::SyncGroup& command) {
  if (!is_group_id(command.group_id) || command.assignments.size() > kGroupMembersMax) return false;
  return std::ranges::all_of(command.assignments, [](const auto& one) {
    return one.assignment.size() <= kMemberBytesMax;
  });
}

bool well_formed(const command::CommitOffsets& command) {
  if (!is_group_id(command.group_id)) return false;
  return std::ranges::all_of(command.topics, [](const auto& topic) {
    return std::ranges::all_of(topic.partitions, [](const auto& partition) {
      return partition.metadata.size() <= kOffsetMetadataBytesMax;
    });
  });
}

bool has_room(const Tables& tables, bool new_group, std::uint64_t bytes) {
  if (new_group && tables.groups.count() >= kGroupsMax) return false;
  return tables.groups.bytes() + bytes <= kGroupBytesMax;
}

}  // namespace weir::state
