#include "engine/peer_watch.h"

#include <gtest/gtest.h>

#include <array>

#include "engine/testing/cluster_fixture.h"
#include "rt/sim/fabric.h"

namespace weir::engine {
namespace {

using testing::EngineNode;

constexpr std::uint16_t kPort = 9092;

/// Accepts and holds whatever comes, as a broker's listener does with who never asks.
rt::Task<void> hold_connections(rt::sim::SimNode& node) {
  auto listener = node.network().listen(node.loop(), {"", kPort});
  EXPECT_TRUE(listener.has_value());
  std::vector<std::unique_ptr<rt::Stream>> held;
  for (;;) held.push_back((co_await (*listener)->accept(node.loop())).value());
}

/// Ends every connection as soon as it is open.
rt::Task<void> close_connections(rt::sim::SimNode& node, int& accepted) {
  auto listener = node.network().listen(node.loop(), {"", kPort});
  EXPECT_TRUE(listener.has_value());
  for (;; ++accepted) (co_await (*listener)->accept(node.loop())).value()->close();
}

class PeerWatchTest : public testing::ClusterFixture {
 protected:
  rt::sim::SimNode& listening(const std::string& host) {
    rt::sim::SimNode& node = world_.start_node({.host = host});
    node.spawn(hold_connections(node));
    return node;
  }
  state::BrokerInfo broker(const std::string& host, bool shared_identity = false) {
    state::BrokerInfo info;
    info.incarnation = id_of(host);
    info.shared_identity = shared_identity;
    info.endpoints.push_back({"PLAINTEXT", "plaintext", host, kPort});
    return info;
  }
  static Incarnation id_of(const std::string& host) {
    std::array<std::byte, 16> bytes{};
    bytes.front() = static_cast<std::byte>(host.front());
    return Incarnation::from_bytes(bytes);
  }
  bool gone(const std::string& host) const { return watch_.is_gone(id_of(host)); }
  void start_watch(const std::vector<state::BrokerInfo>& brokers) {
    watch_.watch(brokers, id_of("self"));
    world_.run_for(2s);
  }
  EngineNode& start_watched(const std::string& host) {
    rt::sim::SimNode& node = listening(host);
    auto& peers = node.make<PeerWatch>(node.loop(), node.network());
    Options options = testing::quick_options(host);
    options.session_timeout = 30s;
    auto& engine = node.make<EngineNode>(node, testing::SharedStores{store_, log_}, options,
                                         64u << 20, &peers);
    run(node, [](EngineNode& e, rt::Loop& loop) -> rt::Task<void> {
      EXPECT_TRUE((co_await e->start(loop.now() + 10s)).has_value());
    }(engine, node.loop()));
    return engine;
  }

  rt::sim::SimNode& self_{world_.start_node({.host = "self"})};
  PeerWatch& watch_{self_.make<PeerWatch>(self_.loop(), self_.network())};
};

TEST_F(PeerWatchTest, a_killed_process_is_gone_within_a_second) {
  rt::sim::SimNode& a = listening("a");
  listening("b");
  start_watch({broker("a"), broker("b")});
  EXPECT_FALSE(gone("a"));
  a.kill();
  world_.run_for(1s);
  EXPECT_TRUE(gone("a"));
  EXPECT_FALSE(gone("b"));
}

TEST_F(PeerWatchTest, silence_is_no_death) {
  listening("a");
  rt::sim::SimNode& b = listening("b");
  listening("c");
  start_watch({broker("a"), broker("b"), broker("c")});
  world_.fabric().block("self", "a");
  world_.fabric().block("a", "self");
  b.pause();
  world_.lose_power("c");
  world_.run_for(1min);
  for (const char* host : {"a", "b", "c"}) EXPECT_FALSE(gone(host)) << host;
}

TEST_F(PeerWatchTest, an_address_that_was_never_reached_says_nothing_by_refusing) {
  world_.start_node({.host = "a"});
  start_watch({broker("a"), broker("nowhere")});
  world_.run_for(1min);
  EXPECT_FALSE(gone("a"));
  EXPECT_FALSE(gone("nowhere"));
}

TEST_F(PeerWatchTest, who_listens_again_in_time_is_not_gone) {
  rt::sim::SimNode& a = listening("a");
  start_watch({broker("a")});
  a.kill();
  listening("a");
  for (int i = 0; i < 100; ++i) {
    world_.run_for(50ms);
    EXPECT_FALSE(gone("a"));
  }
}

TEST_F(PeerWatchTest, who_listens_again_later_is_not_gone_any_more) {
  rt::sim::SimNode& a = listening("a");
  start_watch({broker("a")});
  a.kill();
  world_.run_for(2s);
  ASSERT_TRUE(gone("a"));
  listening("a");
  world_.run_for(10s);
  EXPECT_FALSE(gone("a"));
}

TEST_F(PeerWatchTest, who_closes_every_connection_is_asked_rarely) {
  int accepted = 0;
  rt::sim::SimNode& a = world_.start_node({.host = "a"});
  a.spawn(close_connections(a, accepted));
  start_watch({broker("a")});
  world_.run_for(1min);
  EXPECT_GE(accepted, 5);
  EXPECT_LE(accepted, 15);
  EXPECT_FALSE(gone("a"));
}

TEST_F(PeerWatchTest, one_shared_address_is_not_watched) {
  rt::sim::SimNode& a = listening("a");
  start_watch({broker("a", true)});
  a.kill();
  world_.run_for(10s);
  EXPECT_FALSE(gone("a"));
}

TEST_F(PeerWatchTest, it_stops_at_once) {
  listening("a");
  start_watch({broker("a"), broker("nowhere")});
  watch_.watch({broker("a")}, id_of("self"));
  watch_.stop();
  const MonoTime asked = world_.now();
  run(self_, watch_.join());
  EXPECT_LT(world_.now() - asked, 100ms);
}

TEST_F(PeerWatchTest, a_killed_broker_leaves_the_cluster_before_its_session_ends) {
  EngineNode& a = start_watched("a");
  start_watched("b");
  world_.run_for(2s);
  ASSERT_EQ(a->catalog().brokers().size(), 2u);
  node("b").kill();
  EXPECT_TRUE(world_.run_while([&] { return a->catalog().brokers().size() > 1; }, 2s));
}

TEST_F(PeerWatchTest, a_broker_that_is_expired_while_it_leaves_ends_at_once) {
  EngineNode& a = start_watched("a");
  EngineNode& b = start_watched("b");
  world_.run_for(2s);
  NodeId id = a->node_id();
  ASSERT_TRUE(get(node("b"), b->expire_broker(id, soon("b"))).ok());
  const MonoTime asked = world_.now();
  run(node("a"), a->stop(node("a").loop().now() + 30s));
  EXPECT_LT(world_.now() - asked, 2s);
}

TEST_F(PeerWatchTest, a_partition_between_brokers_expires_nobody) {
  EngineNode& a = start_watched("a");
  start_watched("b");
  world_.run_for(2s);
  world_.fabric().block("a", "b");
  world_.fabric().block("b", "a");
  world_.run_for(2min);
  EXPECT_EQ(a->catalog().brokers().size(), 2u);
}

}  // namespace
}  // namespace weir::engine
