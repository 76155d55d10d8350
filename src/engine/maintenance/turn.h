// Turn: of the jobs that hold many bytes, one works at a time, so memory is that of the largest.
//
//   auto turn = co_await context.turn.take();   // held until it is destroyed
#pragma once

#include <memory>

#include "rt/event.h"
#include "rt/task.h"

namespace weir::engine {

class Turn {
 public:
  explicit Turn(rt::Loop& loop) : free_(loop) {}

  struct GiveBack {
    void operator()(Turn* turn) const {
      turn->taken_ = false;
      turn->free_.notify_one();
    }
  };
  using Held = std::unique_ptr<Turn, GiveBack>;
  rt::Task<Held> take() {
    // Who holds it has the deadlines of the store and of its proposals.
    while (taken_) co_await free_.wait();
    taken_ = true;
    co_return Held(this);
  }

 private:
  rt::Event free_;
  bool taken_ = false;
};

}  // namespace weir::engine
