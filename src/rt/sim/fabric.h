// SimFabric: the network between simulated hosts, and its faults.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "rt/sim/connection.h"
#include "rt/sim/world.h"

namespace weir::rt::sim {

struct LinkOptions {
  Duration latency_min = 50us;
  Duration latency_max = 500us;
  /// One message of this many takes ten times as long; 0 = none.
  std::uint32_t slow_one_in = 200;
  std::uint64_t bytes_per_second = 1'000'000'000;
};

struct ListenerState;

class SimFabric {
 public:
  explicit SimFabric(SimWorld& world) : world_(world) {}

  SimWorld& world() { return world_; }

  /// For links that have no options of their own.
  void set_default_link(const LinkOptions& options) { default_link_ = options; }
  void set_link(const std::string& from, const std::string& to, const LinkOptions& options) {
    links_[{from, to}] = options;
  }
  /// Nothing arrives at `to` from `from`, until unblocked. What was sent meanwhile arrives then.
  void block(const std::string& from, const std::string& to) { blocked_.insert({from, to}); }
  void unblock(const std::string& from, const std::string& to);
  void partition(const std::string& a, const std::string& b) {
    block(a, b);
    block(b, a);
  }
  void heal(const std::string& a, const std::string& b) {
    unblock(a, b);
    unblock(b, a);
  }
  void heal_all();
  /// Both ends of all connections between the two find them reset.
  void reset_connections(const std::string& a, const std::string& b);

  // For the other files of this directory.
  bool is_blocked(const std::string& from, const std::string& to) const;
  Duration draw_latency(const std::string& from, const std::string& to);
  Duration sending_time(const std::string& from, const std::string& to, std::size_t bytes) const;
  void switch_on(const std::string& host);
  void switch_off(const std::string& host) { dark_.insert(host); }
  bool is_dark(const std::string& host) const { return dark_.contains(host); }
  bool is_known(const std::string& host) const { return known_.contains(host); }
  void on_death(const SimNode& node, bool silently);
  std::shared_ptr<Connection> connect(SimNode& client, SimNode& server);

  /// False if the port is taken. Port 0 is replaced by a free one.
  bool bind(const std::string& host, std::uint16_t& port, std::shared_ptr<ListenerState> listener);
  void unbind(const std::string& host, std::uint16_t port) { listeners_.erase({host, port}); }
  std::shared_ptr<ListenerState> listener(const std::string& host, std::uint16_t port) const;

 private:
  const LinkOptions& link(const std::string& from, const std::string& to) const;
  /// Connections that somebody may still use; forgets the others.
  std::vector<std::shared_ptr<Connection>> connections();
  /// Delivers, a little later each, what waits at links that are open again.
  void wake_links();

  SimWorld& world_;
  LinkOptions default_link_;
  std::map<std::pair<std::string, std::string>, LinkOptions> links_;
  std::set<std::pair<std::string, std::string>> blocked_;
  std::set<std::string> dark_;
  std::set<std::string> known_;
  std::vector<std::weak_ptr<Connection>> connections_;
  std::map<std::pair<std::string, std::uint16_t>, std::shared_ptr<ListenerState>> listeners_;
  std::uint16_t next_port_ = 0;
};

}  // namespace weir::rt::sim
