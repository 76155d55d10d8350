// Membership: this broker's registration in the cluster state, its signs of life, and the expiry of
// others.
//
// Registration is command 1 of an incarnation. A broker that is not alone vouches at a third of its
// session time-out. A peer is expired after its silence, sooner where a witness
// says that it is gone, or where its address refuses and it wrote nothing for some seconds; so a
// broker that ends vouches every second. Silence is measured on this broker's own monotonic clock
// since it folded the last sign, and only after a barrier, so that a store outage does not expire
// everybody; `ExpireBroker` names the last sign that we folded, so a newer one defeats it
// (docs/design.md, 12). A broker that finds itself expired (it was paused) registers again as a new
// incarnation; one that was superseded by a process with the same node id or address stops serving.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>

#include "base/log.h"
#include "engine/follower.h"
#include "engine/options.h"
#include "engine/peer_watch.h"
#include "engine/proposer.h"
#include "rt/random.h"

namespace weir::engine {

/// Proof that a broker process is dead, where the store can give one (a file store: its lock file
/// is free).
class DeathWitness {
 public:
  virtual ~DeathWitness() = default;
  /// Says that this incarnation lives, from now until the process ends.
  virtual rt::Task<Result<void>> announce(Incarnation self) = 0;
  /// True only if `other` can never act again.
  virtual rt::Task<bool> is_dead(Incarnation other) = 0;
};

class Membership final : public FoldListener {
 public:
  struct Parts {
    rt::Loop& loop;
    rt::Random& random;
    Follower& follower;
    Proposer& proposer;
    /// May be null.
    DeathWitness* witness;
    /// May be null.
    PeerWatch* peers;
    Logger& logger;
    DecisionRing& decisions;
  };
  Membership(Parts parts, const Options& options);

  /// Registers; returns once the registration is folded. Errors: timed_out, configuration,
  /// cancelled.
  rt::Task<Result<NodeId>> register_self(MonoTime deadline);
  /// Vouches, watches the others and registers again when needed, until stopped.
  rt::Task<void> run();
  /// From now on peers may see connections end, and are told more often that this broker lives.
  void will_leave() { hastens_ = true; }
  /// Leaves the cluster state, so that clients stop being sent here.
  rt::Task<void> deregister(MonoTime deadline);
  void stop();

  /// The follower starts anew from a snapshot, which may not know us.
  void reloaded();
  bool registered() const { return registered_; }
  std::optional<NodeId> node_id() const { return node_id_; }
  bool alone() const { return parts_.follower.state().brokers().size() <= 1; }

  void on_folded(const state::EntryView& entry, const state::Folded& folded) override;

 private:
  struct Seen {
    Position sign;
    MonoTime at;
    /// When an entry that it wrote was folded last.
    MonoTime wrote;
    bool proposed = false;
  };
  Proposal registration() const;
  bool superseded() const;
  rt::Task<void> tick();
  Duration vouch_interval() const;
  rt::Task<void> expire_lost(MonoTime now);
  /// Why `broker` should be expired; null: no reason.
  const char* lost_by(const state::BrokerInfo& broker, MonoTime now) const;
  rt::Task<void> register_again();
  std::string lost_to() const;

  Parts parts_;
  const Options& options_;
  std::optional<NodeId> node_id_;
  bool registered_ = false;
  bool leaving_ = false;
  bool stopping_ = false;
  bool hastens_ = false;
  MonoTime last_vouch_{};
  std::unordered_map<Incarnation, Seen> seen_;
  rt::Event wake_;
};

}  // namespace weir::engine
