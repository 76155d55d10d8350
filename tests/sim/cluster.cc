#include "tests/sim/cluster.h"

#include <algorithm>

#include "rt/sim/disk.h"
#include "tests/sim/process.h"

namespace weir::sim {

std::string_view to_string(Backend backend) {
  switch (backend) {
    case Backend::memory_log: return "memory";
    case Backend::object_log: return "object";
    case Backend::files: return "files";
  }
  return "?";
}

Cluster::Cluster(rt::sim::SimWorld& world, Checker& checker, ClusterOptions options)
    : world_(world),
      checker_(checker),
      options_(std::move(options)),
      answers_(options_.canary, world.random()),
      canary_log_(options_.canary, world.random()),
      shared_store_(store_, options_.canary, world.random()) {
  for (std::size_t i = 0; i < options_.brokers; ++i)
    brokers_.emplace_back().host = "b" + std::to_string(i + 1);
}

Cluster::~Cluster() = default;

engine::Options Cluster::engine_options(const Broker& broker) const {
  engine::Options options = options_.engine;
  options.endpoints.push_back({"PLAINTEXT", "plaintext", broker.host, kPort});
  options.software_version = "sim";
  return options;
}

void Cluster::start(std::size_t index) {
  Broker& broker = brokers_[index];
  ENSURE(broker.node == nullptr);
  rt::sim::SimNodeOptions node_options;
  node_options.host = broker.host;
  if (options_.backend == Backend::files) node_options.machine = kMachine;
  rt::Random& random = world_.random();
  node_options.wall_skew = Duration(10ms) * static_cast<std::int64_t>(random.below(2'000)) - 10s;
  // Where retention is seconds long, clocks that are right differ by less.
  if (options_.one_wrong_clock) node_options.wall_skew /= 5;
  // Clocks may run wrong, within the factor of two of promise 3.
  bool wrong = random.below(4) == 0;
  node_options.clock_rate_ppm =
      wrong ? 750'000 + static_cast<std::int64_t>(random.below(600'000)) : 1'000'000;
  broker.node = &world_.start_node(node_options);
  bool in_log = options_.canary != Canary::none && options_.backend == Backend::memory_log;
  commitlog::CommitLog& log = in_log ? static_cast<commitlog::CommitLog&>(canary_log_)
                                     : static_cast<commitlog::CommitLog&>(log_);
  BrokerProcess::Shared shared{shared_store_, log, weather_};
  broker.process =
      &broker.node->make<BrokerProcess>(*broker.node, shared, options_, engine_options(broker));
  ++broker.generation;
  broker.inspected.reset();
  broker.node->spawn(broker.process->run());
}

engine::ClusterEngine* Cluster::serving(std::size_t index) {
  Broker& broker = brokers_[index];
  bool serves = broker.process != nullptr && broker.process->serving();
  return serves ? broker.process->engine() : nullptr;
}

bool Cluster::paused(std::size_t broker) const {
  return alive(broker) && brokers_[broker].node->paused();
}

void Cluster::gone(Broker& broker, bool silently) {
  broker.node = nullptr;
  broker.process = nullptr;
  for (std::weak_ptr<Waiting>& weak : std::exchange(broker.waiting, {})) {
    if (silently || world_.random().below(4) == 0) continue;
    world_.after(draw_latency(), nullptr, [weak] {
      if (auto waiting = weak.lock())
        waiting->fail_with({ErrorCode::closed, "the connection was reset"});
    });
  }
  bool all = std::none_of(brokers_.begin(), brokers_.end(),
                          [](const Broker& b) { return b.node != nullptr; });
  if (all) canary_log_.all_brokers_died();
}

void Cluster::kill(std::size_t index) {
  Broker& broker = brokers_[index];
  if (!broker.node) return;
  inspect(broker);
  broker.node->kill();
  gone(broker, false);
}

void Cluster::vanish(std::size_t index) {
  Broker& broker = brokers_[index];
  if (!broker.node) return;
  inspect(broker);
  broker.node->vanish();
  gone(broker, true);
}

void Cluster::stop(std::size_t index, Duration bound) {
  Broker& broker = brokers_[index];
  if (serving(index) == nullptr || broker.node->paused()) return kill(index);
  inspect(broker);
  broker.node->spawn(broker.process->stop(broker.node->loop().now() + bound / 2));
  std::uint64_t generation = broker.generation;
  for (Duration d = 10ms; d <= bound; d += 10ms)
    world_.after(d, nullptr, [this, index, generation, last = d + 10ms > bound] {
      Broker& b = brokers_[index];
      if (!b.node || b.generation != generation) return;
      if (b.process->stopped() && b.node->running() == 0) {
        b.process = nullptr;
        b.node->exit();
        gone(b, false);
      } else if (last) {
        kill(index);
      }
    });
}

void Cluster::pause(std::size_t broker) {
  if (alive(broker)) brokers_[broker].node->pause();
}

void Cluster::resume(std::size_t broker) {
  if (paused(broker)) brokers_[broker].node->resume();
}

void Cluster::lose_power() {
  ENSURE(options_.backend == Backend::files);
  inspect();
  world_.lose_power(kMachine);
  for (Broker& broker : brokers_)
    if (broker.node) gone(broker, true);
}

void Cluster::revive() {
  for (std::size_t i = 0; i < brokers_.size(); ++i) {
    Broker& broker = brokers_[i];
    if (!broker.node || !broker.process->failed()) continue;
    broker.node->kill();
    gone(broker, false);
    start(i);
  }
}

void Cluster::inspect() {
  for (Broker& broker : brokers_) inspect(broker);
}

void Cluster::inspect(Broker& broker) {
  if (!broker.process || !broker.process->engine()) return;
  const auto& state = static_cast<const state::State&>(broker.process->engine()->catalog());
  const std::string halted = broker.process->engine()->status().halted;
  if (!halted.empty()) checker_.report(Violation::halted, broker.host + ": " + halted);
  if (true_clock_)
    checker_.clock_seen(broker.process->engine()->loop().wall_now().value -
                        true_clock_->wall_now().value);
  std::optional<Position> at = state.position();
  if (!at) return;
  Position from = broker.inspected.value_or(*at);
  for (Position p = from; p <= *at; p = p.next()) {
    std::optional<Hash128> digest = state.digest_at(p);
    if (!digest) continue;
    bool drifts = options_.canary == Canary::state_drifts && &broker == &brokers_.front();
    if (drifts && p.value % 100 == 50) digest->low ^= 1;
    checker_.digest(broker.host, p, *digest);
  }
  broker.inspected = *at;
  look_at_starts(state);
}

void Cluster::look_at_starts(const state::State& state) {
  if (!true_clock_) return;
  for (const auto& [id, retention] : checker_.retention()) {
    const state::TopicInfo* topic = state.topic(id);
    for (std::int32_t p = 0; topic && p < topic->partitions; ++p) {
      PartitionRef at{id, PartitionIndex(p)};
      auto info = state.partition(at);
      if (info) checker_.start_seen(at, info->start, info->bytes, true_clock_->wall_now().value);
    }
  }
}

Duration Cluster::draw_latency() {
  std::uint64_t micros = 50 + world_.random().below(500);
  if (world_.random().below(100) == 0) micros *= 50;
  return Duration(1us) * static_cast<std::int64_t>(micros);
}

void Cluster::deliver(std::size_t broker, Delivery delivery) {
  if (brokers_[broker].cut)
    brokers_[broker].held.push_back(std::move(delivery));
  else
    delivery();
}

void Cluster::heal(std::size_t index) {
  brokers_[index].cut = false;
  for (Delivery& delivery : std::exchange(brokers_[index].held, {})) delivery();
}

void Cluster::watch(std::size_t index, std::weak_ptr<Waiting> waiting) {
  Broker& broker = brokers_[index];
  if (broker.waiting.size() >= 256)
    std::erase_if(broker.waiting, [](const auto& weak) { return weak.expired(); });
  broker.waiting.push_back(std::move(waiting));
}

}  // namespace weir::sim
