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
  struct Detached {
    struct promise_type {
      Detached get_return_object() { return {}; }
      std::suspend_never initial_suspend() noexcept { return {}; }
      std::suspend_never final_suspend() noexcept { return {}; }
      void return_void() {}
      [[noreturn]] void unhandled_exception() {
        ensure_failed("no exception leaves a task", __FILE__, __LINE__);
      }
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
};

}  // namespace weir::rt
