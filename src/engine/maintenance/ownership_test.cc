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

class OwnershipTest : public testing::ClusterFixture {
 protected:
  static Options options(const std::string& host) {
    Options options = testing::quick_options(host);
    MaintenanceOptions& m = options.maintenance;
    m.deletion_interval = m.truncate_interval = 500ms;
    m.horizon_interval = 1s;
    m.deletion_delay = m.log_grace = kWait;
    m.truncate_entries_min = 10;
    options.snapshot_entries = 20;
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
  bool is_there(const std::string& name) { return get(node("a"), store_.head(name)).has_value(); }
};

TEST_F(OwnershipTest, the_grace_of_the_floor_is_not_begun_anew) {
  EngineNode& a = begin("a");
  give(a, "truncation", true);
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  const std::string entry = "log/0/00000000000000000002";
  for (int round = 0; round < 3; ++round) {
    fill(a, at, 30);
    world_.run_for(1500ms);
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

}  // namespace
}  // namespace weir::engine
