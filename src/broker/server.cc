#include "broker/server.h"

#include <algorithm>
#include <utility>

#include "broker/memory_budget.h"

namespace weir::broker {

Result<std::vector<BoundListener>> bind_listeners(rt::Network& network, rt::Loop& loop,
                                                  const std::vector<ListenerOptions>& listeners) {
  std::vector<BoundListener> out;
  for (const ListenerOptions& options : listeners) {
    auto listener = network.listen(loop, options.at);
    if (!listener && listener.error().is(ErrorCode::already_exists))
      return fail(ErrorCode::configuration,
                  "listener " + options.name + ": " + listener.error().message +
                      ", maybe another weir; a second one on this machine needs ports of its own, "
                      "as with --listen localhost:0 --admin localhost:0");
    if (!listener) return with_context(listener.error(), "listener " + options.name);
    out.push_back({options.name, std::move(*listener)});
  }
  return out;
}

Server::Server(Broker& broker, ServerOptions options, std::vector<rt::Loop*> lanes,
               std::vector<BoundListener> listeners)
    : broker_(broker),
      options_(std::move(options)),
      metrics_(broker.metrics(), broker.table()),
      quota_(options_),
      listeners_(std::move(listeners)),
      accepting_(*lanes.at(0)) {
  ENSURE(broker.table().refuse_api_versions != nullptr);
  for (rt::Loop* loop : lanes)
    lanes_.push_back(std::make_unique<Lane>(*loop, broker_, options_, metrics_));
}

Server::~Server() { ENSURE(!started_ || stopping_); }

void Server::start() {
  started_ = true;
  for (BoundListener& from : listeners_) accepting_.spawn(accept_loop(&from));
  for (std::unique_ptr<Lane>& lane : lanes_) accepting_.spawn(sweep(lane.get()));
}

rt::Task<void> Server::accept_loop(BoundListener* from) {
  rt::Loop& home = lanes_.front()->shared.loop;
  while (!stopping_) {
    if (quota_.full()) {
      // As Kafka does: who is too many waits in the system's queue.
      co_await rt::sleep_for(home, kAcceptPause);
      continue;
    }
    Lane* lane = lanes_[next_lane_++ % lanes_.size()].get();
    auto stream = co_await from->listener->accept(lane->shared.loop);
    co_await rt::resume_on(home);
    if (!stream && stream.error().is(ErrorCode::closed)) co_return;
    if (!stream) {
      broker_.log().warn("accept_failed",
                         {{"listener", from->name}, {"error", describe(stream.error())}});
      co_await rt::sleep_for(home, kAcceptPause);
      continue;
    }
    const bool taken = quota_.take((*stream)->peer().host);
    (taken ? metrics_.accepted : metrics_.rejected).add();
    // It goes by way of the lane, which may be busy. Who is let in is not waited for, and the quota
    // bounds how many there are; of those that are not, one at a time is closed.
    rt::Task<void> placed = place(std::move(*stream), from->name, lane, taken);
    if (taken)
      accepting_.spawn(std::move(placed));
    else
      co_await std::move(placed);
  }
}

rt::Task<void> Server::place(std::unique_ptr<rt::Stream> stream, std::string listener, Lane* lane,
                             bool taken) {
  rt::Loop& home = lanes_.front()->shared.loop;
  const std::uint64_t number = next_number_++;
  co_await rt::resume_on(lane->shared.loop);
  if (!taken) {
    lane->peer_log.closed(lane->shared.loop.now(), stream->peer(), listener,
                          "too many connections from this address");
    stream->close();
    stream.reset();
  } else if (lane->draining) {
    quota_.give_back(stream->peer().host);
    stream->close();
    stream.reset();
  } else {
    lane->scope.spawn(run_connection(lane, std::move(stream), std::move(listener), number));
  }
  co_await rt::resume_on(home);
}

rt::Task<void> Server::run_connection(Lane* lane, std::unique_ptr<rt::Stream> stream,
                                      std::string listener, std::uint64_t number) {
  const std::string host = stream->peer().host;
  metrics_.connections.add(1);
  lane->connections.emplace_back(lane->shared, std::move(stream), std::move(listener), number);
  auto self = std::prev(lane->connections.end());
  lane->changed.notify_all();
  co_await self->run();
  lane->connections.erase(self);
  quota_.give_back(host);
  metrics_.connections.add(-1);
  lane->changed.notify_all();
}

rt::Task<void> Server::sweep(Lane* lane) {
  rt::Loop& loop = lane->shared.loop;
  co_await rt::resume_on(loop);
  while (!lane->draining) {
    if (lane->connections.empty()) {
      co_await lane->changed.wait();
      continue;
    }
    const MonoTime next = loop.now() + kSweepInterval;
    while (!lane->draining && loop.now() < next) co_await lane->changed.wait_until(next);
    // A check may close a connection; it leaves the list later, on the loop.
    for (Connection& connection : lane->connections) connection.check(loop.now());
  }
  co_await rt::resume_on(lanes_.front()->shared.loop);
}

rt::Task<void> Server::drain(MonoTime deadline) {
  rt::Loop& home = lanes_.front()->shared.loop;
  stopping_ = true;
  for (BoundListener& from : listeners_) from.listener->close();
  for (std::unique_ptr<Lane>& lane : lanes_) {
    co_await rt::resume_on(lane->shared.loop);
    lane->draining = true;
    lane->changed.notify_all();
    for (Connection& connection : lane->connections) connection.drain();
  }
  co_await rt::resume_on(home);
  // After this no connection is added to a lane any more.
  co_await accepting_.join();
  for (std::unique_ptr<Lane>& lane : lanes_) co_await drain_lane(lane.get(), deadline);
  co_await rt::resume_on(home);
}

rt::Task<void> Server::drain_lane(Lane* lane, MonoTime deadline) {
  rt::Loop& loop = lane->shared.loop;
  co_await rt::resume_on(loop);
  const auto asked = [lane] { return std::ranges::any_of(lane->connections, &Connection::heard); };
  while (asked() && loop.now() < deadline) co_await lane->changed.wait_until(deadline);
  if (asked()) broker_.log().warn("drain_incomplete", {{"connections", lane->connections.size()}});
  for (Connection& connection : lane->connections) connection.close();
  co_await lane->scope.join();
}

}  // namespace weir::broker
