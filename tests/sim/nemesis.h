// Nemesis: what goes wrong, and when. One fault after another, many of them overlapping, until
// there were enough; then it mends everything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/sim/cluster.h"

namespace weir::sim {

class Nemesis {
 public:
  explicit Nemesis(Cluster& cluster) : cluster_(cluster), random_(cluster.world().random()) {}

  /// Hosts of clients that reach brokers over the simulated network.
  void add_client_host(std::string host) { client_hosts_.push_back(std::move(host)); }

  /// The next fault. Returns how long to wait before the next one.
  Duration strike();
  /// Mends everything: brokers run, nothing is cut, the weather is fair.
  void mend();
  std::uint64_t faults() const { return faults_; }
  const std::map<std::string, std::uint64_t>& by_kind() const { return by_kind_; }

 private:
  void note(const char* what, std::uint64_t value = 0);
  void kill_one();
  void kill_all();
  void pause_one();
  void stop_one();
  void power_loss();
  void partition();
  void vanish_one();
  void bad_network();
  void clock_jump();
  void bad_weather();
  void bad_disk();
  void full_disk();
  /// Starts it, unless it runs by then.
  void start_later(std::size_t broker, Duration after);
  Duration between(Duration min, Duration max);

  Cluster& cluster_;
  rt::Random& random_;
  std::vector<std::string> client_hosts_;
  /// Bad weather of one kind ends when its turn is still the newest.
  std::uint64_t weather_turn_ = 0;
  std::uint64_t faults_ = 0;
  bool mended_ = false;
  std::map<std::string, std::uint64_t> by_kind_;
};

}  // namespace weir::sim
