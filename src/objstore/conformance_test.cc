#include "objstore/conformance_suite.h"

#include "objstore/memory_store.h"

namespace weir::objstore {
namespace {

class MemoryHarness final : public StoreHarness {
 public:
  TaskRunner& runner() override { return runner_; }
  ObjectStore& client(std::size_t) override { return store_; }

 private:
  SimRunner runner_{1};
  MemoryStore store_;
};

std::unique_ptr<StoreHarness> make_memory_harness() { return std::make_unique<MemoryHarness>(); }

INSTANTIATE_TEST_SUITE_P(Memory, ObjectStoreConformance, testing::Values(&make_memory_harness));

}  // namespace
}  // namespace weir::objstore
