// Loop: a thread that runs coroutines one at a time, and what time it is there.
//
// Everything that waits in weir waits on a Loop. A broker has one loop per lane and one for the
// state; in the simulation every node has a loop of its own, all driven by one virtual clock.
// Except for `post`, all functions are called on the loop's own thread.
#pragma once

#include <coroutine>
#include <cstdint>

#include "base/time.h"

namespace weir::rt {

/// Names a scheduled timer; 0 names none.
using TimerKey = std::uint64_t;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonoTime now() const = 0;
  virtual WallMillis wall_now() const = 0;
};

class Loop : public Clock {
 public:
  /// Resumes `handle` on this loop's thread, after what is already posted. From any thread.
  virtual void post(std::coroutine_handle<> handle) = 0;
  /// Whether the caller runs on this loop.
  virtual bool is_current() const = 0;
  /// Posts `handle` at `at`. The key stays valid until the timer fires or is cancelled.
  virtual TimerKey schedule(MonoTime at, std::coroutine_handle<> handle) = 0;
  /// False if the timer has fired (its handle is posted or has run).
  virtual bool cancel(TimerKey key) = 0;
};

/// co_await resume_on(loop): continue on that loop. Does nothing when already there.
inline auto resume_on(Loop& loop) {
  struct Awaiter {
    Loop& loop;
    bool await_ready() const { return loop.is_current(); }
    void await_suspend(std::coroutine_handle<> handle) const { loop.post(handle); }
    void await_resume() const {}
  };
  return Awaiter{loop};
}

/// co_await yield(loop): let everything that is already posted run first.
inline auto yield(Loop& loop) {
  struct Awaiter {
    Loop& loop;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) const { loop.post(handle); }
    void await_resume() const {}
  };
  return Awaiter{loop};
}

/// co_await sleep_until(loop, t). Not interruptible: for short waits; a loop that must stop waits
/// on an Event.
inline auto sleep_until(Loop& loop, MonoTime at) {
  struct Awaiter {
    Loop& loop;
    MonoTime at;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) const { loop.schedule(at, handle); }
    void await_resume() const {}
  };
  return Awaiter{loop, at};
}

inline auto sleep_for(Loop& loop, Duration d) { return sleep_until(loop, loop.now() + d); }

}  // namespace weir::rt
