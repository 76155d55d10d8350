#include "tests/sim/nemesis.h"

#include <limits>

#include "base/narrow.h"
#include "rt/sim/disk.h"
#include "rt/sim/fabric.h"

namespace weir::sim {

Duration Nemesis::between(Duration min, Duration max) {
  return min + Duration(static_cast<std::int64_t>(
                   random_.below(static_cast<std::uint64_t>((max - min).count()) + 1)));
}

void Nemesis::note(const char* what, std::uint64_t value) {
  ++faults_;
  ++by_kind_[what];
  cluster_.world().note(what, value);
}

void Nemesis::start_later(std::size_t broker, Duration after) {
  cluster_.world().after(after, nullptr, [this, broker] {
    if (!cluster_.alive(broker)) cluster_.start(broker);
  });
}

Duration Nemesis::strike() {
  bool files = cluster_.options().backend == Backend::files;
  if (!client_hosts_.empty() && random_.below(4) == 0) {
    bad_network();
    return between(300ms, 3s);
  }
  switch (random_.below(13)) {
    case 0:
    case 1: kill_one(); break;
    case 2: kill_all(); break;
    case 3:
    case 4: pause_one(); break;
    case 5: stop_one(); break;
    case 6: files ? power_loss() : bad_weather(); break;
    case 7: partition(); break;
    case 8: clock_jump(); break;
    case 9: full_disk(); break;
    case 10: vanish_one(); break;
    default: files ? bad_disk() : bad_weather(); break;
  }
  return between(300ms, 4s);
}

void Nemesis::kill_one() {
  std::size_t broker = random_.below(cluster_.size());
  note("kill", broker);
  cluster_.kill(broker);
  start_later(broker, between(50ms, 6s));
}

void Nemesis::vanish_one() {
  std::size_t broker = random_.below(cluster_.size());
  note("vanish", broker);
  cluster_.vanish(broker);
  start_later(broker, between(1s, 6s));
}

void Nemesis::bad_network() {
  rt::sim::SimFabric& fabric = cluster_.world().fabric();
  const std::string& client = client_hosts_[random_.below(client_hosts_.size())];
  const std::string& broker = cluster_.host(random_.below(cluster_.size()));
  switch (random_.below(4)) {
    case 0:
      note("reset");
      fabric.reset_connections(client, broker);
      return;
    case 1:
      note("slow link");
      fabric.set_link(client, broker, {20ms, 300ms, 20, 100'000});
      cluster_.world().after(between(500ms, 6s), nullptr,
                             [&fabric, client, broker] { fabric.set_link(client, broker, {}); });
      return;
    case 2:
      note("one-way cut");
      fabric.block(broker, client);
      break;
    default:
      note("cut");
      fabric.partition(client, broker);
      break;
  }
  cluster_.world().after(between(100ms, 10s), nullptr,
                         [&fabric, client, broker] { fabric.heal(client, broker); });
}

void Nemesis::kill_all() {
  note("kill all");
  for (std::size_t i = 0; i < cluster_.size(); ++i) {
    cluster_.kill(i);
    start_later(i, between(50ms, 3s));
  }
}

void Nemesis::pause_one() {
  std::size_t broker = random_.below(cluster_.size());
  note("pause", broker);
  if (!cluster_.alive(broker) || cluster_.paused(broker)) return;
  cluster_.pause(broker);
  std::uint64_t generation = cluster_.generation(broker);
  // Often longer than the session time-out: the others expire it, and it does not know.
  cluster_.world().after(between(200ms, 12s), nullptr, [this, broker, generation] {
    if (cluster_.generation(broker) == generation) cluster_.resume(broker);
  });
}

void Nemesis::stop_one() {
  std::size_t broker = random_.below(cluster_.size());
  note("stop", broker);
  cluster_.stop(broker, 5s);
  start_later(broker, between(5s, 8s));
}

void Nemesis::power_loss() {
  note("power loss");
  cluster_.lose_power();
  for (std::size_t i = 0; i < cluster_.size(); ++i) start_later(i, between(500ms, 4s));
}

void Nemesis::partition() {
  std::size_t broker = random_.below(cluster_.size());
  note("partition", broker);
  cluster_.cut(broker);
  cluster_.world().after(between(100ms, 8s), nullptr, [this, broker] { cluster_.heal(broker); });
}

void Nemesis::clock_jump() {
  // Retention is right as long as most clocks are: one broker believes in next year.
  bool one_only = cluster_.options().one_wrong_clock;
  std::size_t broker = one_only ? 0 : random_.below(cluster_.size());
  note("clock jump", broker);
  Duration by = one_only ? Duration(24h * 365) : between(0s, 4h) - 2h;
  if (rt::sim::SimNode* node = cluster_.node(broker)) node->jump_wall_clock(by);
}

void Nemesis::bad_weather() {
  Weather& weather = cluster_.weather();
  auto rate = [this](std::uint32_t max_percent) {
    return narrow<std::uint32_t>(random_.below(std::uint64_t{max_percent} * 10'000 + 1));
  };
  weather = Weather{};
  switch (random_.below(6)) {
    case 0:
      note("slow store");
      weather.latency_min = 20ms;
      weather.latency_max = between(50ms, 500ms);
      break;
    case 1:
      note("refusals");
      weather.refused_ppm = rate(80);
      break;
    case 2:
      note("lost replies");
      weather.reply_lost_ppm = rate(50);
      weather.request_lost_ppm = rate(20);
      break;
    case 3:
      note("late writes");
      weather.late_ppm = rate(50);
      weather.late_max = between(1s, 15s);
      break;
    case 4:
      note("storm");
      weather.down = true;
      break;
    default:
      note("everything");
      weather.refused_ppm = rate(10);
      weather.reply_lost_ppm = rate(10);
      weather.request_lost_ppm = rate(10);
      weather.late_ppm = rate(10);
      weather.latency_max = between(3ms, 100ms);
      break;
  }
  std::uint64_t turn = ++weather_turn_;
  cluster_.world().after(between(500ms, 6s), nullptr, [this, turn] {
    if (turn == weather_turn_ && !mended_) cluster_.weather() = Weather{};
  });
}

void Nemesis::bad_disk() {
  rt::sim::SimDisk& disk = cluster_.world().disk(Cluster::kMachine);
  if (random_.below(2) == 0) {
    note("disk fails some calls");
    disk.fail_next(1 + random_.below(20));
    return;
  }
  note("disk errors");
  disk.set_error_ppm(narrow<std::uint32_t>(random_.below(200'000)));
  cluster_.world().after(between(200ms, 3s), nullptr, [&disk] { disk.set_error_ppm(0); });
}

void Nemesis::full_disk() {
  note("full disk");
  if (cluster_.options().backend == Backend::files) {
    rt::sim::SimDisk& disk = cluster_.world().disk(Cluster::kMachine);
    disk.set_capacity(disk.used() + random_.below(100'000));
    cluster_.world().after(between(500ms, 5s), nullptr, [&disk] {
      disk.set_capacity(std::numeric_limits<std::uint64_t>::max());
    });
    return;
  }
  cluster_.weather().full = true;
  cluster_.world().after(between(500ms, 5s), nullptr, [this] { cluster_.weather().full = false; });
}

void Nemesis::mend() {
  mended_ = true;
  cluster_.weather() = Weather{};
  if (cluster_.options().canary == Canary::store_stays_down) cluster_.weather().down = true;
  if (cluster_.options().backend == Backend::files) {
    rt::sim::SimDisk& disk = cluster_.world().disk(Cluster::kMachine);
    disk.set_capacity(std::numeric_limits<std::uint64_t>::max());
    disk.set_error_ppm(0);
    disk.fail_next(0);
  }
  cluster_.world().fabric().heal_all();
  for (const std::string& client : client_hosts_)
    for (std::size_t i = 0; i < cluster_.size(); ++i)
      cluster_.world().fabric().set_link(client, cluster_.host(i), {});
  for (std::size_t i = 0; i < cluster_.size(); ++i) {
    cluster_.heal(i);
    cluster_.resume(i);
    if (!cluster_.alive(i)) cluster_.start(i);
  }
}

}  // namespace weir::sim
