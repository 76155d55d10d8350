// SimNode: one process, on a machine, in a SimWorld.
//
// A real process that is killed runs no destructor, and neither does this one: from that moment
// nothing of it ever runs again. Its coroutine frames, and the objects that it made with `make`,
// are leaked on purpose; leak checkers are told. So whatever a process consists of must be made
// with `make` and started with `spawn`: then a test may kill it at any instant. An orderly `exit`
// destroys the objects, newest first, after all tasks have ended.
//
// Its clocks are its own: monotonic time starts at a random point and may run at a wrong rate, the
// wall clock may be wrong and jump.
#pragma once

#include <concepts>
#include <coroutine>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rt/files.h"
#include "rt/loop.h"
#include "rt/random.h"
#include "rt/scope.h"
#include "rt/sim/world.h"
#include "rt/stream.h"
#include "rt/task.h"
#include "rt/workers.h"

namespace weir::rt::sim {

class SimFileSystem;

struct SimNodeOptions {
  std::string host;
  /// Whose disk it sees; several hosts may share one. Empty: that of `host`.
  std::string machine = {};
  /// Added to the true wall time.
  Duration wall_skew = 0ms;
  /// Speed of the monotonic clock in millionths: 1'000'000 is right.
  std::int64_t clock_rate_ppm = 1'000'000;
};

/// One thread of a process. Others of the same process may post to it.
class SimLoop final : public Loop {
 public:
  SimLoop(SimWorld& world, SimNode& node, std::uint64_t number)
      : world_(world), node_(node), number_(number) {}

  MonoTime now() const override;
  WallMillis wall_now() const override;
  void post(std::coroutine_handle<> handle) override;
  bool is_current() const override { return world_.current_ == this; }
  TimerKey schedule(MonoTime at, std::coroutine_handle<> handle) override;
  bool cancel(TimerKey key) override { return world_.cancel(key); }

  SimNode& node() { return node_; }
  /// In order of making, for the trace.
  std::uint64_t number() const { return number_; }

 private:
  SimWorld& world_;
  SimNode& node_;
  std::uint64_t number_;
};

/// The SimLoop behind `loop`; any other kind is a wiring bug.
SimLoop& sim_loop(Loop& loop);

class SimNode {
 public:
  SimNode(SimWorld& world, const SimNodeOptions& options, std::uint64_t number);
  ~SimNode();
  SimNode(const SimNode&) = delete;
  SimNode& operator=(const SimNode&) = delete;

  const std::string& host() const { return options_.host; }
  const std::string& machine() const {
    return options_.machine.empty() ? options_.host : options_.machine;
  }
  SimWorld& world() { return world_; }
  bool alive() const { return alive_; }
  bool paused() const { return paused_; }

  SimLoop& loop() { return *loops_.front(); }
  /// A further thread of this process.
  SimLoop& make_loop();
  Network& network() { return *network_; }
  SimFileSystem& files() { return *files_; }
  Workers& workers() { return *workers_; }
  Random& random() { return random_; }

  /// An object that lives until the process exits; see above.
  template <class T, class... Args>
  T& make(Args&&... args) {
    auto object = std::make_unique<Held<T>>(std::forward<Args>(args)...);
    T& reference = object->value;
    objects_.push_back(std::move(object));
    return reference;
  }
  /// Starts a task of the process, on its first loop.
  void spawn(Task<void> task);
  /// Tasks started with `spawn` that have not ended; 0 once the process is dead.
  std::size_t running() const { return tasks_ ? tasks_->running() : 0; }

  /// Ends the process at once. Its connections break (some as an orderly end, some as a reset); its
  /// file locks are free.
  void kill() { die(false); }
  /// As `kill`, but peers hear nothing: a dead machine or a cut cable.
  void vanish() { die(true); }
  /// After all tasks have ended: destroys what `make` made.
  void exit();
  /// Time passes, the process does not; the kernel still takes data in.
  void pause() { paused_ = true; }
  void resume();

  void jump_wall_clock(Duration by) { wall_jump_ += by; }

  MonoTime mono_now() const;
  WallMillis wall_now() const;
  /// The world's time when this process's clock shows `at`.
  MonoTime to_world(MonoTime at) const;

 private:
  friend class SimLoop;
  friend class SimWorld;

  struct HeldBase {
    virtual ~HeldBase() = default;
  };
  template <class T>
  struct Held final : HeldBase {
    template <class... Args>
    explicit Held(Args&&... args) : value(std::forward<Args>(args)...) {}
    T value;
  };
  /// Everything that must never be destroyed after a kill.
  struct Remains {
    std::vector<std::unique_ptr<HeldBase>> objects;
    std::vector<SimWorld::Event> events;
    std::unique_ptr<Scope> tasks;
  };
  void die(bool silently);
  void bury(SimWorld::Event event);

  SimWorld& world_;
  SimNodeOptions options_;
  std::uint64_t number_;
  SeededRandom random_;
  bool alive_ = true;
  bool paused_ = false;
  MonoTime mono_start_;
  MonoTime world_start_;
  Duration wall_jump_{0};
  std::vector<std::unique_ptr<SimLoop>> loops_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<SimFileSystem> files_;
  std::unique_ptr<Workers> workers_;
  std::unique_ptr<Scope> tasks_;
  std::vector<std::unique_ptr<HeldBase>> objects_;
  /// What came due while paused.
  std::deque<SimWorld::Event> held_;
  Remains* remains_ = nullptr;
};

}  // namespace weir::rt::sim
