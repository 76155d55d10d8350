// GroupTimers: ends the phases of classic groups that would otherwise wait for ever.
//
// Every broker measures every phase by its own clock since it folded its beginning, and proposes
// EndPhase, which names generation and phase and so cannot end another one. The preferred broker
// acts first. Times: a rebalance may take the greatest rebalance time-out of its members; the first
// one of an empty group waits for `initial_delay_ms` and again as long as members keep coming.
//
// Costs: phases are ordered by when they are due, so a look at the time costs as much as is due,
// whatever the number of groups.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/follower.h"
#include "engine/group_clock.h"
#include "engine/proposer.h"
#include "state/groups/group_table.h"

namespace weir::engine {

class GroupTimers {
 public:
  struct Parts {
    rt::Loop& loop;
    Follower& follower;
    Proposer& proposer;
    const GroupClock& clock;
  };
  explicit GroupTimers(Parts parts) : parts_(parts) {}

  void on_changed(const state::ChangedGroups& changed);
  rt::Task<void> act();
  /// By the loop's clock.
  MonoTime next_due() const;
  std::size_t running() const { return phases_.size(); }

 private:
  /// One phase of one group, from when we folded its beginning.
  struct Phase {
    std::int32_t generation = 0;
    state::GroupPhase phase = state::GroupPhase::empty;
    Position since;
    MonoTime due;
    /// Of the first rebalance: members when the present delay began, and what may still be added.
    std::uint32_t members = 0;
    Duration remaining{};
  };
  using Phases = std::map<std::string, Phase, std::less<>>;
  void look_at_group(const std::string& id);
  void begin(const state::Group& group, Phase& phase) const;
  void schedule(Phases::iterator at, MonoTime due);
  Phases::iterator erase(Phases::iterator at);
  /// One phase whose time has come; `over` gets it if it is to be ended.
  void visit(Phases::iterator at, std::vector<std::pair<std::string, Phase>>& over);
  bool is_settled(const state::Group& group, const Phase& phase) const;
  /// What the group is still given, if it is not over.
  Duration more_time(const state::Group& group, Phase& phase) const;
  Duration longest_rebalance(const state::Group& group) const;
  void propose(const std::string& id, const Phase& phase);

  Parts parts_;
  Phases phases_;
  /// Each phase once, by when it is due; names are those of `phases_`.
  std::set<std::pair<MonoTime, std::string_view>> due_;
};

}  // namespace weir::engine
