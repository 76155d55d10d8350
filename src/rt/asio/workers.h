// ThreadWorkers: real threads for work that blocks or takes long.
//
// The list of waiting jobs has no limit of its own: each job stands for a suspended coroutine, and
// what starts those (flushes, fetches, connects) is limited where it starts.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "rt/workers.h"

namespace weir::rt::asio {

class ThreadWorkers final : public Workers {
 public:
  /// At least one thread. `name` shows in debuggers.
  ThreadWorkers(std::string name, std::size_t threads);
  /// Runs what was submitted, then joins the threads.
  ~ThreadWorkers() override;
  ThreadWorkers(const ThreadWorkers&) = delete;
  ThreadWorkers& operator=(const ThreadWorkers&) = delete;

  void submit(std::move_only_function<void()> work) override;

 private:
  void run();

  std::string name_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::move_only_function<void()>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace weir::rt::asio
