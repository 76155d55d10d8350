// Fiber: a function on a stack of its own that can be left in the middle and entered again.
//
// Blocking code in the simulation (file calls inside worker jobs) has to give way to the rest of
// the world and continue later. Real threads handed over by semaphores would do, but each hand-over
// waits for the system's scheduler; a switch of stacks takes a fraction of a microsecond.
#pragma once

#include <functional>
#include <memory>

namespace weir::rt::sim {

class Fiber {
 public:
  /// `body` starts with the first `resume`.
  explicit Fiber(std::move_only_function<void()> body);
  /// A finished fiber begins anew with another body, on the stack that it has: making one costs
  /// more than most bodies do.
  void restart(std::move_only_function<void()> body);
  /// Finished, or never started.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// From outside: runs until the body ends or calls `suspend`.
  void resume();
  /// From inside: returns in the next `resume`.
  void suspend();
  bool finished() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::rt::sim
