// GroupClock: the time by which groups measure silence and phases: the broker's monotonic clock,
// standing still while the broker cannot know what others wrote.
//
// During an outage of the store no voucher reaches the log, so nobody's silence says anything; a
// clock that ran on would expire everybody when the outage ends. `advance` is called at least once
// a second. Also here: which broker acts first (docs/design.md, 9).
#pragma once

#include <string_view>

#include "base/hash.h"
#include "base/time.h"
#include "engine/follower.h"
#include "rt/loop.h"

namespace weir::engine {

class GroupClock {
 public:
  /// `unread_max`: the log is read more often than this while the store answers.
  GroupClock(rt::Loop& loop, const Follower& follower, Duration unread_max)
      : loop_(loop), follower_(follower), unread_max_(unread_max), last_(loop.now()) {}

  MonoTime now() const { return last_ - stood_; }
  void advance() {
    const MonoTime now = loop_.now();
    if (now - follower_.last_read() > unread_max_ || !follower_.halted().empty())
      stood_ += now - last_;
    last_ = now;
  }
  /// When the loop's clock shows what `at` is here, if nothing stands still.
  MonoTime on_loop(MonoTime at) const { return at + stood_; }

 private:
  rt::Loop& loop_;
  const Follower& follower_;
  Duration unread_max_;
  MonoTime last_;
  Duration stood_{};
};

/// How much later brokers act that are not the preferred one of a group.
inline constexpr Duration kOthersLater = 1s;

/// Whether this broker is the first to act for `group`: the one that FindCoordinator names.
inline bool is_preferred(const state::State& state, Incarnation self, std::string_view group) {
  const state::BrokerInfo* best = nullptr;
  std::uint64_t weight = 0;
  for (const state::BrokerInfo& broker : state.brokers()) {
    const std::uint64_t w = rendezvous_weight(as_bytes(group), broker.incarnation.view());
    if (best != nullptr && w <= weight) continue;
    best = &broker;
    weight = w;
  }
  return best != nullptr && best->incarnation == self;
}

}  // namespace weir::engine
