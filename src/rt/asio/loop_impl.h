// The inside of AsioLoop, for the files of this directory that wait on descriptors.
#pragma once

#include <pthread.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <mutex>
#include <vector>

#include "rt/asio/loop.h"
#include "rt/asio/timer_heap.h"

namespace weir::rt::asio {

struct AsioLoop::Impl {
  Impl();

  void adopt() { owner_.store(pthread_self(), std::memory_order_relaxed); }
  void run();
  void stop();
  void post(std::coroutine_handle<> handle);
  bool is_current() const {
    return pthread_equal(owner_.load(std::memory_order_relaxed), pthread_self()) != 0;
  }

  /// Constructed with hint 1: one thread runs it, others may still post to it.
  boost::asio::io_context context{1};
  TimerHeap timers;

 private:
  void run_ready();
  void drain_inbox();
  void fire_timers();
  void poll_or_sleep();
  void arm_timer();
  void watch_timer();

  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::atomic<pthread_t> owner_;
  std::atomic<bool> stopping_{false};

  // The loop's own thread only.
  std::vector<std::coroutine_handle<>> ready_;
  std::vector<std::coroutine_handle<>> running_;

  /// Set while something may be in `inbox_`, to spare the mutex.
  std::atomic<bool> inbox_filled_{false};
  std::mutex mutex_;
  std::vector<std::coroutine_handle<>> inbox_;
  bool sleeping_ = false;

  /// A timerfd, since asio's own timers stand still while the machine is suspended.
  boost::asio::posix::stream_descriptor timer_;
  /// When it will fire; far in the future if it is not armed.
  MonoTime armed_at_ = MonoTime::max();
};

/// CLOCK_BOOTTIME.
MonoTime boot_time_now();

}  // namespace weir::rt::asio
