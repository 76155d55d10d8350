// The rules of the classic protocol, as the fold applies them.
//
//   empty ──join──► preparing ──all joined, or EndPhase──► completing ──leader synced──► stable
//     ▲                ▲                                       │                            │
//     └─ last one gone ┴────────── join, leave, expiry ◄───────┴────────────────────────────┘
//
// Apache Kafka's state machine with one difference: what timers do there comes here as a command
// (EndPhase, ExpireMembers) that names generation and phase, or the last sign of life, and is
// refused when they are no longer so. A member counts as joined from the fold of its JoinGroup.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "state/fold.h"
#include "state/groups/group.h"
#include "state/tables.h"

namespace weir::state {

/// What became of a JoinGroup. The value of its item is generation * 4 + result: the generation
/// that its answer is about, which for `waits` may be still to come.
enum class JoinResult : std::int8_t {
  waits = 0,               // it has joined; the answer is the next generation
  current = 1,             // nothing changed for it: the present generation is its answer
  member_id_required = 2,  // it is pending; its id is `new_member_id`
  replaced = 3,            // as current, for a static member that took its predecessor's place
};

inline std::int64_t join_value(JoinResult result, std::int32_t generation) {
  return std::int64_t{generation} * 4 + static_cast<std::int64_t>(result);
}
inline JoinResult join_result(std::int64_t value) { return static_cast<JoinResult>(value & 3); }
inline std::int32_t join_generation(std::int64_t value) {
  return static_cast<std::int32_t>(value >> 2);
}
/// The generation after this one.
std::int32_t next_generation(std::int32_t generation);

/// Begins a rebalance, unless one is being prepared; then ends that if everybody has joined.
void rebalance(FoldContext& context, Slot group, std::int32_t initial_delay_ms = 0);
/// The rebalance that is being prepared ends: who has not joined is out, but for static members.
void complete_join(FoldContext& context, Slot group);
/// If nobody is waited for.
void maybe_complete_join(FoldContext& context, Slot group);
/// The member is out, and another leads if it did; `after_loss` follows.
void drop_member(FoldContext& context, Slot member);
/// The group rebalances if that is called for, or ends its rebalance.
void after_loss(FoldContext& context, Slot group);

/// Finds a member by what a request says of itself: an instance id, if given, must be the member's.
struct MemberClaim {
  Slot group = kNoSlot;
  std::string_view id;
  const std::optional<std::string>& instance;
};
struct ClaimedMember {
  Refusal refusal = Refusal::none;
  Slot member = kNoSlot;
};
ClaimedMember find_claimed(const GroupTable& groups, const MemberClaim& claim);

/// What the fold would say now to a heartbeat, and to a sync or commit of this member: generation,
/// then member. `kNoSlot` as group: there is none.
Refusal check_member(const GroupTable& groups, const MemberClaim& claim, std::int32_t generation);

/// Whether `offered` has something in common with the group (type, and a protocol of all members).
bool is_common(const Group& group, std::string_view type,
               const std::vector<std::string_view>& offered);
/// The protocol that most members like best among those that all offer.
std::string chosen_protocol(const GroupTable& groups, const Group& group);
/// Topics that members read, if theirs is the metadata of consumers (protocol type "consumer").
std::set<std::string, std::less<>> topics_read(const GroupTable& groups, const Group& group);

}  // namespace weir::state
