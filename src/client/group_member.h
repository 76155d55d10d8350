// GroupMember: a member of a classic consumer group.
//
// `join` takes part in a rebalance and gives the partitions that are ours; the member that the
// coordinator makes leader assigns for all. `heartbeat` says that we live, and tells when to join
// again. `commit` and `leave` speak as this member, so that a coordinator that has given our
// partitions to others refuses.
//
// The owner calls one function at a time, `heartbeat` at least every third of the session time-out.
// Lives on the cluster's loop.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "client/consumer.h"
#include "client/consumer_protocol.h"
#include "client/group_client.h"

namespace weir::client {

struct GroupMemberOptions {
  std::string group;
  std::vector<std::string> topics;
  Duration session_timeout = kGroupSessionTimeoutDefault;
  Duration rebalance_timeout = kGroupRebalanceTimeoutDefault;
};

class GroupMember {
 public:
  GroupMember(Cluster& cluster, GroupMemberOptions options);

  /// Errors: those of a call, and what the coordinator refuses for good.
  rt::Task<Result<std::vector<TopicPartition>>> join(MonoTime deadline);
  /// False: the group is rebalancing or has lost us; commit what is read, then join.
  rt::Task<Result<bool>> heartbeat(MonoTime deadline);
  /// False: refused, because the group has moved on; what was not committed will be read again.
  rt::Task<Result<bool>> commit(const std::map<TopicPartition, Offset>& offsets, MonoTime deadline);
  /// Committed offsets of `partitions`; those without one are absent.
  rt::Task<Result<std::map<TopicPartition, Offset>>> committed(
      std::vector<TopicPartition> partitions, MonoTime deadline);
  /// So that the others need not wait for our session to end.
  rt::Task<Result<void>> leave(MonoTime deadline);

  const std::string& member_id() const { return member_id_; }

 private:
  rt::Task<Result<wire::JoinGroupResponse>> join_once(MonoTime deadline);
  rt::Task<Result<wire::SyncGroupResponse>> sync(const wire::JoinGroupResponse& joined,
                                                 MonoTime deadline);
  rt::Task<Result<Assignments>> assign(const wire::JoinGroupResponse& joined, MonoTime deadline);
  void forget_membership();

  GroupMemberOptions options_;
  GroupClient client_;
  std::string member_id_;
  std::int32_t generation_ = -1;
};

}  // namespace weir::client
