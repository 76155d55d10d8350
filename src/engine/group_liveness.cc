#include "engine/group_liveness.h"

#include <algorithm>

#include "engine/limits.h"
#include "state/commands/expire_members.h"
#include "state/commands/vouch_members.h"
#include "state/consumer_groups/consumer_group.h"

namespace weir::engine {

namespace {
constexpr Duration kConsumerTimeoutDefault = 45s;
/// A proposal that had no effect is made again after this.
constexpr Duration kProposeAgain = 5s;
constexpr Duration kProofWait = 10s;
constexpr Duration kStepMin = 10ms;
}  // namespace

GroupLiveness::GroupLiveness(Parts parts)
    : parts_(parts),
      consumer_timeout_([](const state::Group&) { return kConsumerTimeoutDefault; }),
      peers_since_(parts.clock.now()),
      vouchers_(parts.metrics.counter("weir_group_vouchers_total",
                                      "Members of groups that this broker has vouched for")),
      expired_(parts.metrics.counter("weir_group_expiries_total",
                                     "Members of groups whose expiry this broker proposed")) {}

GroupLiveness::Watch* GroupLiveness::find(std::string_view group, std::string_view member) {
  const auto at = groups_.find(group);
  if (at == groups_.end()) return nullptr;
  const auto found = at->second.members.find(member);
  return found == at->second.members.end() ? nullptr : &found->second;
}

void GroupLiveness::heard(std::string_view group, std::string_view member) {
  const auto at = groups_.find(group);
  if (at == groups_.end()) return;
  const auto found = at->second.members.find(member);
  if (found == at->second.members.end()) return;
  Watch& watch = found->second;
  parts_.clock.advance();
  watch.heard = parts_.clock.now();
  if (alone_ || is_vouched(watch)) return;
  const MonoTime due = watch.sign_seen + watch.timeout / 3;
  if (due < at->second.due) schedule(at, due);
}

void GroupLiveness::park(const std::string& group, const std::string& member) {
  heard(group, member);
  if (Watch* watch = find(group, member)) ++watch->parked;
}

void GroupLiveness::unpark(const std::string& group, const std::string& member) {
  heard(group, member);
  Watch* watch = find(group, member);
  if (watch != nullptr && watch->parked > 0) --watch->parked;
}

void GroupLiveness::schedule(Groups::iterator at, MonoTime due) {
  due_.erase({at->second.due, at->first});
  at->second.due = due;
  due_.insert({due, at->first});
}

void GroupLiveness::watch(Watched& group, const std::string& id, Position sign, Duration timeout,
                          std::set<std::string_view>& seen) {
  const auto [at, fresh] = group.members.try_emplace(id);
  Watch& watch = at->second;
  if (fresh) ++watched_;
  if (fresh || watch.sign != sign) {
    watch.sign = sign;
    watch.sign_seen = parts_.clock.now();
  }
  watch.timeout = timeout;
  seen.insert(at->first);
}

void GroupLiveness::look_at_group(const std::string& id) {
  const state::GroupTable& table = parts_.follower.state().groups();
  const state::Group* group = table.find(id);
  std::set<std::string_view> seen;
  const auto [at, fresh] = groups_.try_emplace(id);
  if (fresh) at->second.due = parts_.clock.now();
  if (group != nullptr && group->consumer() != nullptr) {
    for (const auto& [name, member] : group->consumer()->members())
      watch(at->second, name, member.last_sign, member.session_timeout_ms * 1ms, seen);
  } else if (group != nullptr) {
    for (state::Slot slot : group->members) {
      const state::GroupMember& member = table.member(slot);
      watch(at->second, member->id, member.last_sign(), member->session_timeout_ms * 1ms, seen);
    }
  }
  watched_ -= std::erase_if(at->second.members,
                            [&](const auto& item) { return !seen.contains(item.first); });
  if (!at->second.members.empty()) return schedule(at, parts_.clock.now());
  due_.erase({at->second.due, at->first});
  groups_.erase(at);
}

void GroupLiveness::look_at_all() {
  std::vector<std::string> gone;
  for (const auto& [id, group] : groups_) gone.push_back(id);
  for (const std::string& id : gone) look_at_group(id);
  parts_.follower.state().groups().visit("", [&](const state::Group& group) {
    look_at_group(group->id);
    return true;
  });
}

void GroupLiveness::on_changed(const state::ChangedGroups& changed) {
  if (changed.all) return look_at_all();
  for (const std::string& id : changed.groups) look_at_group(id);
  const state::GroupTable& table = parts_.follower.state().groups();
  for (const auto& [group, member] : changed.signs) {
    Watch* watch = find(group, member);
    const state::Group* unit = table.find(group);
    if (watch == nullptr || unit == nullptr) continue;
    if (unit->consumer() != nullptr) {
      const state::ConsumerMember* found = unit->consumer()->find(member);
      if (found != nullptr) watch->sign = found->last_sign;
    } else if (const state::GroupMember* found = table.find_member(*unit, member)) {
      watch->sign = found->last_sign();
    }
    watch->sign_seen = parts_.clock.now();
  }
}

/// Whoever was alone until now has written no vouchers: begin with them, and give others the time
/// to.
void GroupLiveness::notice_peers() {
  const bool alone = parts_.membership.alone();
  if (alone == alone_) return;
  alone_ = alone;
  peers_since_ = parts_.clock.now();
  for (auto at = groups_.begin(); at != groups_.end(); ++at) schedule(at, parts_.clock.now());
}

MonoTime GroupLiveness::last_life(const Watch& watch) const {
  return std::max({watch.sign_seen, watch.heard, peers_since_});
}

bool GroupLiveness::is_vouched(const Watch& watch) const {
  return watch.vouched == watch.sign && parts_.clock.now() - watch.vouched_at < watch.timeout / 3;
}

bool GroupLiveness::is_silent(const Watch& watch, bool preferred) const {
  if (watch.parked > 0) return false;
  const Duration patience = preferred ? watch.timeout : watch.timeout + kOthersLater;
  return parts_.clock.now() - last_life(watch) >= patience;
}

MonoTime GroupLiveness::visit(const std::string& id, Watched& group, std::vector<Suspect>& vouched,
                              std::vector<Suspect>& silent) {
  const MonoTime now = parts_.clock.now();
  const bool preferred = is_preferred(parts_.follower.state(), parts_.proposer.incarnation(), id);
  MonoTime next = now + 1h;
  for (auto& [name, watch] : group.members) {
    if (watch.parked > 0) watch.heard = now;
    if (!alone_ && watch.heard > watch.sign_seen && !is_vouched(watch)) {
      const MonoTime due = watch.sign_seen + watch.timeout / 3;
      if (due <= now) {
        watch.vouched = watch.sign;
        watch.vouched_at = now;
        vouched.push_back({id, name, watch.sign});
      } else {
        next = std::min(next, due);
      }
    }
    if (is_silent(watch, preferred) && now >= watch.quiet_until)
      silent.push_back({id, name, watch.sign});
    const Duration patience = preferred ? watch.timeout : watch.timeout + kOthersLater;
    const MonoTime end = watch.parked > 0 ? now + watch.timeout / 3 : last_life(watch) + patience;
    next = std::min(next, std::max(end, watch.quiet_until));
  }
  return std::max(next, now + kStepMin);
}

rt::Task<void> GroupLiveness::act() {
  notice_peers();
  std::vector<Suspect> vouched;
  std::vector<Suspect> silent;
  while (!due_.empty() && due_.begin()->first <= parts_.clock.now()) {
    const auto at = groups_.find(due_.begin()->second);
    schedule(at, visit(at->first, at->second, vouched, silent));
  }
  vouch(vouched);
  co_await expire_after_proof(std::move(silent));
}

rt::Task<void> GroupLiveness::settle(std::vector<std::string> groups) {
  parts_.clock.advance();
  std::vector<Suspect> silent;
  for (const std::string& id : groups) {
    const auto at = groups_.find(id);
    if (at == groups_.end()) continue;
    const bool preferred = is_preferred(parts_.follower.state(), parts_.proposer.incarnation(), id);
    for (const auto& [name, watch] : at->second.members)
      if (is_silent(watch, preferred)) silent.push_back({id, name, watch.sign});
  }
  co_await expire_after_proof(std::move(silent));
}

rt::Task<void> GroupLiveness::expire_after_proof(std::vector<Suspect> silent) {
  if (silent.empty()) co_return;
  // Without the proof of being at the tail, silence may be our own.
  if (!co_await parts_.follower.barrier(parts_.loop.now() + kProofWait)) co_return;
  std::erase_if(silent, [&](const Suspect& suspect) {
    const Watch* watch = find(suspect.group, suspect.member);
    const bool preferred =
        is_preferred(parts_.follower.state(), parts_.proposer.incarnation(), suspect.group);
    return watch == nullptr || watch->sign != suspect.sign || !is_silent(*watch, preferred) ||
           parts_.clock.now() < watch->quiet_until;
  });
  expire(silent);
}

void GroupLiveness::vouch(const std::vector<Suspect>& members) {
  for (std::size_t first = 0; first < members.size(); first += kMembersPerCommandMax) {
    const std::size_t end = std::min(members.size(), first + kMembersPerCommandMax);
    state::command::VouchMembers command;
    for (std::size_t i = first; i < end; ++i) {
      if (command.groups.empty() || command.groups.back().group_id != members[i].group)
        command.groups.push_back({members[i].group, {}});
      command.groups.back().member_ids.push_back(members[i].member);
    }
    vouchers_.add(end - first);
    parts_.proposer.submit(make_proposal(command), nullptr);
  }
}

void GroupLiveness::expire(const std::vector<Suspect>& members) {
  for (std::size_t first = 0; first < members.size(); first += kMembersPerCommandMax) {
    const std::size_t end = std::min(members.size(), first + kMembersPerCommandMax);
    state::command::ExpireMembers command;
    for (std::size_t i = first; i < end; ++i) {
      const Suspect& member = members[i];
      command.members.push_back({member.group, member.member, member.sign.value});
      if (Watch* watch = find(member.group, member.member))
        watch->quiet_until = parts_.clock.now() + kProposeAgain;
      parts_.logger.info("expiring_member", {{"group", member.group}, {"member", member.member}});
    }
    expired_.add(end - first);
    parts_.proposer.submit(make_proposal(command), nullptr);
  }
}

MonoTime GroupLiveness::next_due() const {
  return due_.empty() ? parts_.loop.now() + 1h : parts_.clock.on_loop(due_.begin()->first);
}

}  // namespace weir::engine
