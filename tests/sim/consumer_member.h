// ConsumerMember: a simulated consumer of the consumer protocol (KIP-848). Heartbeats, gives up
// what it is told to and says so, takes what it is given, processes and commits position after
// position; stalls, dies, leaves and comes back now and then. After a failure it says everything
// again, as Java's consumer does.
#pragma once

#include <string>
#include <vector>

#include "tests/sim/group_work.h"

namespace weir::sim {

struct ConsumerMemberOptions {
  GroupMemberOptions member;
  /// Subscribes by an expression.
  bool by_regex = false;
  std::string assignor;
};

class ConsumerMember final : public Member {
 public:
  ConsumerMember(Caller& caller, GroupChecker& checker, ConsumerMemberOptions options)
      : caller_(caller),
        checker_(checker),
        options_(std::move(options)),
        work_(caller, checker, options_.member) {}

  rt::Task<void> run() override;
  void finish() override { finishing_ = true; }
  void behave() override { behaves_ = true; }
  bool done() const override { return done_; }
  std::string describe() const override;
  std::int32_t generation() const override { return epoch_ > 0 && settled_ ? epoch_ : -1; }
  const std::vector<std::int32_t>& owned() const override { return work_.owned(); }

 private:
  GroupWork::Self self() const;
  const std::string& name() const { return options_.member.name; }
  engine::ConsumerHeartbeat heartbeat() const;
  rt::Task<void> beat();
  rt::Task<void> reconcile(std::vector<std::int32_t> target, MonoTime sent);
  rt::Task<void> let_go(std::vector<std::int32_t> lost, MonoTime sent);
  rt::Task<void> commit_some();
  rt::Task<void> misbehave();
  rt::Task<void> leave(bool temporary);
  void refused(state::Refusal refusal);
  /// Out of the group: everything is lost, and it joins again.
  void lose();
  /// A new process.
  void begin_life();

  Caller& caller_;
  GroupChecker& checker_;
  ConsumerMemberOptions options_;
  GroupWork work_;
  std::string member_;
  std::uint64_t lives_ = 0;
  std::int32_t epoch_ = 0;
  std::vector<std::int32_t> target_;
  bool says_all_ = true;
  bool says_owned_ = false;
  /// It has what the last answer gave it.
  bool settled_ = false;
  bool behaves_ = false;
  bool finishing_ = false;
  bool done_ = false;
};

}  // namespace weir::sim
