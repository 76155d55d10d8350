// SimWorld: virtual time, and everything that happens in it, in one order that a seed determines.
//
// An event is "at this time, resume that" or "at this time, do that". Events of equal time happen
// in the order in which they were made, so a run is a function of the seed and of the test. Nothing
// here reads a real clock, a real random number or an address, and the trace hash folds every event
// that has happened: two runs of one seed must end with equal hashes.
//
// Used by one thread. The world outlives whatever the test holds of it. When it ends, processes
// that still run are killed (see node.h).
#pragma once

#include <coroutine>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "rt/loop.h"
#include "rt/random.h"

namespace weir::rt::sim {

class JobRunner;
class SimDisk;
class SimFabric;
class SimLoop;
class SimNode;
struct SimNodeOptions;

class SimWorld {
 public:
  explicit SimWorld(std::uint64_t seed);
  ~SimWorld();
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;

  std::uint64_t seed() const { return seed_; }
  /// The world's own clock. Processes see theirs, which differ.
  MonoTime now() const { return now_; }
  Random& random() { return random_; }

  /// Starts a process on the machine `host`. A process of that host must have ended before.
  SimNode& start_node(const SimNodeOptions& options);
  /// The living process of a host, or null.
  SimNode* node(std::string_view host);
  SimFabric& fabric() { return *fabric_; }
  /// The disk of a machine; outlives its processes.
  SimDisk& disk(const std::string& machine);
  /// The machine goes dark: its processes end, peers hear nothing, and its disk loses what was not
  /// synced. Starting a node switches its host on again.
  void lose_power(const std::string& machine);

  /// Runs everything up to and including `t`; the clock then shows `t`.
  void run_until(MonoTime t);
  void run_for(Duration d) { run_until(now_ + d); }
  /// Runs while `predicate()` holds. False if it still held after `limit` or with nothing left to
  /// happen.
  bool run_while(const std::function<bool()>& predicate, Duration limit);

  /// Hash of everything that has happened so far.
  std::uint64_t trace_hash() const { return trace_; }
  /// Adds something to the trace: results, decisions.
  void note(std::string_view what, std::uint64_t value = 0);

  using Action = std::move_only_function<void()>;
  /// Does `action` at `at`. If `owner` is given, the action belongs to that process: it waits while
  /// the process is paused, and never happens once it is dead.
  void at(MonoTime at, SimNode* owner, Action action);
  void after(Duration d, SimNode* owner, Action action) { at(now_ + d, owner, std::move(action)); }
  JobRunner& jobs() { return *jobs_; }

 private:
  friend class SimLoop;
  friend class SimNode;

  struct Event {
    SimNode* owner = nullptr;
    SimLoop* loop = nullptr;
    std::coroutine_handle<> handle;
    Action action;
  };
  using Place = std::pair<MonoTime, std::uint64_t>;
  std::uint64_t add(MonoTime at, Event event);
  bool cancel(std::uint64_t sequence);
  bool step(MonoTime limit);
  void happen(Place place, Event event);
  void mix(std::uint64_t value);
  void drop_events_of(const SimNode& node);
  void release_held(SimNode& node);

  std::uint64_t seed_;
  SeededRandom random_;
  MonoTime now_{};
  std::uint64_t next_sequence_ = 1;
  std::uint64_t trace_;
  std::uint64_t events_this_instant_ = 0;
  SimLoop* current_ = nullptr;
  std::map<Place, Event> events_;
  std::unordered_map<std::uint64_t, MonoTime> timers_;
  std::map<std::string, std::unique_ptr<SimDisk>> disks_;
  /// Dead ones too: connections and events still name them.
  std::vector<std::unique_ptr<SimNode>> nodes_;
  std::unique_ptr<SimFabric> fabric_;
  std::unique_ptr<JobRunner> jobs_;
};

}  // namespace weir::rt::sim
