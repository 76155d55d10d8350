#include "rt/sim/node.h"

#include "rt/sim/fabric.h"
#include "rt/sim/file_system.h"
#include "rt/sim/jobs.h"
#include "rt/sim/leak.h"
#include "rt/sim/network.h"
#include "rt/sim/workers.h"

namespace weir::rt::sim {

namespace {

constexpr std::int64_t kMillion = 1'000'000;
/// What the world's wall clock shows at its beginning: 2026-01-01.
constexpr std::int64_t kWallStartMs = 1'767'225'600'000;

std::int64_t scale(std::int64_t value, std::int64_t by, std::int64_t over) {
  return static_cast<std::int64_t>(static_cast<__int128>(value) * by / over);
}

Task<void> run_on(SimLoop& loop, Task<void> task) {
  co_await resume_on(loop);
  co_await std::move(task);
}

}  // namespace

MonoTime SimLoop::now() const { return node_.mono_now(); }
WallMillis SimLoop::wall_now() const { return node_.wall_now(); }

void SimLoop::post(std::coroutine_handle<> handle) {
  SimWorld::Event event{&node_, this, handle, {}};
  if (!node_.alive()) return node_.bury(std::move(event));
  world_.add(world_.now(), std::move(event));
}

TimerKey SimLoop::schedule(MonoTime at, std::coroutine_handle<> handle) {
  MonoTime due = std::max(node_.to_world(at), world_.now());
  TimerKey key = world_.add(due, {&node_, this, handle, {}});
  world_.timers_.emplace(key, due);
  return key;
}

SimLoop& sim_loop(Loop& loop) {
  auto* simulated = dynamic_cast<SimLoop*>(&loop);
  ENSURE(simulated != nullptr);
  return *simulated;
}

SimNode::SimNode(SimWorld& world, const SimNodeOptions& options, std::uint64_t number)
    : world_(world),
      options_(options),
      number_(number),
      random_(world.random().next()),
      // Some machines have been up for long: nobody may take one's monotonic time for another's.
      mono_start_(Duration(1h) * static_cast<std::int64_t>(1 + random_.below(1000))),
      world_start_(world.now()) {
  make_loop();
  tasks_ = std::make_unique<Scope>(loop());
  network_ = std::make_unique<SimNetwork>(*this);
  files_ = std::make_unique<SimFileSystem>(*this, world.disk(machine()));
  workers_ = std::make_unique<SimWorkers>(*this);
}

SimNode::~SimNode() {
  ENSURE(!alive_);
  if (remains_ != nullptr) leak_on_purpose(remains_);
}

SimLoop& SimNode::make_loop() {
  loops_.push_back(std::make_unique<SimLoop>(world_, *this, loops_.size()));
  return *loops_.back();
}

void SimNode::spawn(Task<void> task) {
  ENSURE(alive_);
  tasks_->spawn(run_on(loop(), std::move(task)));
}

void SimNode::die(bool silently) {
  ENSURE(alive_);
  alive_ = false;
  remains_ = new Remains;  // LINT(new): never deleted, see the head of node.h.
  remains_->objects = std::move(objects_);
  remains_->tasks = std::move(tasks_);
  world_.drop_events_of(*this);
  for (SimWorld::Event& event : held_) bury(std::move(event));
  held_.clear();
  world_.fabric().on_death(*this, silently);
  files_->release_everything();
  world_.jobs().cancel_jobs_of(*this);
}

void SimNode::exit() {
  ENSURE(alive_);
  ENSURE(running() == 0);
  while (!objects_.empty()) objects_.pop_back();
  die(false);
}

void SimNode::resume() {
  paused_ = false;
  world_.release_held(*this);
}

void SimNode::bury(SimWorld::Event event) {
  // Timers and posts of the dead keep their frames reachable; nothing runs them.
  remains_->events.push_back(std::move(event));
}

MonoTime SimNode::mono_now() const {
  std::int64_t passed = (world_.now() - world_start_).count();
  return mono_start_ + Duration(scale(passed, options_.clock_rate_ppm, kMillion));
}

MonoTime SimNode::to_world(MonoTime at) const {
  if (at > mono_start_ + 100'000h) return world_start_ + 100'000h;
  std::int64_t shown = (at - mono_start_).count();
  std::int64_t passed = scale(shown, kMillion, options_.clock_rate_ppm);
  // Rounded up, so that the clock shows at least `at` when the timer fires.
  if (scale(passed, options_.clock_rate_ppm, kMillion) < shown) ++passed;
  return world_start_ + Duration(passed);
}

WallMillis SimNode::wall_now() const {
  Duration since = world_.now().time_since_epoch() + options_.wall_skew + wall_jump_;
  return WallMillis(kWallStartMs + since.count() / 1'000'000);
}

}  // namespace weir::rt::sim
