#include "state/consumer_groups/reconcile.h"

namespace weir::state {
namespace {

bool owns_any(const HeldList& held, const PartitionList* owned) {
  return owned == nullptr || any_held(*owned, held);
}

/// The way from what is assigned to the target, as far as it can be gone now.
MemberStep towards_target(const ConsumerMember& member, const ReconcileInput& input) {
  MemberStep step{.epoch = input.target_epoch, .assigned = {}, .revoking = {}};
  for (const HeldPartition& held : member.assigned) {
    bool stays = contains(member.target, held.at) && input.subscribed(held.at.topic);
    (stays ? step.assigned : step.revoking).push_back(held);
  }
  if (!step.revoking.empty() && owns_any(step.revoking, input.owned)) {
    step.epoch = member.epoch;
    step.state = MemberState::unrevoked;
    return step;
  }
  // What the member itself was giving up is its own again.
  HeldList fresh;
  for (const PartitionRef& at : member.target) {
    if (find_held(member.assigned, at) != nullptr || !input.subscribed(at.topic)) continue;
    if (input.held(at) && find_held(member.revoking, at) == nullptr)
      step.state = MemberState::unreleased;
    else
      fresh.push_back({at, input.target_epoch});
  }
  step.assigned = merged(step.assigned, fresh);
  step.revoking.clear();
  return step;
}

/// The target has not changed, the subscription has: what it no longer covers goes at once.
std::optional<MemberStep> drop_unsubscribed(const ConsumerMember& member,
                                            const ReconcileInput& input) {
  MemberStep step{.epoch = member.epoch, .state = member.state, .assigned = {}, .revoking = {}};
  HeldList lost;
  for (const HeldPartition& held : member.assigned)
    (input.subscribed(held.at.topic) ? step.assigned : lost).push_back(held);
  if (lost.empty()) return std::nullopt;
  step.revoking = merged(member.revoking, lost);
  if (owns_any(step.revoking, input.owned))
    step.state = MemberState::unrevoked;
  else
    step.revoking = member.revoking;
  return step;
}

std::optional<MemberStep> unless_same(const ConsumerMember& member, MemberStep step) {
  bool same = step.epoch == member.epoch && step.state == member.state &&
              step.assigned == member.assigned && step.revoking == member.revoking;
  if (same) return std::nullopt;
  return step;
}

}  // namespace

std::optional<MemberStep> reconcile(const ConsumerMember& member, const ReconcileInput& input) {
  switch (member.state) {
    case MemberState::stable:
      if (member.epoch != input.target_epoch)
        return unless_same(member, towards_target(member, input));
      return input.subscription_changed ? drop_unsubscribed(member, input) : std::nullopt;
    case MemberState::unrevoked:
      if (owns_any(member.revoking, input.owned))
        return input.subscription_changed ? drop_unsubscribed(member, input) : std::nullopt;
      return unless_same(member, towards_target(member, input));
    case MemberState::unreleased: return unless_same(member, towards_target(member, input));
  }
  return std::nullopt;
}

}  // namespace weir::state
