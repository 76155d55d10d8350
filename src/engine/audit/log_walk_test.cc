#include "engine/audit/log_walk.h"

#include <gtest/gtest.h>

#include "commitlog/memory_log.h"
#include "objstore/memory_store.h"
#include "rt/sim/node.h"
#include "rt/sim/world.h"
#include "state/testing/log_builder.h"

namespace weir::engine::audit {
namespace {

/// A log that calls its entry 0 damaged, in its own words.
class DamagedLog final : public commitlog::CommitLog {
 public:
  rt::Task<Result<commitlog::CreateOutcome>> create(Position at, BytesChain entry) override {
    return inner_.create(at, std::move(entry));
  }
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override {
    if (at.value == 0) co_return fail(ErrorCode::corrupt, "the record at byte 237 is damaged");
    co_return co_await inner_.read(at);
  }
  rt::Task<Result<Position>> read_floor() override { return inner_.read_floor(); }
  rt::Task<Result<void>> raise_floor(Position to) override { return inner_.raise_floor(to); }
  rt::Task<Result<void>> remove(Position first, Position last) override {
    return inner_.remove(first, last);
  }
  std::size_t item_bytes_max() const override { return inner_.item_bytes_max(); }
  std::string describe() const override { return "file:///srv/weir/log/0"; }

 private:
  commitlog::MemoryLog inner_;
};

TEST(LogWalk, says_of_damage_what_the_log_says_of_it) {
  rt::sim::SimWorld world(1);
  rt::sim::SimNode& node = world.start_node({.host = "a"});
  objstore::MemoryStore store;
  DamagedLog log;
  Findings findings;
  bool done = false;
  node.spawn([](objstore::MemoryStore& s, DamagedLog& l, Findings& f, bool& d) -> rt::Task<void> {
    state::testing::Cluster cluster;
    (void)co_await l.create(Position(0), BytesChain(cluster.entries().front()));
    LogWalk walk({s, l}, f);
    Inventory inventory;
    auto walked = co_await walk.run(inventory);
    EXPECT_TRUE(walked.has_value());
    EXPECT_FALSE(walk.complete());
    d = true;
  }(store, log, findings, done));
  ASSERT_TRUE(world.run_while([&] { return !done; }, 60s));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::damaged_entry);
  EXPECT_NE(findings[0].sentence.find("position 0: the record at byte 237 is damaged; restore"),
            std::string::npos)
      << findings[0].sentence;
}

}  // namespace
}  // namespace weir::engine::audit
