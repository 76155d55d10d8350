#include "http/server.h"

#include <array>
#include <optional>
#include <utility>

#include "http/request_parser.h"

namespace weir::http {

/// One connection and its alarm clock: `deadline` is when the stage that runs now is overdue.
struct Server::Connection {
  Connection(rt::Loop& loop, std::unique_ptr<rt::Stream> s, const ServerLimits& limits)
      : stream(std::move(s)), parser(limits), changed(loop), watching(loop) {}

  void set_deadline(std::optional<MonoTime> at) {
    deadline = at;
    changed.notify_all();
  }

  std::unique_ptr<rt::Stream> stream;
  RequestParser parser;
  std::size_t requests = 0;
  std::optional<MonoTime> deadline;
  /// What it waits for, in the order in which connections are given up for new ones.
  enum class Wait : unsigned char { first_request, next_request, peer_to_read, handler };
  void wait_for(Wait what, MonoTime now) {
    wait = what;
    since = now;
  }
  Wait wait = Wait::first_request;
  MonoTime since{};
  bool evicted = false;
  bool ended = false;
  rt::Event changed;
  rt::Scope watching;
};

Server::Server(rt::Loop& loop, std::unique_ptr<rt::Listener> listener, Handler& handler,
               Logger& log, const ServerLimits& limits)
    : loop_(loop),
      listener_(std::move(listener)),
      handler_(handler),
      log_(log),
      limits_(limits),
      scope_(loop) {}

Server::~Server() = default;

void Server::start() { scope_.spawn(accept_all()); }

rt::Task<void> Server::stop() {
  stopping_ = true;
  listener_->close();
  for (Connection& connection : connections_) connection.stream->close();
  co_await scope_.join();
}

rt::Task<void> Server::accept_all() {
  while (!stopping_) {
    Result<std::unique_ptr<rt::Stream>> stream = co_await listener_->accept(loop_);
    if (!stream && stream.error().is(ErrorCode::closed)) break;
    if (!stream) {
      log_.warn("http_accept_failed", {{"error", describe(stream.error())}});
      co_await rt::sleep_for(loop_, kAcceptPause);
      continue;
    }
    if (stopping_) break;
    connections_.emplace_back(loop_, std::move(*stream), limits_);
    connections_.back().since = loop_.now();
    ++open_;
    scope_.spawn(serve(std::prev(connections_.end())));
  }
}

/// Ends the connection that has waited longest for its peer. Without a first request before all
/// others: a peer that has asked before is a scraper rather than an attacker.
bool Server::make_room(const Connection& newcomer) {
  Connection* victim = nullptr;
  for (Connection& connection : connections_) {
    if (connection.wait == Connection::Wait::handler || connection.evicted) continue;
    if (&connection == &newcomer) continue;
    if (!victim ||
        std::pair(connection.wait, connection.since) < std::pair(victim->wait, victim->since))
      victim = &connection;
  }
  if (!victim) return false;
  victim->evicted = true;
  --open_;
  victim->stream->close();
  return true;
}

rt::Task<void> Server::serve(Place place) {
  Connection& connection = *place;
  connection.watching.spawn(watch(connection));
  if (open_ > limits_.connections_max && !make_room(connection)) {
    Response busy{.status = 503, .body = "too many connections\n"};
    co_await send(connection, busy, false, true);
  } else {
    while (co_await serve_one(connection)) {
    }
  }
  connection.stream->close();
  connection.ended = true;
  connection.changed.notify_all();
  co_await connection.watching.join();
  if (!connection.evicted) --open_;
  connections_.erase(place);
}

/// Receives and answers one request; false when the connection is to be closed.
rt::Task<bool> Server::serve_one(Connection& connection) {
  if (!co_await receive(connection)) co_return false;
  connection.wait_for(Connection::Wait::handler, loop_.now());
  Request request = connection.parser.take();
  ++connection.requests;
  // The handler has deadlines of its own; what it waits for is not the peer's fault.
  connection.set_deadline(std::nullopt);
  Response response = co_await handler_.handle(request);
  bool keep_alive = request.keep_alive && !stopping_ && connection.requests < limits_.requests_max;
  bool sent = co_await send(connection, response, keep_alive, request.method != "HEAD");
  co_return sent&& keep_alive;
}

/// Reads until a request is complete; false if there will be none. Malformed ones are answered
/// here.
rt::Task<bool> Server::receive(Connection& connection) {
  bool first = connection.requests == 0;
  connection.wait_for(first ? Connection::Wait::first_request : Connection::Wait::next_request,
                      loop_.now());
  connection.set_deadline(loop_.now() +
                          (first ? limits_.first_request_timeout : limits_.idle_timeout));
  bool begun = first;  // Then the time of the whole stage is bounded already.
  RequestParser::State state = connection.parser.feed({});
  std::array<std::byte, kReadBytes> bytes;
  while (state == RequestParser::State::need_more) {
    if (!begun && connection.parser.has_begun()) {
      begun = true;
      connection.set_deadline(loop_.now() + limits_.receive_timeout);
    }
    Result<std::size_t> size = co_await connection.stream->read_some(bytes);
    if (!size || *size == 0) co_return false;
    state = connection.parser.feed(Bytes(bytes).first(*size));
  }
  if (state == RequestParser::State::complete) co_return true;
  log_.debug("http_bad_request", {{"peer", connection.stream->peer().text()},
                                  {"status", connection.parser.error_status()}});
  Response response{.status = connection.parser.error_status()};
  response.body = std::string(reason_of(response.status)) + "\n";
  co_await send(connection, response, false, true);
  co_return false;
}

rt::Task<bool> Server::send(Connection& connection, const Response& response, bool keep_alive,
                            bool with_body) {
  connection.wait_for(Connection::Wait::peer_to_read, loop_.now());
  connection.set_deadline(loop_.now() + limits_.send_timeout);
  std::string head = encode_head(response, keep_alive);
  std::array<Bytes, 2> parts{as_bytes(head), as_bytes(response.body)};
  Result<void> written =
      co_await connection.stream->write(std::span(parts).first(with_body ? 2 : 1));
  co_return written.has_value();
}

/// Closes the stream when the stage that runs is overdue.
rt::Task<void> Server::watch(Connection& connection) {
  while (!connection.ended) {
    if (!connection.deadline) {
      // Named reason: `set_deadline` or the end of the connection follows for certain.
      co_await connection.changed.wait();
    } else if (loop_.now() < *connection.deadline) {
      co_await connection.changed.wait_until(*connection.deadline);
    } else {
      connection.stream->close();
      connection.deadline.reset();
    }
  }
}

}  // namespace weir::http
