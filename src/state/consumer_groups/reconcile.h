// reconcile: the step that moves one member towards its target.
//
// A partition is given on only after it was given up: a member first says good-bye to what it
// must lose and keeps its epoch (`unrevoked`), then takes the epoch of the target with whatever
// others have released (`unreleased` as long as something is still held elsewhere), and is
// `stable` when it has all. Pure; called by the fold for the member's own heartbeat, so a member
// learns each step from the answer to it. Behaviour of Apache Kafka 4.4 (KIP-848, KIP-1251).
#pragma once

#include <functional>
#include <optional>

#include "state/consumer_groups/member.h"

namespace weir::state {

struct ReconcileInput {
  /// Epoch of the group's newest target assignment.
  std::int32_t target_epoch = 0;
  /// What the member says it holds; nothing: it did not say.
  const PartitionList* owned = nullptr;
  /// Its subscription changed with this heartbeat.
  bool subscription_changed = false;
  /// Whether the member's present subscription covers the topic.
  std::function<bool(const TopicId&)> subscribed;
  /// Whether any member holds the partition.
  std::function<bool(const PartitionRef&)> held;
};

/// The fields of a member that a step changes.
struct MemberStep {
  std::int32_t epoch = 0;
  MemberState state = MemberState::stable;
  HeldList assigned;
  HeldList revoking;
};

/// Nothing if the member stays as it is.
std::optional<MemberStep> reconcile(const ConsumerMember& member, const ReconcileInput& input);

}  // namespace weir::state
