// For tests only: tasks on a real loop with real worker threads, and a directory of the real disk.
#pragma once

#include <stdlib.h>

#include <atomic>
#include <filesystem>

#include "objstore/conformance_harness.h"
#include "rt/asio/file_system.h"
#include "rt/asio/loop_thread.h"
#include "rt/asio/workers.h"

namespace weir::objstore {

class DiskRunner final : public TaskRunner {
 public:
  explicit DiskRunner(const std::string& name)
      : thread_(name), workers_("worker", 8), scope_(thread_.loop()), random_(1) {
    std::string pattern = std::filesystem::temp_directory_path() / ("weir-" + name + "-XXXXXX");
    ENSURE(::mkdtemp(pattern.data()) != nullptr);
    directory_ = pattern;
  }
  ~DiskRunner() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  rt::Loop& loop() override { return thread_.loop(); }
  rt::Workers& workers() { return workers_; }
  rt::FileSystem& files() { return files_; }
  rt::Random& random() { return random_; }
  const std::string& directory() const { return directory_; }

  void run(std::vector<rt::Task<void>> tasks) override {
    std::atomic<bool> ended = false;
    start(this, std::move(tasks), ended);
    ended.wait(false);
  }

 private:
  struct Detached {
    struct promise_type {
      Detached get_return_object() { return {}; }
      std::suspend_never initial_suspend() noexcept { return {}; }
      std::suspend_never final_suspend() noexcept { return {}; }
      void return_void() {}
      void unhandled_exception() { std::terminate(); }
    };
  };
  static Detached start(DiskRunner* self, std::vector<rt::Task<void>> tasks,
                        std::atomic<bool>& ended) {
    co_await rt::resume_on(self->loop());
    for (rt::Task<void>& task : tasks) self->scope_.spawn(std::move(task));
    co_await self->scope_.join();
    ended = true;
    ended.notify_one();
  }

  rt::asio::LoopThread thread_;
  rt::asio::ThreadWorkers workers_;
  rt::asio::PosixFileSystem files_;
  rt::Scope scope_;
  rt::SeededRandom random_;
  std::string directory_;
};

}  // namespace weir::objstore
