// Queue<T>: a bounded queue between coroutines of one loop.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "rt/event.h"
#include "rt/task.h"

namespace weir::rt {

template <class T>
class Queue {
 public:
  Queue(Loop& loop, std::size_t items_max) : items_max_(items_max), changed_(loop) {}

  /// Waits for room. False if the queue is closed.
  Task<bool> push(T item) {
    while (!closed_ && items_.size() >= items_max_) co_await changed_.wait();
    if (closed_) co_return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    co_return true;
  }
  bool try_push(T item) {
    if (closed_ || items_.size() >= items_max_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }
  /// Waits for an item. Nothing once the queue is closed and empty.
  Task<std::optional<T>> pop() {
    while (items_.empty() && !closed_) co_await changed_.wait();
    if (items_.empty()) co_return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    changed_.notify_all();
    co_return item;
  }
  /// No more pushes; what is queued can still be popped.
  void close() {
    closed_ = true;
    changed_.notify_all();
  }
  std::size_t size() const { return items_.size(); }
  bool closed() const { return closed_; }

 private:
  std::size_t items_max_;
  std::deque<T> items_;
  bool closed_ = false;
  Event changed_;
};

}  // namespace weir::rt
