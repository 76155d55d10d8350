#include "commitlog/conformance_suite.h"

#include "commitlog/file_log.h"
#include "commitlog/memory_log.h"
#include "commitlog/object_log.h"
#include "commitlog/sim_client_for_test.h"
#include "objstore/conformance_disk.h"
#include "objstore/memory_store.h"

namespace weir::commitlog {
namespace {

class MemoryHarness final : public LogHarness {
 public:
  objstore::TaskRunner& runner() override { return runner_; }
  CommitLog& client(std::size_t) override { return log_; }

 private:
  objstore::SimRunner runner_{1};
  MemoryLog log_;
};

std::unique_ptr<LogHarness> make_memory_harness() { return std::make_unique<MemoryHarness>(); }

INSTANTIATE_TEST_SUITE_P(Memory, CommitLogConformance, testing::Values(&make_memory_harness));

class ObjectHarness final : public LogHarness {
 public:
  ObjectHarness() {
    for (std::size_t i = 0; i < kClients; ++i)
      logs_.push_back(std::make_unique<ObjectLog>(store_, runner_.node().random()));
  }
  objstore::TaskRunner& runner() override { return runner_; }
  CommitLog& client(std::size_t i) override { return *logs_[i]; }

 private:
  objstore::SimRunner runner_{1};
  objstore::MemoryStore store_;
  std::vector<std::unique_ptr<ObjectLog>> logs_;
};

std::unique_ptr<LogHarness> make_object_harness() { return std::make_unique<ObjectHarness>(); }

INSTANTIATE_TEST_SUITE_P(Object, CommitLogConformance, testing::Values(&make_object_harness));

template <std::uint32_t kEntriesMax, bool kSync>
class SimFileHarness final : public LogHarness {
 public:
  SimFileHarness() {
    for (std::size_t i = 0; i < kClients; ++i)
      clients_.push_back(std::make_unique<SimClient>(
          runner_.node(),
          FileLogOptions{
              .directory = "/srv/weir/log/0", .sync = kSync, .segment_entries_max = kEntriesMax}));
  }
  objstore::TaskRunner& runner() override { return runner_; }
  CommitLog& client(std::size_t i) override { return clients_[i]->log(); }

 private:
  objstore::SimRunner runner_{11};
  std::vector<std::unique_ptr<SimClient>> clients_;
};

template <std::uint32_t kEntriesMax, bool kSync>
std::unique_ptr<LogHarness> make_harness() {
  return std::make_unique<SimFileHarness<kEntriesMax, kSync>>();
}

INSTANTIATE_TEST_SUITE_P(SimFile, CommitLogConformance,
                         testing::Values(&make_harness<65'536, true>, &make_harness<65'536, false>,
                                         &make_harness<3, true>, &make_harness<1, true>,
                                         &make_harness<3, false>));

/// Sixteen logs on one directory of the real disk, with real threads.
template <std::uint32_t kEntriesMax>
class DiskFileHarness final : public LogHarness {
 public:
  DiskFileHarness() : runner_("log") {
    for (std::size_t i = 0; i < kClients; ++i) {
      auto directory = FileLogDirectory::open(
          runner_.files(),
          {.directory = runner_.directory() + "/log/0", .segment_entries_max = kEntriesMax},
          runner_.random(), logger_);
      ENSURE(directory.has_value());
      directories_.push_back(std::move(*directory));
      logs_.push_back(
          std::make_unique<FileLog>(runner_.loop(), runner_.workers(), *directories_.back()));
    }
  }
  objstore::TaskRunner& runner() override { return runner_; }
  CommitLog& client(std::size_t i) override { return *logs_[i]; }

 private:
  NullLogger logger_;
  objstore::DiskRunner runner_;
  std::vector<std::unique_ptr<FileLogDirectory>> directories_;
  std::vector<std::unique_ptr<FileLog>> logs_;
};

template <std::uint32_t kEntriesMax>
std::unique_ptr<LogHarness> make_disk_harness() {
  return std::make_unique<DiskFileHarness<kEntriesMax>>();
}

INSTANTIATE_TEST_SUITE_P(Disk, CommitLogConformance,
                         testing::Values(&make_disk_harness<65'536>, &make_disk_harness<3>));

}  // namespace
}  // namespace weir::commitlog
