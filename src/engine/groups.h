// Groups: the classic protocol and the offsets of groups of every kind, at one broker.
//
// What changes a group is proposed as a command; what a client is told comes from the fold: from
// the outcome of its own command, or from the state as the fold left it. A JoinGroup or SyncGroup
// that has to wait is parked under its group and looked at after each fold that changed the group,
// so it is answered wherever it waits. Parked members count as alive. Heartbeats are answered from
// the state as it is here; a refusal is said after a barrier only.
//
// `run` measures time for all groups (group_liveness.h, group_timers.h) and expires old offsets.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "engine/follower.h"
#include "engine/group_clock.h"
#include "engine/group_liveness.h"
#include "engine/group_timers.h"
#include "engine/groups_api.h"
#include "engine/membership.h"
#include "engine/offset_expiry.h"
#include "engine/options.h"
#include "engine/proposer.h"
#include "rt/event.h"

namespace weir::engine {

class ConsumerGroups;

class Groups final : public GroupApi {
 public:
  struct Parts {
    rt::Loop& loop;
    Follower& follower;
    Proposer& proposer;
    const Membership& membership;
    Logger& logger;
    Metrics& metrics;
  };
  Groups(Parts parts, const Options& options);

  rt::Task<JoinAnswer> join(JoinRequest request, MonoTime deadline, const bool* cancelled) override;
  rt::Task<SyncAnswer> sync(SyncRequest request, MonoTime deadline, const bool* cancelled) override;
  rt::Task<GroupOutcome> heartbeat(MemberId from, MonoTime deadline) override;
  rt::Task<std::vector<GroupOutcome>> leave(std::string group, std::vector<LeavingId> members,
                                            MonoTime deadline) override;
  rt::Task<std::vector<GroupOutcome>> commit_offsets(MemberId from,
                                                     std::vector<OffsetToCommit> offsets,
                                                     MonoTime deadline) override;
  FetchedOffsets read_offsets(const OffsetsQuery& query) const override;
  std::size_t offsets_bytes(const OffsetsQuery& query) const override;
  rt::Task<std::vector<GroupOutcome>> delete_offsets(std::string group,
                                                     std::vector<state::PartitionRef> partitions,
                                                     MonoTime deadline) override;
  rt::Task<std::vector<GroupOutcome>> delete_groups(std::vector<std::string> groups,
                                                    MonoTime deadline) override;
  rt::Task<std::vector<DescribedGroup>> describe_groups(std::vector<std::string> groups,
                                                        MonoTime deadline) override;
  rt::Task<Result<std::vector<GroupListing>>> list_groups(MonoTime deadline) override;

  /// After each fold.
  void on_changed(const state::ChangedGroups& changed);
  /// Lets parked requests look at their `cancelled` flag.
  void wake_all();
  std::size_t parked() const { return parked_; }
  GroupLiveness& liveness() { return liveness_; }
  /// Who knows what to tell a member of the classic protocol in a group of the consumer protocol.
  void set_consumer_groups(ConsumerGroups* consumer) { consumer_ = consumer; }
  const GroupClock& clock() const { return clock_; }

  rt::Task<void> run();
  /// Parked requests end.
  void stop();

 private:
  /// One parked request.
  struct Waiter {
    explicit Waiter(rt::Loop& loop) : wake(loop) {}
    rt::Event wake;
  };
  /// Parks until something changed in the group. False: the wait is over, for `why`.
  struct Parking;
  rt::Task<bool> wait(Parking& parking);

  rt::Task<Result<state::CommandOutcome>> propose(Proposal proposal, MonoTime deadline);
  const state::State& state() const { return parts_.follower.state(); }
  bool is_consumer_group(const std::string& id) const;
  /// Whether the answer to a join is there, and what it is.
  bool look_at_join(const JoinRequest& request, const std::string& member, std::int32_t generation,
                    JoinAnswer& answer) const;
  bool look_at_sync(const MemberId& from, SyncAnswer& answer) const;
  void fill(const state::Group& group, const state::GroupMember& member, JoinAnswer& answer) const;
  state::Refusal judge_heartbeat(const MemberId& from) const;
  state::Refusal who_is_gone(std::string_view group,
                             const std::optional<std::string>& instance) const;
  DescribedGroup describe(const std::string& id) const;

  Parts parts_;
  GroupClock clock_;
  GroupLiveness liveness_;
  GroupTimers timers_;
  OffsetExpiry offset_expiry_;
  ConsumerGroups* consumer_ = nullptr;
  std::multimap<std::string, Waiter*, std::less<>> waiters_;
  std::size_t parked_ = 0;
  bool stopping_ = false;
  rt::Event wake_;
};

}  // namespace weir::engine
