#include "state/testing/random_groups.h"

#include <algorithm>
#include <utility>

#include "base/narrow.h"
#include "state/commands/commit_offsets.h"
#include "state/commands/create_topics.h"
#include "state/commands/delete_groups.h"
#include "state/commands/delete_offsets.h"
#include "state/commands/delete_topics.h"
#include "state/commands/end_phase.h"
#include "state/commands/expire_members.h"
#include "state/commands/expire_offsets.h"
#include "state/commands/join_group.h"
#include "state/commands/leave_group.h"
#include "state/commands/sync_group.h"
#include "state/commands/vouch_members.h"
#include "state/groups/offset_table.h"
#include "state/tables.h"

namespace weir::state::testing {
namespace {

SharedBytes bytes_of(const std::string& text) { return SharedBytes::copy_of(weir::as_bytes(text)); }

/// The metadata of a consumer that reads "t" and a number.
SharedBytes subscription(std::uint64_t topic) {
  std::string text("\0\1\0\0\0\1\0\2t0\xff\xff\xff\xff", 14);
  text[9] = static_cast<char>('0' + topic);
  return bytes_of(text);
}

}  // namespace

const GroupMember* RandomGroups::some_member(const State& state, const std::string& group) {
  const Group* unit = state.groups().find(group);
  if (unit == nullptr || unit->members.empty()) return nullptr;
  // By id: the order of the list is not that of another state.
  const GroupMember* chosen = nullptr;
  std::uint64_t skip = below(unit->members.size());
  std::string last;
  for (std::uint64_t i = 0; i <= skip; ++i) {
    chosen = nullptr;
    for (Slot slot : unit->members) {
      const GroupMember& member = state.groups().member(slot);
      if (member->id > last && (chosen == nullptr || member->id < (*chosen)->id)) chosen = &member;
    }
    last = (*chosen)->id;
  }
  return chosen;
}

EncodedCommand RandomGroups::next(const State& state) {
  EncodedCommand command = pick(state);
  if (chance(40) && !command.body.empty()) {
    command.body = SharedBytes::copy_of(command.body.view());
    command.body.mutable_view()[below(command.body.size())] = static_cast<std::byte>(random_());
  }
  return command;
}

EncodedCommand RandomGroups::pick(const State& state) {
  const std::uint64_t what = below(100);
  if (what < 4) return topics(state);
  if (what < 34) return join(state);
  if (what < 54) return sync(state);
  if (what < 60) return leave(state);
  if (what < 66) return expire(state);
  if (what < 72) return vouch(state);
  if (what < 80) return end_phase(state);
  if (what < 95) return commit(state);
  return forget(state);
}

EncodedCommand RandomGroups::topics(const State& state) {
  const std::string name = "t" + std::to_string(below(3));
  if (state.topic(name) != nullptr && chance(3)) {
    command::DeleteTopics command;
    command.topic_ids.push_back(topic_id(name));
    return encoded(command);
  }
  command::CreateTopics command;
  command.topics.push_back({name, topic_id(name), 3, 1, {}});
  return encoded(command);
}

EncodedCommand RandomGroups::join(const State& state) {
  command::JoinGroup command;
  command.group_id = some_group();
  command.new_member_id = "m" + std::to_string(next_member_++);
  command.client_id = "client";
  command.client_host = "/host";
  command.session_timeout_ms = 10'000;
  command.rebalance_timeout_ms = 30'000 + narrow<std::int32_t>(below(3));
  command.protocol_type = chance(20) ? "connect" : "consumer";
  command.group_size_max = chance(10) ? 2 : 10;
  command.initial_delay_ms = chance(2) ? 3'000 : 0;
  command.require_known_member = chance(4);
  command.protocols.push_back({"range", subscription(below(3))});
  if (chance(2)) command.protocols.push_back({"sticky", subscription(below(3))});
  if (chance(4)) command.instance_id = "i" + std::to_string(below(2));
  const GroupMember* member = some_member(state, command.group_id);
  if (member == nullptr || chance(4)) return encoded(command);
  command.member_id = (*member)->id;
  if (!chance(8)) command.instance_id = (*member)->instance;
  if (!chance(3)) {
    command.protocols.clear();
    for (const OfferedProtocol& protocol : (*member)->protocols)
      command.protocols.push_back({protocol.name, protocol.metadata});
  }
  return encoded(command);
}

EncodedCommand RandomGroups::sync(const State& state) {
  command::SyncGroup command;
  command.group_id = some_group();
  const Group* group = state.groups().find(command.group_id);
  const GroupMember* member = some_member(state, command.group_id);
  if (member == nullptr) return encoded(command);
  if (chance(2)) {
    const GroupMember* leader = state.groups().find_member(*group, (*group)->leader);
    if (leader != nullptr) member = leader;
  }
  command.member_id = (*member)->id;
  command.instance_id = (*member)->instance;
  command.generation = (*group)->generation - (chance(10) ? 1 : 0);
  if (chance(5)) command.protocol_name = "range";
  for (Slot slot : group->members) {
    const std::string& id = state.groups().member(slot)->id;
    command.assignments.push_back({id, bytes_of("for " + id)});
  }
  std::ranges::sort(command.assignments, {}, [](const auto& one) { return one.member_id; });
  return encoded(command);
}

EncodedCommand RandomGroups::leave(const State& state) {
  command::LeaveGroup command;
  command.group_id = some_group();
  for (std::uint64_t i = 0; i <= below(2); ++i) {
    const GroupMember* member = some_member(state, command.group_id);
    if (member == nullptr) continue;
    command.members.push_back({chance(3) ? "" : (*member)->id, (*member)->instance});
  }
  return encoded(command);
}

EncodedCommand RandomGroups::expire(const State& state) {
  command::ExpireMembers command;
  const std::string group = some_group();
  const GroupMember* member = some_member(state, group);
  if (member != nullptr)
    command.members.push_back({group, (*member)->id, member->last_sign().value - below(2)});
  return encoded(command);
}

EncodedCommand RandomGroups::vouch(const State& state) {
  command::VouchMembers command;
  for (std::uint64_t i = 0; i <= below(3); ++i) {
    const std::string group = some_group();
    const GroupMember* member = some_member(state, group);
    command.groups.push_back({group, {member == nullptr ? "nobody" : (*member)->id}});
  }
  return encoded(command);
}

EncodedCommand RandomGroups::end_phase(const State& state) {
  command::EndPhase command;
  command.group_id = some_group();
  if (const Group* group = state.groups().find(command.group_id)) {
    command.generation = (*group)->generation;
    command.phase = static_cast<std::int8_t>((*group)->phase);
    command.phase_since = (*group)->phase_since.value - below(2);
  }
  return encoded(command);
}

EncodedCommand RandomGroups::commit(const State& state) {
  command::CommitOffsets command;
  command.group_id = some_group();
  command.generation = -1;
  command.commit_ms = 1'700'000'000'000;
  const Group* group = state.groups().find(command.group_id);
  const GroupMember* member = some_member(state, command.group_id);
  if (member != nullptr && !chance(8)) {
    command.member_id = (*member)->id;
    command.instance_id = (*member)->instance;
    command.generation = (*group)->generation - (chance(8) ? 1 : 0);
  }
  for (std::uint64_t i = 0; i <= below(3); ++i)
    command.topics.push_back({some_topic(),
                              {{narrow<std::int32_t>(below(4)), narrow<std::int64_t>(below(1'000)),
                                1, chance(2) ? "note" : ""}}});
  return encoded(command);
}

EncodedCommand RandomGroups::forget(const State& state) {
  const std::string id = some_group();
  if (chance(3)) {
    command::DeleteGroups command;
    command.group_ids = {id, "none"};
    return encoded(command);
  }
  if (chance(2)) {
    command::DeleteOffsets command;
    command.group_id = id;
    command.topics.push_back({some_topic(), {0, 1, 7}});
    return encoded(command);
  }
  command::ExpireOffsets command;
  const Group* group = state.groups().find(id);
  command.groups.push_back({id, group == nullptr ? 0 : expiry_guard(*group) - below(2), {}});
  if (group != nullptr) {
    auto& offsets = command.groups[0].offsets;
    state.offsets().visit(*group, [&](const GroupOffset& offset) {
      offsets.push_back(
          {offset.at().topic, offset.at().partition.value, offset->committed_at.value});
    });
    std::ranges::sort(offsets, {},
                      [](const auto& one) { return std::pair(one.topic_id, one.partition); });
    if (!offsets.empty() && chance(2)) offsets.pop_back();
  }
  return encoded(command);
}

}  // namespace weir::state::testing
