#include "rt/sim/network.h"

#include <optional>

#include "rt/sim/fabric.h"
#include "rt/sim/limits.h"
#include "rt/sim/listener.h"

namespace weir::rt::sim {

namespace {

using StreamResult = Result<std::unique_ptr<Stream>>;

bool is_local_name(const std::string& host) {
  return host.empty() || host == "*" || host == "localhost" || host == "127.0.0.1" ||
         host == "::1" || host == "0.0.0.0" || host == "::";
}

std::string host_of(const SimNode& node, const Endpoint& endpoint) {
  return is_local_name(endpoint.host) ? node.host() : endpoint.host;
}

/// One connect, shared by the caller and by the messages that travel for it.
struct Attempt : std::enable_shared_from_this<Attempt> {
  Attempt(SimLoop& owner, Endpoint target)
      : loop(owner), to(std::move(target)), host(host_of(owner.node(), to)), done(owner) {}

  SimFabric& fabric() { return loop.node().world().fabric(); }

  /// Does `step` when a message has gone from one host to the other. A message that meets a cut
  /// link is sent again later, as long as somebody waits.
  void travel(bool back, std::function<void(Attempt&)> step) {
    const std::string& own = loop.node().host();
    Duration latency = fabric().draw_latency(back ? host : own, back ? own : host);
    fabric().world().after(latency, nullptr, [weak = weak_from_this(), back, step] {
      std::shared_ptr<Attempt> self = weak.lock();
      if (self == nullptr || !self->loop.node().alive()) return;
      const std::string& home = self->loop.node().host();
      bool blocked = self->fabric().is_blocked(back ? self->host : home, back ? home : self->host);
      if (!blocked) return step(*self);
      self->retry(back, step);
    });
  }

  void retry(bool back, std::function<void(Attempt&)> step) {
    SimWorld& world = fabric().world();
    auto spread = static_cast<std::uint64_t>((kConnectRetryMax - kConnectRetryMin).count());
    Duration pause =
        kConnectRetryMin + Duration(static_cast<std::int64_t>(world.random().below(spread)));
    world.after(pause, nullptr, [weak = weak_from_this(), back, step] {
      if (auto self = weak.lock()) self->travel(back, step);
    });
  }

  static void arrive(Attempt& attempt) {
    std::shared_ptr<ListenerState> listener =
        attempt.fabric().listener(attempt.host, attempt.to.port);
    if (listener == nullptr) return attempt.travel(true, refuse);
    if (listener->waiting.size() >= kListenBacklog) return attempt.retry(false, arrive);
    SimNode& client = attempt.loop.node();
    attempt.connection = attempt.fabric().connect(client, *listener->node);
    attempt.connection->names[0] = {client.host(), kFirstFreePort};
    attempt.connection->names[1] = {attempt.host, attempt.to.port};
    listener->waiting.push_back(attempt.connection);
    listener->incoming.notify_all();
    attempt.travel(true, succeed);
  }

  static void refuse(Attempt& attempt) {
    attempt.answer =
        fail(ErrorCode::closed, "connect to " + attempt.to.text() + ": connection refused");
    attempt.done.notify_all();
  }

  static void succeed(Attempt& attempt) {
    attempt.answer = std::make_unique<SimStream>(attempt.connection, 0, attempt.loop);
    attempt.done.notify_all();
  }

  SimLoop& loop;
  Endpoint to;
  std::string host;
  Event done;
  std::shared_ptr<Connection> connection;
  std::optional<StreamResult> answer;
};

Task<StreamResult> connect_to(SimLoop& loop, Endpoint to, MonoTime deadline) {
  auto attempt = std::make_shared<Attempt>(loop, to);
  if (!attempt->fabric().is_known(attempt->host)) {
    co_return fail(ErrorCode::configuration, "look up host " + to.host + ": unknown");
  }
  attempt->travel(false, Attempt::arrive);
  while (!attempt->answer) {
    if (!co_await attempt->done.wait_until(deadline)) break;
  }
  if (attempt->answer) co_return std::move(*attempt->answer);
  if (attempt->connection != nullptr) attempt->connection->close(0, true);
  co_return fail(ErrorCode::timed_out, "connect to " + to.text() + ": no answer in time");
}

}  // namespace

Task<StreamResult> SimListener::accept(Loop& loop) {
  SimLoop& target = sim_loop(loop);
  std::shared_ptr<ListenerState> state = state_;
  while (state->open) {
    if (!state->waiting.empty()) {
      std::shared_ptr<Connection> connection = std::move(state->waiting.front());
      state->waiting.pop_front();
      co_return std::make_unique<SimStream>(std::move(connection), 1, target);
    }
    // Without a deadline: `close` ends it.
    co_await state->incoming.wait();
  }
  co_return fail(ErrorCode::closed, "listener closed");
}

void SimListener::close() {
  if (!state_->open) return;
  state_->open = false;
  state_->node->world().fabric().unbind(state_->node->host(), local_.port);
  for (auto& connection : state_->waiting) connection->close(1, true);
  state_->waiting.clear();
  state_->incoming.notify_all();
}

Result<std::unique_ptr<Listener>> SimNetwork::listen(Loop& loop, const Endpoint& at) {
  auto state = std::make_shared<ListenerState>(sim_loop(loop));
  if (host_of(node_, at) != node_.host()) {
    return fail(ErrorCode::configuration, "listen on " + at.text() + ": address is not ours");
  }
  std::uint16_t port = at.port;
  if (!node_.world().fabric().bind(node_.host(), port, state)) {
    return fail(ErrorCode::already_exists, "listen on " + at.text() + ": address already in use");
  }
  return std::make_unique<SimListener>(std::move(state), Endpoint{at.host, port});
}

Task<StreamResult> SimNetwork::connect(Loop& loop, Endpoint to, MonoTime deadline) {
  return connect_to(sim_loop(loop), std::move(to), deadline);
}

}  // namespace weir::rt::sim
