#include "engine/group_timers.h"

#include <algorithm>

#include "state/commands/end_phase.h"

namespace weir::engine {

namespace {
constexpr Duration kProofWait = 10s;
/// A proposal that had no effect is made again after this.
constexpr Duration kProposeAgain = 5s;
}  // namespace

using state::GroupPhase;

Duration GroupTimers::longest_rebalance(const state::Group& group) const {
  const state::GroupTable& table = parts_.follower.state().groups();
  std::int32_t longest = 0;
  for (state::Slot slot : group.members)
    longest = std::max(longest, table.member(slot)->rebalance_timeout_ms);
  return longest * 1ms;
}

void GroupTimers::begin(const state::Group& group, Phase& phase) const {
  phase.generation = group->generation;
  phase.phase = group->phase;
  phase.since = group->phase_since;
  const Duration longest = longest_rebalance(group);
  Duration wait = longest;
  if (group->phase == GroupPhase::preparing && group->initial_delay_ms > 0) {
    wait = std::min<Duration>(longest, group->initial_delay_ms * 1ms);
    phase.remaining = longest - wait;
    phase.members = group.counts.members;
  }
  phase.due = parts_.clock.now() + wait;
  if (!is_preferred(parts_.follower.state(), parts_.proposer.incarnation(), group->id))
    phase.due += kOthersLater;
}

void GroupTimers::schedule(Phases::iterator at, MonoTime due) {
  due_.erase({at->second.due, at->first});
  at->second.due = due;
  due_.emplace(due, at->first);
}

GroupTimers::Phases::iterator GroupTimers::erase(Phases::iterator at) {
  due_.erase({at->second.due, at->first});
  return phases_.erase(at);
}

void GroupTimers::look_at_group(const std::string& id) {
  const state::Group* group = parts_.follower.state().groups().find(id);
  const bool idle =
      group == nullptr || group->consumer() != nullptr || (*group)->phase == GroupPhase::empty;
  auto at = phases_.find(id);
  if (idle) {
    if (at != phases_.end()) erase(at);
    return;
  }
  const bool fresh = at == phases_.end();
  if (fresh) at = phases_.try_emplace(id).first;
  const Phase& present = at->second;
  const bool same = !fresh && present.generation == (*group)->generation &&
                    present.phase == (*group)->phase && present.since == (*group)->phase_since;
  if (same) return;
  Phase next;
  begin(*group, next);
  const MonoTime due = next.due;
  next.due = present.due;
  at->second = next;
  schedule(at, due);
}

void GroupTimers::on_changed(const state::ChangedGroups& changed) {
  if (!changed.all) {
    for (const std::string& id : changed.groups) look_at_group(id);
    return;
  }
  due_.clear();
  phases_.clear();
  parts_.follower.state().groups().visit("", [&](const state::Group& group) {
    look_at_group(group->id);
    return true;
  });
}

Duration GroupTimers::more_time(const state::Group& group, Phase& phase) const {
  if (group->initial_delay_ms == 0 || phase.remaining <= Duration{}) return {};
  if (group.counts.members <= phase.members) return {};
  const Duration more = std::min<Duration>(phase.remaining, group->initial_delay_ms * 1ms);
  phase.remaining -= more;
  phase.members = group.counts.members;
  return more;
}

bool GroupTimers::is_settled(const state::Group& group, const Phase& phase) const {
  const state::GroupTable& table = parts_.follower.state().groups();
  return phase.phase == GroupPhase::stable &&
         std::ranges::all_of(group.members, [&](state::Slot slot) {
           const state::GroupMember& member = table.member(slot);
           return member.pending() || member.synced() || member->instance.has_value();
         });
}

void GroupTimers::visit(Phases::iterator at, std::vector<std::pair<std::string, Phase>>& over) {
  const state::Group* group = parts_.follower.state().groups().find(at->first);
  if (group == nullptr || is_settled(*group, at->second)) {
    erase(at);
    return;
  }
  const Duration more = more_time(*group, at->second);
  if (more > Duration{}) return schedule(at, parts_.clock.now() + more);
  schedule(at, parts_.clock.now() + kProposeAgain);
  over.emplace_back(at->first, at->second);
}

rt::Task<void> GroupTimers::act() {
  std::vector<std::pair<std::string, Phase>> over;
  // Each visit takes the phase away or makes it due later.
  while (!due_.empty() && due_.begin()->first <= parts_.clock.now())
    visit(phases_.find(due_.begin()->second), over);
  if (over.empty()) co_return;
  // What others wrote meanwhile may have ended the phase.
  if (!co_await parts_.follower.barrier(parts_.loop.now() + kProofWait)) co_return;
  for (const auto& [id, meant] : over) {
    const auto at = phases_.find(id);
    if (at == phases_.end()) continue;
    const Phase& now = at->second;
    if (now.generation == meant.generation && now.phase == meant.phase && now.since == meant.since)
      propose(id, now);
  }
}

void GroupTimers::propose(const std::string& id, const Phase& phase) {
  state::command::EndPhase command;
  command.group_id = id;
  command.generation = phase.generation;
  command.phase = static_cast<std::int8_t>(phase.phase);
  command.phase_since = phase.since.value;
  parts_.proposer.submit(make_proposal(command), nullptr);
}

MonoTime GroupTimers::next_due() const {
  if (due_.empty()) return parts_.loop.now() + 1h;
  return parts_.clock.on_loop(due_.begin()->first);
}

}  // namespace weir::engine
