// GroupTimers: ends the phases of classic groups that would otherwise wait for ever.
//
// Every broker measures every phase by its own clock since it folded its beginning, and proposes
// EndPhase, which names generation and phase and so cannot end another one. The preferred broker
// acts first. Times: a rebalance may take the greatest rebalance time-out of its members; the first
// one of an empty group waits for `initial_delay_ms` and again as long as members keep coming.
#pragma once

#include <map>
#include <string>
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
  void look_at_group(const std::string& id);
  void begin(const state::Group& group, Phase& phase) const;
  /// False: the group gets another delay.
  bool is_over(const state::Group& group, Phase& phase) const;
  Duration longest_rebalance(const state::Group& group) const;
  void propose(const std::string& id, const Phase& phase);

  Parts parts_;
  std::map<std::string, Phase, std::less<>> phases_;
};

}  // namespace weir::engine
