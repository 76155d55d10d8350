// Scope: owns tasks that run beside their starter, and joins them.
//
// Every spawned task belongs to a Scope; a Scope must be joined before it dies, so nothing outlives
// what it refers to. Used on one loop; a task that hops to another loop hops back before it ends.
#pragma once

#include <cstddef>

#include "rt/event.h"
#include "rt/loop.h"
#include "rt/task.h"

namespace weir::rt {

class Scope {
 public:
  explicit Scope(Loop& loop) : loop_(loop), idle_(loop) {}
  ~Scope() { ENSURE(running_ == 0); }

  /// Runs `task` up to its first suspension now, the rest as it becomes ready.
  void spawn(Task<void> task) {
    ++running_;
    run(this, std::move(task));
  }
  std::size_t running() const { return running_; }

  /// Waits until all tasks, also those spawned meanwhile, have ended.
  Task<void> join() {
    while (running_ != 0) co_await idle_.wait();
  }

 private:
  /// The frame that runs one task. Frames are linked, so that whoever can reach a scope (a
  /// debugger, a leak checker after a simulated kill) can reach what it runs.
  struct Detached {
    struct promise_type {
      promise_type(Scope* owner, const Task<void>&) : scope(owner), next(owner->first_) {
        if (next) next->previous = this;
        scope->first_ = this;
      }
      ~promise_type() {
        (previous ? previous->next : scope->first_) = next;
        if (next) next->previous = previous;
      }
      promise_type(const promise_type&) = delete;
      promise_type& operator=(const promise_type&) = delete;
      Detached get_return_object() { return {}; }
      std::suspend_never initial_suspend() noexcept { return {}; }
      std::suspend_never final_suspend() noexcept { return {}; }
      void return_void() {}
      [[noreturn]] void unhandled_exception() {
        ensure_failed("no exception leaves a task", __FILE__, __LINE__);
      }
      Scope* scope;
      promise_type* next;
      promise_type* previous = nullptr;
    };
  };
  static Detached run(Scope* scope, Task<void> task) {
    co_await std::move(task);
    co_await resume_on(scope->loop_);
    if (--scope->running_ == 0) scope->idle_.notify_all();
  }

  Loop& loop_;
  Event idle_;
  std::size_t running_ = 0;
  Detached::promise_type* first_ = nullptr;
};

}  // namespace weir::rt
