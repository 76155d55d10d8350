// ConsumerGroups: the engine's part of groups of the consumer protocol (KIP-848).
//
// A heartbeat is judged against the folded state. If it changes nothing, it is answered from memory
// and only counts as a sign of life; else it becomes a command, and the fold has the last word. A
// refusal is said after a barrier or by the fold, never from a stale state. When a group needs a
// new assignment, one task per group computes it, at most once per assignment interval, and offers
// it guarded by the group's epoch; heartbeats that wait for it are moved on by the same command.
// Several brokers may compute for one group: one is accepted, the others look again.
//
// Owned by the engine; used on its loop. Its tasks live in its own scope, which `stop` and `join`
// end.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/log.h"
#include "engine/consumer_groups_api.h"
#include "engine/follower.h"
#include "engine/group_liveness.h"
#include "engine/proposer.h"
#include "rt/event.h"
#include "rt/scope.h"
#include "state/commands/consumer_group_heartbeat.h"
#include "state/consumer_groups/consumer_group.h"

namespace weir::engine {

class ConsumerGroups final : public ConsumerGroupApi, public FoldListener {
 public:
  struct Parts {
    rt::Loop& loop;
    Follower& follower;
    Proposer& proposer;
    GroupLiveness& liveness;
    Logger& logger;
  };
  explicit ConsumerGroups(Parts parts);

  rt::Task<ConsumerHeartbeatAnswer> heartbeat(ConsumerHeartbeat request,
                                              MonoTime deadline) override;
  rt::Task<GroupOutcome> leave(MemberId member, bool temporary, ConsumerGroupSettings settings,
                               MonoTime deadline) override;
  rt::Task<std::vector<ConsumerGroupDescription>> describe(std::vector<std::string> groups,
                                                           std::string default_assignor,
                                                           MonoTime deadline) override;

  // --- members of the classic protocol in a consumer group (online migration) ---
  /// After a JoinGroup was folded: waits for the assignment, lets the member take its step, and
  /// says what the join is answered.
  rt::Task<JoinAnswer> finish_join(JoinRequest request, std::string member, MonoTime deadline);
  /// After a SyncGroup was folded.
  SyncAnswer finish_sync(const std::string& group, const std::string& member) const;
  state::Refusal judge_classic_heartbeat(const MemberId& from) const;
  /// After a heartbeat that was accepted. True: the member is out, having been late to join again.
  rt::Task<bool> fence_classic(std::string group, std::string member, MonoTime deadline);
  /// Somebody has left: the others need an assignment; where only members of the classic protocol
  /// are left, the group becomes a classic one.
  void after_leave(const std::string& group);

  void on_folded(const state::EntryView& entry, const state::Folded& folded) override;
  void stop();
  rt::Task<void> join() { return scope_.join(); }

 private:
  /// What this broker does for a group.
  struct Work {
    /// As the last request of a member of the consumer protocol brought them; nothing before the
    /// first one.
    std::optional<ConsumerGroupSettings> settings;
    /// Value of `topics_version_` for which nothing was to do.
    std::uint64_t checked = 0;
    bool assigning = false;
    bool downgrading = false;
    MonoTime last_assigned{};
    /// Members whose heartbeats wait, to be moved on.
    std::vector<std::string> waiting;
    /// Since when a member has been asked to give something up, by member.
    std::unordered_map<std::string, std::pair<std::int32_t, MonoTime>> late;
  };
  struct Look {
    Refusal refusal = Refusal::none;
    bool changes = false;
    /// The member says that it holds something else than it does here: one of the two is behind.
    bool differs = false;
  };

  const state::ConsumerGroup* find(const std::string& group) const;
  Look look_at(const state::command::ConsumerGroupHeartbeat& command) const;
  Work& work_of(const std::string& group);
  void maybe_downgrade(const std::string& group, Work& work);
  bool needs_assignment(const std::string& group, const Work& work) const;
  void start_assigning(const std::string& group, Work& work);
  rt::Task<void> assign(std::string group);
  /// False: it is not there in time, and whether it comes is open. `queued`: the member is among
  /// the waiting ones, to be moved on by the assignment.
  rt::Task<bool> wait_for_assignment(std::string group, std::string member, bool queued,
                                     MonoTime deadline);
  rt::Task<bool> fence_if_late(std::string group, std::string member, MonoTime deadline);
  ConsumerHeartbeatAnswer answer(const ConsumerHeartbeat& request, bool changed) const;
  rt::Task<void> downgrade(std::string group, std::int32_t epoch);

  Parts parts_;
  std::unordered_map<std::string, Work> works_;
  /// Counts entries that changed topics.
  std::uint64_t topics_version_ = 1;
  bool stopping_ = false;
  rt::Event changed_;
  rt::Scope scope_;
};

/// Kafka's name of the group's state, for listings.
std::string consumer_group_state(const state::ConsumerGroup& group);

}  // namespace weir::engine
