// What becomes of a broker whose state is not that of the others.
#include <gtest/gtest.h>

#include "engine/testing/cluster_fixture.h"
#include "state/tables.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;
using testing::quick_options;

class DigestWatchTest : public testing::ClusterFixture {
 protected:
  EngineNode& begin(const std::string& host) {
    Options options = quick_options(host);
    options.snapshot_entries = 20;
    options.maintenance.truncate_interval = 500ms;
    options.maintenance.truncate_entries_min = 1;
    options.maintenance.merge_interval = 500ms;
    return start(host, options);
  }
  /// As memory that lost a bit would.
  static void damage(EngineNode& node) {
    node->follower().mutable_state().tables().edit_meta(
        [](state::MetaValues& meta) { meta.producer_uses += 1; });
  }
  void write_for_a_while(EngineNode& a, PartitionRef at) {
    for (int round = 0; round < 6; ++round) {
      for (int i = 0; i < 15; ++i) produce("a", a, batch_of(at, {"x"}));
      world_.run_for(2s);
    }
  }
};

TEST_F(DigestWatchTest, one_of_three_that_differs_stops_serving) {
  EngineNode& a = begin("a");
  EngineNode& b = begin("b");
  EngineNode& c = begin("c");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  damage(c);
  write_for_a_while(a, at);
  EXPECT_NE(c->status().halted.find("differs from that of two others"), std::string::npos);
  EXPECT_EQ(a->status().halted, "");
  EXPECT_EQ(b->status().halted, "");
}

TEST_F(DigestWatchTest, of_two_that_differ_nobody_stops_and_nothing_is_truncated) {
  EngineNode& a = begin("a");
  EngineNode& b = begin("b");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  damage(b);
  write_for_a_while(a, at);
  EXPECT_EQ(a->status().halted, "");
  EXPECT_EQ(b->status().halted, "");
  EXPECT_TRUE(a->status().snapshots_disputed);
  EXPECT_EQ(get(node("a"), log_.read_floor()).value(), Position(0));
}

TEST_F(DigestWatchTest, brokers_that_agree_truncate) {
  EngineNode& a = begin("a");
  EngineNode& b = begin("b");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  write_for_a_while(a, at);
  EXPECT_FALSE(a->status().snapshots_disputed);
  EXPECT_GT(get(node("a"), log_.read_floor()).value(), Position(0));
  EXPECT_TRUE(b->status().ready);
}

}  // namespace
}  // namespace weir::engine
