#include "rt/asio/timer_heap.h"

#include "base/ensure.h"
#include "base/narrow.h"

namespace weir::rt::asio {

TimerKey TimerHeap::add(MonoTime at, std::coroutine_handle<> handle) {
  if (free_slots_.empty()) {
    free_slots_.push_back(narrow<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  std::uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[index];
  slot.handle = handle;
  slot.used = true;
  heap_.push_back({at, next_sequence_++, index});
  place(heap_.size() - 1, heap_.back());
  sift_up(heap_.size() - 1);
  return TimerKey{slot.generation} << 32 | index;
}

bool TimerHeap::cancel(TimerKey key) {
  auto index = static_cast<std::uint32_t>(key);
  if (index >= slots_.size()) return false;
  const Slot& slot = slots_[index];
  if (!slot.used || slot.generation != key >> 32) return false;
  remove(slot.place);
  return true;
}

std::coroutine_handle<> TimerHeap::pop() {
  ENSURE(!heap_.empty());
  std::coroutine_handle<> handle = slots_[heap_.front().slot].handle;
  remove(0);
  return handle;
}

void TimerHeap::place(std::size_t at, const Node& node) {
  heap_[at] = node;
  slots_[node.slot].place = narrow<std::uint32_t>(at);
}

void TimerHeap::sift_up(std::size_t at) {
  Node node = heap_[at];
  while (at > 0 && node < heap_[(at - 1) / 2]) {
    place(at, heap_[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  place(at, node);
}

void TimerHeap::sift_down(std::size_t at) {
  Node node = heap_[at];
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
    if (!(heap_[child] < node)) break;
    place(at, heap_[child]);
    at = child;
  }
  place(at, node);
}

void TimerHeap::remove(std::size_t at) {
  std::uint32_t index = heap_[at].slot;
  Node last = heap_.back();
  heap_.pop_back();
  if (at < heap_.size()) {
    place(at, last);
    sift_up(at);
    sift_down(slots_[last.slot].place);
  }
  Slot& slot = slots_[index];
  slot.used = false;
  // Generation 0 is skipped: key 0 names no timer.
  if (++slot.generation == 0) slot.generation = 1;
  free_slots_.push_back(index);
}

}  // namespace weir::rt::asio
