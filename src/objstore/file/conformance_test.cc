#include "objstore/conformance_suite.h"

#include "objstore/conformance_disk.h"
#include "objstore/file/file_store.h"
#include "rt/sim/file_system.h"

namespace weir::objstore {
namespace {

/// Sixteen trees on one directory, as if sixteen brokers shared it.
class SimFileHarness final : public StoreHarness {
 public:
  explicit SimFileHarness(std::size_t direct_bytes_min) {
    for (std::size_t i = 0; i < kClients; ++i) {
      auto tree =
          FileTree::open(runner_.node().files(), {"/srv/weir", true, false, direct_bytes_min},
                         runner_.node().random());
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

/// Every object passes the page cache by, or none does.
constexpr std::size_t kDirectAlways = 1;

template <class Harness, std::size_t kDirectBytesMin>
std::unique_ptr<StoreHarness> make_harness() {
  return std::make_unique<Harness>(kDirectBytesMin);
}

INSTANTIATE_TEST_SUITE_P(SimFile, ObjectStoreConformance,
                         testing::Values(&make_harness<SimFileHarness, kDirectNever>));
INSTANTIATE_TEST_SUITE_P(SimFileDirect, ObjectStoreConformance,
                         testing::Values(&make_harness<SimFileHarness, kDirectAlways>));

/// A temporary directory of the real disk, removed at the end.
class DiskFileHarness final : public StoreHarness {
 public:
  explicit DiskFileHarness(std::size_t direct_bytes_min) : runner_("store") {
    for (std::size_t i = 0; i < kClients; ++i) {
      auto tree = FileTree::open(runner_.files(),
                                 {runner_.directory() + "/store", true, false, direct_bytes_min},
                                 runner_.random());
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

INSTANTIATE_TEST_SUITE_P(Disk, ObjectStoreConformance,
                         testing::Values(&make_harness<DiskFileHarness, kDirectNever>));
INSTANTIATE_TEST_SUITE_P(DiskDirect, ObjectStoreConformance,
                         testing::Values(&make_harness<DiskFileHarness, kDirectAlways>));

}  // namespace
}  // namespace weir::objstore
