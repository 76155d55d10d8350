#include "rt/asio/workers.h"

#include "base/ensure.h"
#include "rt/asio/thread_name.h"

namespace weir::rt::asio {

ThreadWorkers::ThreadWorkers(std::string name, std::size_t threads) : name_(std::move(name)) {
  ENSURE(threads > 0);
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

ThreadWorkers::~ThreadWorkers() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadWorkers::submit(std::move_only_function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void ThreadWorkers::run() {
  name_this_thread(name_);
  std::unique_lock lock(mutex_);
  for (;;) {
    // Without a deadline: an idle worker has nothing else to do, and the destructor wakes it.
    changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    std::move_only_function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

}  // namespace weir::rt::asio
