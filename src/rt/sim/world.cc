#include "rt/sim/world.h"

#include <array>

#include "base/hash.h"
#include "rt/sim/disk.h"
#include "rt/sim/fabric.h"
#include "rt/sim/jobs.h"
#include "rt/sim/limits.h"
#include "rt/sim/node.h"

namespace weir::rt::sim {

SimWorld::SimWorld(std::uint64_t seed)
    : seed_(seed),
      random_(seed),
      trace_(seed),
      fabric_(std::make_unique<SimFabric>(*this)),
      jobs_(std::make_unique<JobRunner>(*this)) {}

SimWorld::~SimWorld() {
  for (auto& process : nodes_) {
    if (process->alive()) process->vanish();
  }
  events_.clear();
}

SimNode& SimWorld::start_node(const SimNodeOptions& options) {
  ENSURE(!options.host.empty());
  ENSURE(node(options.host) == nullptr);
  fabric_->switch_on(options.host);
  nodes_.push_back(std::make_unique<SimNode>(*this, options, nodes_.size() + 1));
  return *nodes_.back();
}

SimNode* SimWorld::node(std::string_view host) {
  for (auto& process : nodes_) {
    if (process->alive() && process->host() == host) return process.get();
  }
  return nullptr;
}

SimDisk& SimWorld::disk(const std::string& machine) {
  auto& disk = disks_[machine];
  if (!disk) disk = std::make_unique<SimDisk>(random_.next());
  return *disk;
}

void SimWorld::lose_power(const std::string& machine) {
  for (auto& process : nodes_) {
    if (!process->alive() || process->machine() != machine) continue;
    process->vanish();
    fabric_->switch_off(process->host());
  }
  disk(machine).lose_power();
}

void SimWorld::run_until(MonoTime t) {
  while (step(t)) {
  }
  now_ = std::max(now_, t);
}

bool SimWorld::run_while(const std::function<bool()>& predicate, Duration limit) {
  MonoTime end = now_ + limit;
  while (predicate()) {
    if (!step(end)) return false;
  }
  return true;
}

void SimWorld::mix(std::uint64_t value) {
  std::array<std::uint64_t, 1> word{value};
  trace_ = hash64(std::as_bytes(std::span(word)), trace_);
}

void SimWorld::note(std::string_view what, std::uint64_t value) {
  trace_ = hash64(as_bytes(what), trace_);
  mix(value);
}

void SimWorld::at(MonoTime at, SimNode* owner, Action action) {
  add(at, {owner, nullptr, nullptr, std::move(action)});
}

std::uint64_t SimWorld::add(MonoTime at, Event event) {
  std::uint64_t sequence = next_sequence_++;
  events_.emplace(Place{std::max(at, now_), sequence}, std::move(event));
  return sequence;
}

bool SimWorld::cancel(std::uint64_t sequence) {
  auto timer = timers_.find(sequence);
  if (timer == timers_.end()) return false;
  events_.erase({timer->second, sequence});
  timers_.erase(timer);
  return true;
}

bool SimWorld::step(MonoTime limit) {
  if (events_.empty() || events_.begin()->first.first > limit) return false;
  auto taken = events_.extract(events_.begin());
  Place place = taken.key();
  events_this_instant_ = place.first == now_ ? events_this_instant_ + 1 : 0;
  ENSURE(events_this_instant_ < kEventsPerInstantMax);
  now_ = place.first;
  timers_.erase(place.second);
  happen(place, std::move(taken.mapped()));
  return true;
}

void SimWorld::happen(Place place, Event event) {
  if (event.owner != nullptr) {
    if (!event.owner->alive_) return event.owner->bury(std::move(event));
    if (event.owner->paused_) return event.owner->held_.push_back(std::move(event));
  }
  mix(static_cast<std::uint64_t>(place.first.time_since_epoch().count()));
  mix(place.second);
  mix(event.owner != nullptr ? event.owner->number_ : 0);
  if (event.handle) {
    current_ = event.loop;
    event.handle.resume();
  } else {
    event.action();
  }
  current_ = nullptr;
}

void SimWorld::drop_events_of(const SimNode& node) {
  for (auto it = events_.begin(); it != events_.end();) {
    auto next = std::next(it);
    if (it->second.owner == &node) {
      timers_.erase(it->first.second);
      it->second.owner->bury(std::move(it->second));
      events_.erase(it);
    }
    it = next;
  }
}

void SimWorld::release_held(SimNode& node) {
  while (!node.held_.empty()) {
    add(now_, std::move(node.held_.front()));
    node.held_.pop_front();
  }
}

}  // namespace weir::rt::sim
