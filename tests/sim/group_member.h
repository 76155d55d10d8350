// GroupMember: a simulated consumer of the classic protocol. Joins, takes its partitions, processes
// and commits position after position, heartbeats; stalls, dies and leaves now and then. It speaks
// the embedded consumer protocol as Java's consumer does (eager), so its group may become one of
// the consumer protocol while it works.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/sim/group_work.h"

namespace weir::sim {

class GroupMember final : public Member {
 public:
  GroupMember(Caller& caller, GroupChecker& checker, GroupMemberOptions options)
      : caller_(caller),
        checker_(checker),
        options_(std::move(options)),
        work_(caller, checker, options_) {}

  rt::Task<void> run() override;
  void finish() override { finishing_ = true; }
  void behave() override { behaves_ = true; }
  bool done() const override { return done_; }
  std::string describe() const override;
  std::int32_t generation() const override { return working_ ? generation_ : -1; }
  const std::vector<std::int32_t>& owned() const override { return work_.owned(); }

 private:
  rt::Task<bool> join();
  rt::Task<bool> sync(const engine::JoinAnswer& joined);
  rt::Task<void> work();
  rt::Task<void> misbehave();
  rt::Task<bool> beat();
  rt::Task<bool> commit(std::int32_t partition);
  rt::Task<void> leave();
  /// What a refusal means for its life. True: it may go on as the same member.
  bool survive(state::Refusal refusal);
  void forget();
  std::string who() const { return options_.name + " (" + member_ + ")"; }
  engine::MemberId self() const;
  engine::JoinRequest join_request();
  std::vector<std::pair<std::string, SharedBytes>> assign(
      const std::vector<engine::JoinedMember>& members) const;

  Caller& caller_;
  GroupChecker& checker_;
  GroupMemberOptions options_;
  GroupWork work_;
  std::string member_;
  std::uint64_t lives_ = 0;
  std::int32_t generation_ = -1;
  /// When the last commit was sent that was acknowledged, with a heartbeat accepted after it at the
  /// same process.
  std::optional<MonoTime> alive_since_;
  std::optional<MonoTime> committed_at_;
  std::pair<std::size_t, std::uint64_t> committed_by_;
  /// Heartbeats alone until then.
  MonoTime quiet_until_{};
  bool working_ = false;
  bool behaves_ = false;
  bool finishing_ = false;
  bool done_ = false;
};

}  // namespace weir::sim
