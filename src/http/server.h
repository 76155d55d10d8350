// Server: a small HTTP/1.1 server over rt streams, for health checks, metrics and admin pages.
//
// It runs on one loop, real or simulated. Everything a peer can make it hold is limited: the number
// of connections, the size of a request, and the time each stage may take. A connection above the
// number takes the place of the one that has waited longest for its peer, those without a first
// whole request before others, so that a health check is answered however many connections peers
// hold open; only if the handler is at work for all of them is it turned away with 503. Errors of
// peers are theirs: they end their connection and leave no log line but at level debug.
//
// Owned by `app`; the handler, the logger and the loop must outlive it. `stop` must have ended
// before it dies.
#pragma once

#include <list>
#include <memory>

#include "base/log.h"
#include "http/limits.h"
#include "http/message.h"
#include "rt/event.h"
#include "rt/scope.h"
#include "rt/stream.h"

namespace weir::http {

class Handler {
 public:
  virtual ~Handler() = default;
  /// Called on the server's loop, for several requests at a time; `request` outlives the task. HEAD
  /// is answered like GET; the server leaves the body out.
  virtual rt::Task<Response> handle(const Request& request) = 0;
};

class Server {
 public:
  Server(rt::Loop& loop, std::unique_ptr<rt::Listener> listener, Handler& handler, Logger& log,
         const ServerLimits& limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Begins to accept.
  void start();
  /// Closes the listener and all connections, and waits for the handlers that run.
  rt::Task<void> stop();

  rt::Endpoint local() const { return listener_->local(); }
  std::size_t connections() const { return connections_.size(); }

 private:
  struct Connection;
  using Place = std::list<Connection>::iterator;

  rt::Task<void> accept_all();
  bool make_room(const Connection& newcomer);
  rt::Task<void> serve(Place place);
  rt::Task<bool> serve_one(Connection& connection);
  rt::Task<bool> receive(Connection& connection);
  rt::Task<bool> send(Connection& connection, const Response& response, bool keep_alive,
                      bool with_body);
  rt::Task<void> watch(Connection& connection);

  rt::Loop& loop_;
  std::unique_ptr<rt::Listener> listener_;
  Handler& handler_;
  Logger& log_;
  ServerLimits limits_;
  std::list<Connection> connections_;
  /// Connections that were not told to end.
  std::size_t open_ = 0;
  bool stopping_ = false;
  rt::Scope scope_;
};

}  // namespace weir::http
