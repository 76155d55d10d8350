// GroupWork: what a simulated member does with its partitions, whatever protocol its group speaks.
// It reads where the group was, processes position after position, and commits each with the
// output so far, which travels in the metadata of the commit.
//
// As a stock client does, it tries again after a commit that was not answered, as the same member.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/calls.h"
#include "tests/sim/client.h"
#include "tests/sim/group_checker.h"

namespace weir::sim {

struct GroupMemberOptions {
  std::string name;
  std::string topic_name;
  TopicId topic;
  std::int32_t partitions = 0;
  /// Every request goes to any broker, as a load balancer in front of a shared identity does; else
  /// to one broker until it fails.
  bool spread = false;
  bool is_static = false;
  std::int32_t session_ms = 6'000;
};

inline constexpr Duration kGroupCallMax = 4s;
inline constexpr std::int32_t kGroupRebalanceMs = 8'000;
inline constexpr const char* kGroupName = "group";

/// A member of a group, of whichever protocol, as the run sees it.
class Member : public Client {
 public:
  /// No more stalls and deaths from now on.
  virtual void behave() = 0;
  /// The generation or epoch that it works in, or -1; and what it has.
  virtual std::int32_t generation() const = 0;
  virtual const std::vector<std::int32_t>& owned() const = 0;
};

class GroupWork {
 public:
  GroupWork(Caller& caller, GroupChecker& checker, const GroupMemberOptions& options)
      : caller_(caller), checker_(checker), options_(options), broker_(caller.any_broker()) {}

  /// Who asks: as the broker is told, and as the checker knows it.
  struct Self {
    engine::MemberId id;
    /// Reads of offsets name the member and its epoch.
    bool reads_as_member = false;
  };

  template <class T>
  rt::Task<Result<T>> call(Request<T> request, Duration time_out) {
    if (options_.spread) broker_ = caller_.any_broker();
    Result<T> answer = co_await caller_.call<T>(broker_, std::move(request), time_out);
    if (!answer) {
      trouble_ = weir::describe(answer.error());
      broker_ = caller_.any_broker();
    }
    co_return answer;
  }

  /// Reads where the group was in them, and has them from then on. False: nothing happened.
  rt::Task<bool> take(Self self, std::vector<std::int32_t> partitions);
  void give_up(const std::vector<std::int32_t>& partitions);
  void give_up_all() { give_up(std::vector<std::int32_t>(owned_)); }
  const std::vector<std::int32_t>& owned() const { return owned_; }

  struct Committed {
    bool acknowledged = false;
    /// None, and not acknowledged: whether it lands is open.
    state::Refusal refusal = state::Refusal::none;
    MonoTime sent;
  };
  /// Processes the next position of the partition, and commits it.
  rt::Task<Committed> commit(Self self, std::int32_t partition);

  /// The process that answered last.
  std::pair<std::size_t, std::uint64_t> here() const {
    return {broker_, caller_.cluster().generation(broker_)};
  }
  const std::string& trouble() const { return trouble_; }
  void note_trouble(std::string what) { trouble_ = std::move(what); }

 private:
  struct Progress {
    std::int64_t position = 0;
    /// What the application wrote with each commit; here, a count.
    std::int64_t output = 0;
  };
  GroupWho who(const Self& self) const {
    return {options_.name, self.id.member, self.id.generation};
  }

  Caller& caller_;
  GroupChecker& checker_;
  const GroupMemberOptions& options_;
  std::size_t broker_;
  std::vector<std::int32_t> owned_;
  std::map<std::int32_t, Progress> progress_;
  std::string trouble_;
};

}  // namespace weir::sim
