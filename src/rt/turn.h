// Turn: one coroutine of a loop at a time.
//
// Held across suspensions, which is why it is no mutex: the holder may be away on another thread or
// wait for the store, and those who wait are suspended, not blocked. A wait ends when the holder's
// calls end, which have deadlines of their own. The holder may take it again before those who wait.
#pragma once

#include <utility>

#include "rt/event.h"
#include "rt/task.h"

namespace weir::rt {

class Turn {
 public:
  explicit Turn(Loop& loop) : given_(loop) {}

  /// Gives the turn back at its end.
  class Held {
   public:
    explicit Held(Turn& turn) : turn_(&turn) {}
    Held(Held&& other) noexcept : turn_(std::exchange(other.turn_, nullptr)) {}
    Held& operator=(Held&&) = delete;
    ~Held() {
      if (!turn_) return;
      turn_->taken_ = false;
      turn_->given_.notify_all();
    }

   private:
    Turn* turn_;
  };

  Task<Held> take() {
    while (taken_) co_await given_.wait();
    taken_ = true;
    co_return Held(*this);
  }

 private:
  bool taken_ = false;
  Event given_;
};

}  // namespace weir::rt
