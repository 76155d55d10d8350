// What one commit costs on a directory: one append and one sync (FileLog) against one object per
// entry (ObjectLog over FileStore). The figures are in docs/adr/0001-file-log-layout.md.
//
//   TMPDIR=/some/disk build/release/file_log_bench
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <memory>

#include "commitlog/file_log.h"
#include "commitlog/object_log.h"
#include "objstore/file/file_store.h"
#include "rt/asio/file_system.h"
#include "rt/asio/loop_thread.h"
#include "rt/asio/workers.h"
#include "rt/scope.h"

namespace weir::commitlog {
namespace {

enum class Layout : unsigned char { append, object };

class Bench {
 public:
  Bench(Layout layout, bool sync) : random_(1) {
    std::string pattern = std::filesystem::temp_directory_path() / "weir-bench-XXXXXX";
    ENSURE(::mkdtemp(pattern.data()) != nullptr);
    directory_ = pattern;
    if (layout == Layout::append) {
      auto made = FileLogDirectory::open(files_, {.directory = directory_ + "/log/0", .sync = sync},
                                         random_, logger_);
      ENSURE(made.has_value());
      log_directory_ = std::move(*made);
      log_ = std::make_unique<FileLog>(thread_.loop(), workers_, *log_directory_);
    } else {
      auto made = objstore::FileTree::open(files_, {directory_, sync}, random_);
      ENSURE(made.has_value());
      tree_ = std::move(*made);
      store_ = std::make_unique<objstore::FileStore>(thread_.loop(), workers_, *tree_);
      log_ = std::make_unique<ObjectLog>(*store_, random_);
    }
  }
  ~Bench() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  /// Creates `count` entries of `bytes`, one after the other.
  void create(std::uint64_t count, std::size_t bytes) {
    std::atomic<bool> ended = false;
    run(this, count, bytes, ended);
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
  static Detached run(Bench* self, std::uint64_t count, std::size_t bytes,
                      std::atomic<bool>& ended) {
    co_await rt::resume_on(self->thread_.loop());
    for (std::uint64_t i = 0; i < count; ++i, self->next_ = self->next_.next()) {
      Result<CreateOutcome> outcome =
          co_await self->log_->create(self->next_, BytesChain(Buffer::make(bytes)));
      ENSURE(outcome && *outcome == CreateOutcome::won);
    }
    ended = true;
    ended.notify_one();
  }

  rt::asio::LoopThread thread_{"bench"};
  rt::asio::ThreadWorkers workers_{"worker", 4};
  rt::asio::PosixFileSystem files_;
  rt::SeededRandom random_;
  NullLogger logger_;
  std::string directory_;
  std::unique_ptr<FileLogDirectory> log_directory_;
  std::unique_ptr<objstore::FileTree> tree_;
  std::unique_ptr<objstore::FileStore> store_;
  std::unique_ptr<CommitLog> log_;
  Position next_;
};

void create_entries(benchmark::State& state, Layout layout, bool sync) {
  Bench bench(layout, sync);
  std::size_t bytes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) bench.create(1, bytes);
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

BENCHMARK_CAPTURE(create_entries, append_sync, Layout::append, true)
    ->Arg(500)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(create_entries, object_sync, Layout::object, true)
    ->Arg(500)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(create_entries, append_nosync, Layout::append, false)
    ->Arg(500)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(create_entries, object_nosync, Layout::object, false)
    ->Arg(500)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace weir::commitlog

BENCHMARK_MAIN();
