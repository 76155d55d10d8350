// Which brokers their peers expire when their address refuses. Sessions are long here: whoever goes
// soon goes for that.
#include <gtest/gtest.h>

#include <map>

#include "engine/testing/cluster_fixture.h"
#include "engine/testing/door.h"
#include "rt/sim/fabric.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::Door;
using testing::EngineNode;

constexpr Duration kSession = 60s;

class LostPeerTest : public testing::ClusterFixture {
 protected:
  void SetUp() override {
    a_ = &start_watched("a");
    b_ = &start_watched("b");
    first_ = (*b_)->status().incarnation;
    ASSERT_TRUE(world_.run_while([&] { return (*a_)->catalog().brokers().size() < 2; }, 20s));
    world_.run_for(3s);
  }
  EngineNode& start_watched(const std::string& host) {
    rt::sim::SimNode& node = world_.start_node({.host = host});
    doors_[host] = &node.make<Door>(node);
    auto& peers = node.make<PeerWatch>(node.loop(), node.network());
    Options options = testing::quick_options(host);
    options.session_timeout = kSession;
    auto& engine = node.make<EngineNode>(node, testing::SharedStores{store_, log_}, options,
                                         64u << 20, &peers);
    run(node, [](EngineNode& e, rt::Loop& loop) -> rt::Task<void> {
      EXPECT_TRUE((co_await e->start(loop.now() + 10s)).has_value());
    }(engine, node.loop()));
    return engine;
  }
  Door& door(const std::string& host) { return *doors_.at(host); }
  bool listed(Incarnation broker) {
    for (const state::BrokerInfo& info : (*a_)->catalog().brokers())
      if (info.incarnation == broker) return true;
    return false;
  }
  bool b_stays_for(Duration time) {
    return !world_.run_while([&] { return listed(first_); }, time);
  }

  EngineNode* a_ = nullptr;
  EngineNode* b_ = nullptr;
  /// The first incarnation of b.
  Incarnation first_;
  std::map<std::string, Door*> doors_;
};

TEST_F(LostPeerTest, a_killed_broker_goes_within_four_seconds) {
  node("b").kill();
  EXPECT_FALSE(b_stays_for(4s));
}

TEST_F(LostPeerTest, not_before_it_had_time_to_show_that_it_lives) {
  node("b").kill();
  EXPECT_TRUE(b_stays_for(3s));
}

TEST_F(LostPeerTest, a_partition_between_brokers_expires_nobody) {
  world_.fabric().block("a", "b");
  world_.fabric().block("b", "a");
  EXPECT_TRUE(b_stays_for(5min));
}

TEST_F(LostPeerTest, a_broker_whose_address_refuses_for_a_moment_stays) {
  for (int i = 0; i < 10; ++i) {
    door("b").close();
    ASSERT_TRUE(b_stays_for(2s));
    door("b").open();
    ASSERT_TRUE(b_stays_for(5s));
  }
}

TEST_F(LostPeerTest, a_broker_that_writes_stays_though_its_address_refuses) {
  PartitionRef at{create_topic("b", *b_, "t"), PartitionIndex(0)};
  door("b").close();
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(produce("b", *b_, batch_of(at, {"x"})).ok());
    ASSERT_TRUE(b_stays_for(1s));
  }
}

TEST_F(LostPeerTest, a_broker_that_drains_stays_though_its_address_refuses) {
  (*b_)->will_stop();
  door("b").close();
  EXPECT_TRUE(b_stays_for(30s));
  run(node("b"), (*b_)->stop(node("b").loop().now() + 30s));
  EXPECT_FALSE(b_stays_for(5s));
}

TEST_F(LostPeerTest, an_idle_one_that_was_taken_for_dead_registers_again_once_and_stays) {
  door("b").close();
  EXPECT_FALSE(b_stays_for(4s));
  world_.run_for(5s);
  first_ = (*b_)->status().incarnation;
  ASSERT_TRUE(world_.run_while([&] { return !listed(first_); }, 20s));
  EXPECT_TRUE(b_stays_for(5min)) << "the address of this incarnation was never reached";
}

TEST_F(LostPeerTest, a_broker_that_is_expired_while_it_leaves_ends_at_once) {
  NodeId id = (*a_)->node_id();
  ASSERT_TRUE(get(node("b"), (*b_)->expire_broker(id, soon("b"))).ok());
  const MonoTime asked = world_.now();
  run(node("a"), (*a_)->stop(node("a").loop().now() + 30s));
  EXPECT_LT(world_.now() - asked, 2s);
}

}  // namespace
}  // namespace weir::engine
