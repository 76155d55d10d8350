// PeerWatch: which brokers of the cluster can no longer be there, by the word of their own machine.
//
// Over a store that charges for requests, signs of life in the log are rare, and a killed broker
// would keep its clients for the whole session time-out. But the kernel of its machine knows at
// once. So a connection without traffic is held to each other broker's advertised address. When it
// breaks and the address then refuses twice within half a second, and goes on to refuse, no process
// listens there any more (docs/design.md, 12).
//
// That is no proof: a listener may be closed, a proxy gone, a firewall new. So Membership asks for
// silence in the log as well, and a wrong guess costs its victim a new registration and nothing
// else. Silence, an unreachable network and an address where no connection of this broker ever
// lasted (it may lie behind something that only clients can pass, or that accepts for nobody) mean
// nothing. A broker that drains leaves connections that never asked anything open until all
// requests are answered (Server::drain).
//
// Not watched: brokers that share one address, which cannot be told apart; addresses that mean the
// own machine, where somebody else may listen; and those with another protocol than plaintext,
// since this broker speaks no other and something in front of it listens there. At most one
// connection for each broker of the state. Used on one loop; `stop`, then `join`.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "rt/scope.h"
#include "rt/stream.h"
#include "state/catalog.h"

namespace weir::engine {

class PeerWatch {
 public:
  PeerWatch(rt::Loop& loop, rt::Network& network) : loop_(loop), network_(network), scope_(loop) {}

  /// From now on these brokers are watched, but for `self`, and no others.
  void watch(const std::vector<state::BrokerInfo>& brokers, Incarnation self);
  /// A connection to it lasted and broke, and every attempt since this moment was refused, two or
  /// more of them and one just now.
  std::optional<MonoTime> refuses_since(Incarnation broker) const;

  /// Forgets all of them, and takes no more.
  void stop();
  rt::Task<void> join() { return scope_.join(); }

 private:
  struct Peer {
    Peer(rt::Loop& loop, rt::Endpoint address) : at(std::move(address)), wake(loop) {}
    rt::Endpoint at;
    /// Not while it connects.
    std::unique_ptr<rt::Stream> stream;
    /// A connection lasted.
    bool reached = false;
    int refusals = 0;
    MonoTime first_refusal{};
    MonoTime last_refusal{};
    bool dropped = false;
    rt::Event wake;
  };
  rt::Task<void> follow(std::shared_ptr<Peer> peer);
  /// One connection, from the attempt to its end; gives the pause before the next one.
  rt::Task<Duration> visit(Peer& peer);
  Duration refused(Peer& peer) const;
  static void drop(Peer& peer);

  rt::Loop& loop_;
  rt::Network& network_;
  /// Tasks hold the peer too, which may be dropped meanwhile.
  std::unordered_map<Incarnation, std::shared_ptr<Peer>> peers_;
  bool stopping_ = false;
  rt::Scope scope_;
};

}  // namespace weir::engine
