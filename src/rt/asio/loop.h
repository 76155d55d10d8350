// AsioLoop: a real thread that runs coroutines, watches sockets and keeps timers.
//
// What is posted runs in rounds; between rounds the loop looks at its sockets, so neither side
// starves. Posts from other threads gather in one list under a mutex, and only the first of a batch
// has to wake the loop. Time is CLOCK_BOOTTIME, which also runs while the machine is suspended:
// deadlines and leases that passed during a suspend have passed.
//
// A loop belongs to the thread that made it until `run` is called, then to the thread that runs it.
// It outlives every thread that posts to it, and every stream, listener and signal set made on it.
#pragma once

#include <atomic>
#include <coroutine>
#include <memory>
#include <optional>
#include <utility>

#include "rt/loop.h"
#include "rt/scope.h"
#include "rt/task.h"

namespace weir::rt::asio {

class AsioLoop final : public Loop {
 public:
  AsioLoop();
  ~AsioLoop() override;
  AsioLoop(const AsioLoop&) = delete;
  AsioLoop& operator=(const AsioLoop&) = delete;

  /// Makes the loop belong to the calling thread; `run` does it too.
  void adopt();
  /// Runs on the calling thread until `stop`. May be called again.
  void run();
  /// Makes `run` return after its present round; what is still posted then stays for the next run.
  /// From any thread.
  void stop();

  MonoTime now() const override;
  WallMillis wall_now() const override;
  void post(std::coroutine_handle<> handle) override;
  bool is_current() const override;
  TimerKey schedule(MonoTime at, std::coroutine_handle<> handle) override;
  bool cancel(TimerKey key) override;

  /// For the other files of this directory.
  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// The AsioLoop behind `loop`; any other kind is a wiring bug.
AsioLoop& asio_loop(Loop& loop);

/// Runs `loop` on this thread until `task` has ended: for main, tools and tests.
template <class T>
T block_on(AsioLoop& loop, Task<T> task);

namespace detail {

template <class T>
Task<void> run_and_stop(AsioLoop& loop, Task<T> task, std::optional<T>& result) {
  co_await yield(loop);
  result.emplace(co_await std::move(task));
  loop.stop();
}

}  // namespace detail

template <class T>
T block_on(AsioLoop& loop, Task<T> task) {
  std::optional<T> result;
  Scope scope(loop);
  scope.spawn(detail::run_and_stop(loop, std::move(task), result));
  while (scope.running() != 0) loop.run();
  return std::move(*result);
}

}  // namespace weir::rt::asio
