// Cluster: the brokers of a simulation, the storage they share, and the network between them and
// the clients.
//
// A broker process is an engine with its own view of the storage. It may be killed at any instant
// and is started again by the nemesis, or after a while by itself when its start fails. Two kinds
// of storage: in memory, behind weather, or files on one simulated machine, whose faults are those
// of the disk.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commitlog/memory_log.h"
#include "engine/cluster_engine.h"
#include "objstore/memory_store.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"
#include "tests/sim/canary.h"
#include "tests/sim/weather.h"

namespace weir::sim {

enum class Backend : std::uint8_t { memory_log, object_log, files };
std::string_view to_string(Backend backend);

struct ClusterOptions {
  std::size_t brokers = 2;
  Backend backend = Backend::memory_log;
  engine::Options engine;
  std::size_t cache_bytes = 1u << 20;
  bool witness = false;
  Canary canary = Canary::none;
  /// Only the first broker's clock jumps, by a year.
  bool one_wrong_clock = false;
  /// Brokers listen for Kafka clients.
  bool servers = false;
  /// Log lines of the brokers go to stderr.
  bool verbose = false;
};

/// What waits for an answer of one broker process.
class Waiting {
 public:
  virtual ~Waiting() = default;
  virtual void fail_with(Error error) = 0;
};

class BrokerProcess;

class Cluster {
 public:
  Cluster(rt::sim::SimWorld& world, Checker& checker, ClusterOptions options);
  ~Cluster();

  const ClusterOptions& options() const { return options_; }
  rt::sim::SimWorld& world() { return world_; }
  Checker& checker() { return checker_; }
  Weather& weather() { return weather_; }
  CanaryAnswers& answers() { return answers_; }
  std::size_t size() const { return brokers_.size(); }
  /// Where the files are; only with Backend::files.
  static constexpr const char* kMachine = "machine";
  static constexpr std::uint16_t kPort = 9092;
  const std::string& host(std::size_t broker) const { return brokers_[broker].host; }

  // Brokers.
  void start(std::size_t broker);
  void kill(std::size_t broker);
  /// As `kill`, but nobody hears of it.
  void vanish(std::size_t broker);
  /// Clean stop, then exit; killed if that takes longer than `bound`.
  void stop(std::size_t broker, Duration bound);
  void pause(std::size_t broker);
  void resume(std::size_t broker);
  void lose_power();
  bool alive(std::size_t broker) const { return brokers_[broker].node != nullptr; }
  bool paused(std::size_t broker) const;
  rt::sim::SimNode* node(std::size_t broker) { return brokers_[broker].node; }
  /// The engine, once it serves; else null.
  engine::ClusterEngine* serving(std::size_t broker);
  /// Brokers that fail to start are started again.
  void revive();
  /// The true time, for what retention may drop; that of a node whose clock is right.
  void set_true_clock(const rt::Clock& clock) { true_clock_ = &clock; }
  objstore::MemoryStore& store() { return store_; }
  /// Compares the states of all brokers, and looks for halted ones.
  void inspect();

  // Network between clients and brokers.
  void cut(std::size_t broker) { brokers_[broker].cut = true; }
  void heal(std::size_t broker);
  Duration draw_latency();
  using Delivery = std::move_only_function<void()>;
  /// Does `delivery` now, or once the broker can be reached again.
  void deliver(std::size_t broker, Delivery delivery);
  /// Changes with each process of the broker.
  std::uint64_t generation(std::size_t broker) const { return brokers_[broker].generation; }
  /// Told when the present process dies, unless it vanishes in silence.
  void watch(std::size_t broker, std::weak_ptr<Waiting> waiting);

 private:
  struct Broker {
    std::string host;
    rt::sim::SimNode* node = nullptr;
    BrokerProcess* process = nullptr;
    std::uint64_t generation = 0;
    std::optional<Position> inspected;
    bool cut = false;
    std::vector<Delivery> held;
    std::vector<std::weak_ptr<Waiting>> waiting;
  };
  void inspect(Broker& broker);
  void look_at_starts(const state::State& state);
  void gone(Broker& broker, bool silently);
  engine::Options engine_options(const Broker& broker) const;

  rt::sim::SimWorld& world_;
  Checker& checker_;
  ClusterOptions options_;
  Weather weather_;
  CanaryAnswers answers_;
  const rt::Clock* true_clock_ = nullptr;
  objstore::MemoryStore store_;
  commitlog::MemoryLog log_;
  CanaryLog canary_log_;
  CanaryStore shared_store_;
  std::vector<Broker> brokers_;
};

}  // namespace weir::sim
