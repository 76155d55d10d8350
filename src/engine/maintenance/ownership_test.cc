// Jobs that wait for a time, while the brokers that they belong to come and go.
#include <gtest/gtest.h>

#include "commitlog/object_log.h"
#include "engine/segment.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;

constexpr Duration kWait = 12s;
/// Well below the wait, and above the period of the jobs.
constexpr Duration kLife = 2s;
constexpr Duration kSnapshotInterval = 2s;

class OwnershipTest : public testing::ClusterFixture {
 protected:
  Options options(const std::string& host) const {
    Options options = testing::quick_options(host);
    MaintenanceOptions& m = options.maintenance;
    m.deletion_interval = m.truncate_interval = 500ms;
    m.horizon_interval = 1s;
    m.deletion_delay = m.log_grace = kWait;
    m.truncate_entries_min = 10;
    options.snapshot_entries = snapshot_entries_;
    options.snapshot_interval_min = kSnapshotInterval;
    options.inline_bytes = 0;
    return options;
  }
  EngineNode& begin(const std::string& host) {
    rt::sim::SimNode& n = world_.start_node({.host = host});
    auto& log = n.make<commitlog::ObjectLog>(store_, n.random());
    EngineNode& engine = n.make<EngineNode>(n, testing::SharedStores{store_, log}, options(host));
    auto started = get(n, engine->start(n.loop().now() + 10s));
    EXPECT_TRUE(started.has_value()) << (started ? "" : started.error().message);
    return engine;
  }
  /// Kills b and starts it again until `job` belongs to whom we want. Each start takes no time.
  void give(EngineNode& a, std::string_view job, bool to_a) {
    for (int tries = 0; tries < 100; ++tries) {
      if (world_.node("b") != nullptr) node("b").kill();
      begin("b");
      ASSERT_TRUE(get(node("a"), a->barrier(soon("a"))).has_value());
      if (is_mine(a->maintenance().context(), job) == to_a) return;
    }
    FAIL() << "all hundred lives of b were the same";
  }
  void fill(EngineNode& a, PartitionRef at, int count) {
    for (int i = 0; i < count; ++i) EXPECT_TRUE(produce("a", a, batch_of(at, {"x"})).ok());
  }
  /// Enough of them are a reason for a snapshot.
  std::uint64_t snapshot_entries_ = 20;
  static std::uint64_t written(EngineNode& a) {
    return a.metrics().counter("weir_snapshots_written_total", "").value();
  }
  bool is_there(const std::string& name) { return get(node("a"), store_.head(name)).has_value(); }
};

TEST_F(OwnershipTest, the_grace_of_the_floor_is_not_begun_anew) {
  EngineNode& a = begin("a");
  give(a, "truncation", true);
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  const std::string entry = "log/0/00000000000000000002";
  for (int round = 0; round < 3; ++round) {
    fill(a, at, 30);
    world_.run_for(kSnapshotInterval + 1s);
  }
  ASSERT_GT(a.metrics().gauge("weir_log_floor", "").value(), 2);
  ASSERT_TRUE(is_there(entry));
  for (Duration passed{}; passed < kWait; passed += kLife) {
    give(a, "truncation", false);
    world_.run_for(kLife);
  }
  ASSERT_TRUE(is_there(entry)) << "nobody else has waited";
  give(a, "truncation", true);
  world_.run_for(kLife);
  EXPECT_FALSE(is_there(entry));
}

TEST_F(OwnershipTest, the_delay_of_a_deletion_is_not_begun_anew) {
  EngineNode& a = begin("a");
  give(a, "deletion", false);
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  fill(a, at, 1);
  std::string segment;
  a->follower().state().visit_spans(at, Offset(0), [&](const state::SpanInfo& span) {
    segment = segment_name(span.object);
    return false;
  });
  ASSERT_TRUE(is_there(segment));
  ASSERT_TRUE(get(node("a"), a->delete_records({{at, Offset(-1)}}, soon("a"))).front().ok());
  for (Duration passed{}; passed < kWait; passed += kLife) {
    give(a, "deletion", false);
    world_.run_for(kLife);
  }
  ASSERT_TRUE(is_there(segment)) << "nobody else has waited";
  give(a, "deletion", true);
  world_.run_for(kLife);
  EXPECT_FALSE(is_there(segment));
}

TEST_F(OwnershipTest, a_broker_that_comes_and_goes_does_not_keep_the_others_from_a_snapshot) {
  snapshot_entries_ = 10'000;
  EngineNode& a = begin("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  std::uint64_t before = written(a);
  for (int life = 0; life < 12; ++life) {
    give(a, "snapshot", false);
    fill(a, at, 1);
    world_.run_for(kSnapshotInterval / 2);
  }
  EXPECT_GE(written(a), before + 1);
}

TEST_F(OwnershipTest, a_snapshot_after_a_loss_is_written_once) {
  snapshot_entries_ = 10'000;
  EngineNode& a = begin("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  give(a, "snapshot", false);
  world_.run_for(kLife);
  // The new b cannot know that there was another before.
  give(a, "snapshot", false);
  std::uint64_t before = written(a);
  fill(a, at, 1);
  world_.run_for(kSnapshotInterval * 10);
  EXPECT_EQ(written(a), before + 1);
}

}  // namespace
}  // namespace weir::engine
