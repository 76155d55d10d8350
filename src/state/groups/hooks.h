// Where a command that serves groups of every kind meets a group of the consumer protocol.
//
// The folds of groups/ find the group and hand over; these functions are state/consumer_groups'.
// Each does what the command asks, in full, or refuses. `group` is a consumer group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "state/fold.h"
#include "state/slab.h"

namespace weir::state {

/// A JoinGroup of the classic protocol into a consumer group that has members (online migration).
/// The outcome's one item is that of JoinGroup (classic.h).
void join_consumer_group(FoldContext& context, Slot group, const command::JoinGroup& command,
                         Verdict& verdict);
void sync_consumer_group(FoldContext& context, Slot group, const command::SyncGroup& command,
                         Verdict& verdict);
/// A LeaveGroup of one member.
Refusal leave_consumer_group(FoldContext& context, Slot group, std::string_view member,
                             const std::optional<std::string>& instance);
/// The member is silent since `last_sign`: guard_mismatch if it is not, not_found if it is gone.
Refusal expire_consumer_member(FoldContext& context, Slot group, std::string_view member,
                               Position last_sign);
void vouch_consumer_member(FoldContext& context, Slot group, std::string_view member);

/// May this member commit? Called for each partition; counts as a sign of life if it may.
struct CommitClaim {
  std::string_view member;
  const std::optional<std::string>& instance;
  std::int32_t epoch = -1;
};
Refusal check_consumer_commit(FoldContext& context, Slot group, const CommitClaim& claim,
                              const PartitionRef& at);
/// May this member fetch offsets? From version 9 of OffsetFetch on it says who it is.
Refusal check_consumer_fetch(const Group& group, std::string_view member, std::int32_t epoch);
/// Whether a member reads the topic, so that its offsets may not be deleted.
bool consumer_group_reads(const Tables& tables, const Group& group, const PartitionRef& at);

}  // namespace weir::state
