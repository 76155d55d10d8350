// Server: accepts clients on several listeners and deals their connections to lanes.
//
// A lane is a loop; each connection lives on one. Accepting happens on the first lane. The order of
// life: bind_listeners (the real ports are known then), Server, start, drain, and only then its
// destruction. `start` and `drain` are called on the first lane's loop.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "broker/connection.h"
#include "broker/connection_quota.h"
#include "rt/scope.h"
#include "rt/stream.h"

namespace weir::broker {

struct ListenerOptions {
  /// What `--listen NAME=…` calls it; brokers register their endpoints under it.
  std::string name;
  rt::Endpoint at;
};

struct BoundListener {
  std::string name;
  std::unique_ptr<rt::Listener> listener;
};

/// Binds all or none. Errors: configuration.
Result<std::vector<BoundListener>> bind_listeners(rt::Network& network, rt::Loop& loop,
                                                  const std::vector<ListenerOptions>& listeners);

class Server {
 public:
  /// `lanes` is not empty; the listeners belong to the first.
  Server(Broker& broker, ServerOptions options, std::vector<rt::Loop*> lanes,
         std::vector<BoundListener> listeners);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  /// Stops accepting, ends parked fetches, lets what was read be answered until `deadline`, closes
  /// all and joins. Connections that never sent anything go last, because other brokers take the
  /// end of theirs for our death (engine/peer_watch.h).
  rt::Task<void> drain(MonoTime deadline);

  std::size_t connections() const { return quota_.total(); }

 private:
  struct Lane {
    Lane(rt::Loop& loop, Broker& broker, const ServerOptions& options, ServerMetrics& metrics)
        : peer_log(broker.log()),
          shared{loop, broker, options, metrics, peer_log},
          changed(loop),
          scope(loop) {}
    PeerLog peer_log;
    LaneShared shared;
    std::list<Connection> connections;
    bool draining = false;
    /// A connection came or went, or draining began.
    rt::Event changed;
    rt::Scope scope;
  };

  rt::Task<void> accept_loop(BoundListener* from);
  rt::Task<void> place(std::unique_ptr<rt::Stream> stream, std::string listener, Lane* lane,
                       bool taken);
  rt::Task<void> run_connection(Lane* lane, std::unique_ptr<rt::Stream> stream,
                                std::string listener, std::uint64_t number);
  /// Looks at the deadlines of a lane's connections, once a second while there are any.
  rt::Task<void> sweep(Lane* lane);
  rt::Task<void> drain_lane(Lane* lane, MonoTime deadline);

  Broker& broker_;
  ServerOptions options_;
  ServerMetrics metrics_;
  ConnectionQuota quota_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<BoundListener> listeners_;
  std::size_t next_lane_ = 0;
  std::uint64_t next_number_ = 1;
  bool stopping_ = false;
  bool started_ = false;
  rt::Scope accepting_;
};

}  // namespace weir::broker
