#include "engine/offset_expiry.h"

#include <algorithm>

#include "engine/group_clock.h"
#include "engine/limits.h"
#include "state/commands/expire_offsets.h"
#include "state/consumer_groups/consumer_group.h"
#include "state/groups/classic.h"
#include "state/groups/offset_table.h"

namespace weir::engine {

namespace {

constexpr Duration kProofWait = 10s;
/// How far the two clocks may drift apart before neither is believed.
constexpr Duration kClockDriftMax = 10min;

/// Position and guard are the fold's; see ExpireOffsets.
state::command::ExpireOffsets::ExpiredGroup begin_group(const state::Group& group) {
  state::command::ExpireOffsets::ExpiredGroup out;
  out.group_id = group->id;
  out.guard = expiry_guard(group);
  return out;
}

}  // namespace

OffsetExpiry::OffsetExpiry(Parts parts, const Options& options)
    : parts_(parts),
      options_(options),
      due_(parts.loop.now() + options.offsets_retention_check),
      started_(parts.loop.now()),
      started_wall_(parts.loop.wall_now()) {}

bool OffsetExpiry::clock_is_sane() const {
  const Duration by_wall = (parts_.loop.wall_now().value - started_wall_.value) * 1ms;
  const Duration drift = by_wall - (parts_.loop.now() - started_);
  return drift < kClockDriftMax && drift > -kClockDriftMax;
}

std::vector<OffsetExpiry::Old> OffsetExpiry::old_offsets(const state::Group& group,
                                                         std::int64_t before_ms) const {
  const state::State& state = parts_.follower.state();
  const bool has_members = !group.empty();
  const bool simple = group.consumer() == nullptr && group->protocol_type.empty();
  if (!has_members && !simple && group->empty_since_ms > before_ms) return {};
  std::set<std::string, std::less<>> read;
  if (has_members && group.consumer() == nullptr) {
    // What other applications than consumers use is not known.
    if (group->phase != state::GroupPhase::stable || group->protocol_type != "consumer") return {};
    read = topics_read(state.groups(), group);
  }
  std::vector<Old> old;
  state.offsets().visit(group, [&](const state::GroupOffset& offset) {
    if (offset->commit_ms > before_ms) return;
    if (has_members) {
      const state::TopicInfo* topic = state.topic(offset.at().topic);
      if (topic == nullptr || read.contains(topic->name)) return;
      if (group.consumer() != nullptr && group.consumer()->subscribes(topic->name)) return;
    }
    old.push_back({offset.at(), offset->committed_at.value});
  });
  return old;
}

rt::Task<void> OffsetExpiry::act() {
  if (parts_.loop.now() < due_) co_return;
  due_ = parts_.loop.now() + options_.offsets_retention_check;
  if (!clock_is_sane()) {
    parts_.logger.warn("clock_has_jumped", {{"effect", "offsets of groups do not expire"},
                                            {"remedy", "set the clock right, restart"}});
    co_return;
  }
  if (!co_await parts_.follower.barrier(parts_.loop.now() + kProofWait)) co_return;
  const std::int64_t before_ms = parts_.loop.wall_now().value - options_.offsets_retention / 1ms;
  state::command::ExpireOffsets command;
  std::size_t count = 0;
  parts_.follower.state().groups().visit("", [&](const state::Group& group) {
    if (!is_preferred(parts_.follower.state(), parts_.proposer.incarnation(), group->id))
      return true;
    const std::vector<Old> old = old_offsets(group, before_ms);
    const bool over = group.empty() && group.members.empty() && group.offset_count == 0;
    if (old.empty() && !over) return true;
    auto expired = begin_group(group);
    for (const Old& offset : old)
      expired.offsets.push_back({offset.at.topic, offset.at.partition.value, offset.committed_at});
    command.groups.push_back(std::move(expired));
    count += old.size() + 1;
    // What is left comes with the next look.
    return count < kExpiredOffsetsPerCommandMax;
  });
  if (!command.groups.empty()) parts_.proposer.submit(make_proposal(command), nullptr);
  if (count >= kExpiredOffsetsPerCommandMax) due_ = parts_.loop.now() + 1s;
}

}  // namespace weir::engine
