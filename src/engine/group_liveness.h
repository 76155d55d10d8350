// GroupLiveness: signs of life of the members of groups of every kind, and the expiry of those that
// give none.
//
// The state knows no time. Each broker notes whom it has heard (a heartbeat, a parked request) and
// writes vouchers: each member at a third of its own session time-out after its last sign in the
// log, all in one command. Silence is measured here, since the last sign was folded or heard;
// ExpireMembers names that sign by its position, so a newer one defeats it. A broker that is alone
// writes no vouchers: nobody else would read them. When another one joins it writes them at once,
// and the other begins to measure with its own start.
//
// Costs: a heartbeat is a look-up. A group is looked at when something may be due in it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "engine/follower.h"
#include "engine/group_clock.h"
#include "engine/membership.h"
#include "engine/proposer.h"
#include "state/groups/group_table.h"

namespace weir::engine {

/// Session time-out of the members of a consumer group; it is a config, not part of the state.
using ConsumerSessionTimeout = std::function<Duration(const state::Group& group)>;

class GroupLiveness {
 public:
  struct Parts {
    rt::Loop& loop;
    Follower& follower;
    Proposer& proposer;
    const Membership& membership;
    GroupClock& clock;
    Logger& logger;
    Metrics& metrics;
  };
  explicit GroupLiveness(Parts parts);

  void set_consumer_timeout(ConsumerSessionTimeout timeout) {
    consumer_timeout_ = std::move(timeout);
  }

  /// A request of this member has arrived.
  void heard(std::string_view group, std::string_view member);
  /// While a request of this member is parked here, it is alive. In pairs.
  void park(const std::string& group, const std::string& member);
  void unpark(const std::string& group, const std::string& member);

  void on_changed(const state::ChangedGroups& changed);
  /// Vouches, and proposes expiries, as far as they are due.
  rt::Task<void> act();
  /// Proposes the expiry of whoever is silent in these groups, so that what is proposed next meets
  /// them as of now and not as of the last look at the time.
  rt::Task<void> settle(std::vector<std::string> groups);
  /// By the loop's clock.
  MonoTime next_due() const;
  std::size_t watched() const { return watched_; }

 private:
  struct Watch {
    Position sign;
    /// By the group clock. `heard`: here, since then.
    MonoTime sign_seen;
    MonoTime heard;
    Duration timeout{};
    MonoTime quiet_until;
    Position vouched;
    MonoTime vouched_at;
    std::uint32_t parked = 0;
  };
  struct Watched {
    std::map<std::string, Watch, std::less<>> members;
    MonoTime due;
  };
  struct Suspect {
    std::string group;
    std::string member;
    Position sign;
  };
  using Groups = std::map<std::string, Watched, std::less<>>;

  void look_at_group(const std::string& group);
  void look_at_all();
  void watch(Watched& group, const std::string& id, Position sign, Duration timeout,
             std::set<std::string_view>& seen);
  Watch* find(std::string_view group, std::string_view member);
  void schedule(Groups::iterator at, MonoTime due);
  void notice_peers();
  MonoTime last_life(const Watch& watch) const;
  /// Its voucher for the present sign is on its way.
  bool is_vouched(const Watch& watch) const;
  bool is_silent(const Watch& watch, bool preferred) const;
  /// Looks at one group whose time has come; says when to look again.
  MonoTime visit(const std::string& id, Watched& group, std::vector<Suspect>& vouched,
                 std::vector<Suspect>& silent);
  rt::Task<void> expire_after_proof(std::vector<Suspect> silent);
  void vouch(const std::vector<Suspect>& members);
  void expire(const std::vector<Suspect>& members);

  Parts parts_;
  ConsumerSessionTimeout consumer_timeout_;
  Groups groups_;
  std::set<std::pair<MonoTime, std::string_view>> due_;
  std::size_t watched_ = 0;
  /// Since when there have been others.
  bool alone_ = true;
  MonoTime peers_since_;
  Counter& vouchers_;
  Counter& expired_;
};

}  // namespace weir::engine
