#include "objstore/conformance_suite.h"

#include "objstore/conformance_disk.h"
#include "objstore/file/file_store.h"
#include "rt/sim/file_system.h"

namespace weir::objstore {
namespace {

/// Sixteen trees on one directory, as if sixteen brokers shared it.
class SimFileHarness final : public StoreHarness {
 public:
  SimFileHarness() {
    for (std::size_t i = 0; i < kClients; ++i) {
      auto tree = FileTree::open(runner_.node().files(), {"/srv/weir"}, runner_.node().random());
      ENSURE(tree.has_value());
      trees_.push_back(std::move(*tree));
      stores_.push_back(
          std::make_unique<FileStore>(runner_.loop(), runner_.node().workers(), *trees_.back()));
    }
  }
  TaskRunner& runner() override { return runner_; }
  ObjectStore& client(std::size_t i) override { return *stores_[i]; }

 private:
  SimRunner runner_{7};
  std::vector<std::unique_ptr<FileTree>> trees_;
  std::vector<std::unique_ptr<FileStore>> stores_;
};

std::unique_ptr<StoreHarness> make_sim_harness() { return std::make_unique<SimFileHarness>(); }

INSTANTIATE_TEST_SUITE_P(SimFile, ObjectStoreConformance, testing::Values(&make_sim_harness));

/// A temporary directory of the real disk, removed at the end.
class DiskFileHarness final : public StoreHarness {
 public:
  DiskFileHarness() : runner_("store") {
    for (std::size_t i = 0; i < kClients; ++i) {
      auto tree =
          FileTree::open(runner_.files(), {runner_.directory() + "/store"}, runner_.random());
      ENSURE(tree.has_value());
      trees_.push_back(std::move(*tree));
      stores_.push_back(
          std::make_unique<FileStore>(runner_.loop(), runner_.workers(), *trees_.back()));
    }
  }
  TaskRunner& runner() override { return runner_; }
  ObjectStore& client(std::size_t i) override { return *stores_[i]; }

 private:
  DiskRunner runner_;
  std::vector<std::unique_ptr<FileTree>> trees_;
  std::vector<std::unique_ptr<FileStore>> stores_;
};

std::unique_ptr<StoreHarness> make_disk_harness() { return std::make_unique<DiskFileHarness>(); }

INSTANTIATE_TEST_SUITE_P(Disk, ObjectStoreConformance, testing::Values(&make_disk_harness));

}  // namespace
}  // namespace weir::objstore
