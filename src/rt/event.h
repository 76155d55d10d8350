// Event: what coroutines of one loop wait on for each other, with a deadline.
//
// `notify_all` wakes the present waiters once; it is not a flag, so a waiter checks its condition
// in a loop. Used on one loop only. All waiters must be gone before an Event dies.
#pragma once

#include <coroutine>
#include <optional>

#include "base/ensure.h"
#include "rt/loop.h"
#include "rt/task.h"

namespace weir::rt {

class Event {
 public:
  explicit Event(Loop& loop) : loop_(loop) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { ENSURE(first_ == nullptr); }

  class Awaiter {
   public:
    Awaiter(Event& event, std::optional<MonoTime> deadline) : event_(event), deadline_(deadline) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    /// Also for a waiter that is destroyed while it is suspended.
    ~Awaiter() {
      if (!linked_) return;
      unlink();
      if (timer_ != 0) event_.loop_.cancel(timer_);
    }
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      handle_ = handle;
      link();
      if (deadline_) timer_ = event_.loop_.schedule(*deadline_, handle);
    }
    /// True when notified, false when the deadline came first.
    bool await_resume() {
      if (!linked_) return true;
      unlink();
      return false;
    }

   private:
    friend class Event;
    void link() {
      linked_ = true;
      previous_ = event_.last_;
      (previous_ ? previous_->next_ : event_.first_) = this;
      event_.last_ = this;
    }
    void unlink() {
      (previous_ ? previous_->next_ : event_.first_) = next_;
      (next_ ? next_->previous_ : event_.last_) = previous_;
      next_ = previous_ = nullptr;
      linked_ = false;
    }

    Event& event_;
    std::optional<MonoTime> deadline_;
    std::coroutine_handle<> handle_;
    TimerKey timer_ = 0;
    Awaiter* next_ = nullptr;
    Awaiter* previous_ = nullptr;
    bool linked_ = false;
  };

  /// co_await event.wait(): until notified.
  Awaiter wait() { return {*this, std::nullopt}; }
  /// co_await event.wait_until(t): true if notified, false if `t` came first.
  Awaiter wait_until(MonoTime deadline) { return {*this, deadline}; }

  void notify_all() {
    while (first_) wake(*first_);
  }
  void notify_one() {
    if (first_) wake(*first_);
  }
  bool has_waiters() const { return first_ != nullptr; }

 private:
  void wake(Awaiter& waiter) {
    waiter.unlink();
    // A timer that has fired already posted the handle; the waiter then merely learns that it was
    // notified too.
    if (waiter.timer_ == 0 || loop_.cancel(waiter.timer_)) loop_.post(waiter.handle_);
  }

  Loop& loop_;
  Awaiter* first_ = nullptr;
  Awaiter* last_ = nullptr;
};

}  // namespace weir::rt
