// judge: what a heartbeat or a join is worth to a group, before anything is changed.
//
// The same pure function answers the broker that received the heartbeat (is there anything to
// write at all?) and the fold (what is written), so that a steady group costs no log entry and the
// fold has the last word. Rules of Apache Kafka 4.4 (KIP-848; epoch 0 may always rejoin).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "state/consumer_groups/consumer_group.h"
#include "state/refusal.h"

namespace weir::state {

namespace command {
struct ConsumerGroupHeartbeat;
}

/// Name of a topic, empty for an unknown id.
using TopicNameOf = std::function<std::string_view(const TopicId&)>;

struct HeartbeatEffect {
  Refusal refusal = Refusal::none;
  /// Nothing: the group stays as it is.
  std::optional<ConsumerMember> member;
  /// Id of the static member whose place it takes; empty: nobody's.
  std::string replaces;
  /// The group epoch rises.
  bool bumps = false;
};

/// `classic`: it is a JoinGroup of the classic protocol; null for a member of the consumer
/// protocol.
HeartbeatEffect judge(const ConsumerGroup& group, const command::ConsumerGroupHeartbeat& heartbeat,
                      const ClassicMemberPart* classic, const TopicNameOf& name_of);

/// Position of the last sign of life of the member that a join is of, which its guard is about; 0:
/// there is no such member.
Position sign_for_join(const ConsumerGroup* group, const command::ConsumerGroupHeartbeat& join);

/// The member that a request is from, or why it is none. `id` may be empty where an instance is
/// given.
struct ClaimedConsumer {
  Refusal refusal = Refusal::none;
  const ConsumerMember* member = nullptr;
};
ClaimedConsumer find_claimed(const ConsumerGroup& group, std::string_view id,
                             const std::optional<std::string>& instance);

/// What a Heartbeat (`syncs`: a SyncGroup) of a member of the classic protocol is told: that it has
/// to join again as long as the group has more for it than it knows.
Refusal check_classic_member(const ConsumerGroup& group, const ClaimedConsumer& claimed,
                             std::int32_t generation, bool syncs);

/// Moves `member` one step towards its target. True if that changed it.
bool advance(const ConsumerGroup& group, ConsumerMember& member, const PartitionList* owned,
             bool subscription_changed, const TopicNameOf& name_of);

/// Whether this commit or fetch of offsets by a member may go on. A partition is given for commits:
/// then an epoch since which the member has held it will do.
Refusal check_member_epoch(const ConsumerGroup& group, std::string_view id,
                           const std::optional<std::string>& instance, std::int32_t epoch,
                           const PartitionRef* committed);

}  // namespace weir::state
