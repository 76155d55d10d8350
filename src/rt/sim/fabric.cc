#include "rt/sim/fabric.h"

#include "rt/sim/limits.h"
#include "rt/sim/listener.h"
#include "rt/sim/node.h"

namespace weir::rt::sim {

const LinkOptions& SimFabric::link(const std::string& from, const std::string& to) const {
  auto found = links_.find({from, to});
  return found == links_.end() ? default_link_ : found->second;
}

bool SimFabric::is_blocked(const std::string& from, const std::string& to) const {
  return blocked_.contains({from, to}) || is_dark(from) || is_dark(to);
}

Duration SimFabric::draw_latency(const std::string& from, const std::string& to) {
  const LinkOptions& options = link(from, to);
  auto spread = static_cast<std::uint64_t>((options.latency_max - options.latency_min).count());
  Duration latency =
      options.latency_min + Duration(static_cast<std::int64_t>(world_.random().below(spread + 1)));
  bool slow = options.slow_one_in > 0 && world_.random().below(options.slow_one_in) == 0;
  return slow ? latency * 10 : latency;
}

Duration SimFabric::sending_time(const std::string& from, const std::string& to,
                                 std::size_t bytes) const {
  return Duration(1s) * static_cast<std::int64_t>(bytes) /
         static_cast<std::int64_t>(link(from, to).bytes_per_second);
}

void SimFabric::unblock(const std::string& from, const std::string& to) {
  blocked_.erase({from, to});
  wake_links();
}

void SimFabric::heal_all() {
  blocked_.clear();
  wake_links();
}

std::vector<std::shared_ptr<Connection>> SimFabric::connections() {
  std::vector<std::shared_ptr<Connection>> alive;
  std::erase_if(connections_, [&alive](const std::weak_ptr<Connection>& weak) {
    std::shared_ptr<Connection> connection = weak.lock();
    bool over = connection == nullptr || (connection->closed[0] && connection->closed[1]);
    if (!over) alive.push_back(std::move(connection));
    return over;
  });
  return alive;
}

void SimFabric::wake_links() {
  for (auto& connection : connections()) {
    for (Side from : {0u, 1u}) {
      const std::string& source = connection->nodes[from]->host();
      const std::string& target = connection->nodes[1 - from]->host();
      if (connection->pipes[from].under_way.empty() || is_blocked(source, target)) continue;
      world_.after(draw_latency(source, target), nullptr,
                   [connection, from] { connection->deliver(from); });
    }
  }
}

void SimFabric::reset_connections(const std::string& a, const std::string& b) {
  for (auto& connection : connections()) {
    const std::string& client = connection->nodes[0]->host();
    const std::string& server = connection->nodes[1]->host();
    if (!(client == a && server == b) && !(client == b && server == a)) continue;
    for (Side side : {0u, 1u}) {
      connection->pipes[side].reset = true;
      connection->wake(1 - side);
    }
  }
}

void SimFabric::switch_on(const std::string& host) {
  known_.insert(host);
  if (dark_.erase(host) > 0) wake_links();
  // A machine that is back knows nothing of the connections that it had.
  for (auto& connection : connections()) {
    for (Side side : {0u, 1u}) {
      SimNode& node = *connection->nodes[side];
      if (node.host() == host && !node.alive()) connection->close(side, true);
    }
  }
}

void SimFabric::on_death(const SimNode& node, bool silently) {
  std::erase_if(listeners_, [&node](const auto& item) { return item.second->node == &node; });
  if (silently) return;
  for (auto& connection : connections()) {
    for (Side side : {0u, 1u}) {
      if (connection->nodes[side] == &node) {
        connection->close(side, world_.random().below(2) == 0);
      }
    }
  }
}

std::shared_ptr<Connection> SimFabric::connect(SimNode& client, SimNode& server) {
  auto connection = std::make_shared<Connection>(*this, client, server);
  connections_.push_back(connection);
  return connection;
}

bool SimFabric::bind(const std::string& host, std::uint16_t& port,
                     std::shared_ptr<ListenerState> listener) {
  if (port == 0) {
    do {
      port = static_cast<std::uint16_t>(kFirstFreePort + next_port_++ % 10'000);
    } while (listeners_.contains({host, port}));
  }
  return listeners_.emplace(std::pair{host, port}, std::move(listener)).second;
}

std::shared_ptr<ListenerState> SimFabric::listener(const std::string& host,
                                                   std::uint16_t port) const {
  auto found = listeners_.find({host, port});
  return found == listeners_.end() ? nullptr : found->second;
}

}  // namespace weir::rt::sim
