// TimerHeap: the timers of one loop, earliest first, equal times in order of scheduling.
//
// Nearly every wait has a deadline that does not come, so scheduling and cancelling are what
// matters: both are O(log n) and allocate nothing once the vectors have grown.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rt/loop.h"

namespace weir::rt::asio {

class TimerHeap {
 public:
  TimerKey add(MonoTime at, std::coroutine_handle<> handle);
  /// False if the key names no waiting timer (any more).
  bool cancel(TimerKey key);

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  /// Of the earliest timer; the heap is not empty.
  MonoTime first_at() const { return heap_.front().at; }
  /// Removes the earliest timer and returns what it resumes.
  std::coroutine_handle<> pop();

 private:
  struct Node {
    MonoTime at;
    std::uint64_t sequence;
    std::uint32_t slot;
    bool operator<(const Node& other) const {
      return at != other.at ? at < other.at : sequence < other.sequence;
    }
  };
  /// What a key names: the place of its node, and a generation that makes stale keys harmless.
  struct Slot {
    std::coroutine_handle<> handle;
    std::uint32_t place = 0;
    std::uint32_t generation = 1;
    bool used = false;
  };
  void place(std::size_t at, const Node& node);
  void sift_up(std::size_t at);
  void sift_down(std::size_t at);
  void remove(std::size_t at);

  std::vector<Node> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace weir::rt::asio
