// GroupMember: a simulated consumer of a classic group. Joins, takes its partitions, processes and
// commits position after position, heartbeats; stalls, dies and leaves now and then.
//
// `spread`: every request goes to any broker, as a load balancer in front of a shared identity
// does; else one broker until it fails.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/calls.h"
#include "tests/sim/client.h"
#include "tests/sim/group_checker.h"

namespace weir::sim {

struct GroupMemberOptions {
  std::string name;
  TopicId topic;
  std::int32_t partitions = 0;
  bool spread = false;
  bool is_static = false;
  std::int32_t session_ms = 6'000;
};

class GroupMember final : public Client {
 public:
  GroupMember(Caller& caller, GroupChecker& checker, GroupMemberOptions options)
      : caller_(caller), checker_(checker), options_(std::move(options)) {}

  rt::Task<void> run() override;
  void finish() override { finishing_ = true; }
  /// No more stalls and deaths from now on.
  void behave() { behaves_ = true; }
  bool done() const override { return done_; }
  std::string describe() const override;
  /// The generation that it works in, or -1; and what it has.
  std::int32_t generation() const { return working_ ? generation_ : -1; }
  const std::vector<std::int32_t>& owned() const { return owned_; }

 private:
  template <class T>
  rt::Task<Result<T>> call(Request<T> request, Duration time_out);
  rt::Task<bool> join();
  rt::Task<bool> sync(const engine::JoinAnswer& joined);
  rt::Task<bool> fetch();
  rt::Task<void> work();
  rt::Task<bool> beat();
  rt::Task<bool> commit(std::int32_t partition);
  rt::Task<void> leave();
  /// What a refusal means for its life. True: it may go on as the same member.
  bool survive(state::Refusal refusal);
  void forget();
  std::string who() const { return options_.name + " (" + member_ + ")"; }
  engine::MemberId self() const;

  Caller& caller_;
  GroupChecker& checker_;
  GroupMemberOptions options_;
  std::string member_;
  std::uint64_t lives_ = 0;
  std::int32_t generation_ = -1;
  std::vector<std::int32_t> owned_;
  std::map<std::int32_t, std::int64_t> positions_;
  std::size_t broker_ = 0;
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
  std::string trouble_;
};

}  // namespace weir::sim
