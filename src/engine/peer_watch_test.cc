#include "engine/peer_watch.h"

#include <gtest/gtest.h>

#include <array>

#include "engine/testing/cluster_fixture.h"
#include "engine/testing/door.h"
#include "rt/sim/fabric.h"

namespace weir::engine {
namespace {

using testing::Door;

class PeerWatchTest : public testing::ClusterFixture {
 protected:
  Door& listening(const std::string& host) {
    rt::sim::SimNode& node = world_.start_node({.host = host});
    return node.make<Door>(node);
  }
  state::BrokerInfo broker(const std::string& host, bool shared_identity = false) {
    state::BrokerInfo info;
    info.incarnation = id_of(host);
    info.shared_identity = shared_identity;
    info.endpoints.push_back({"PLAINTEXT", "plaintext", host, Door::kPort});
    return info;
  }
  static Incarnation id_of(const std::string& host) {
    std::array<std::byte, 16> bytes{};
    for (std::size_t i = 0; i < std::min(host.size(), bytes.size()); ++i)
      bytes.at(i) = static_cast<std::byte>(host[i]);
    return Incarnation::from_bytes(bytes);
  }
  bool refuses(const std::string& host) const {
    return watch_.refuses_since(id_of(host)).has_value();
  }
  void start_watch(std::vector<state::BrokerInfo> brokers) {
    brokers.push_back(broker("self"));
    watch_.watch(brokers, id_of("self"));
    world_.run_for(2s);
  }

  rt::sim::SimNode& self_{world_.start_node({.host = "self"})};
  PeerWatch& watch_{self_.make<PeerWatch>(self_.loop(), self_.network())};
};

TEST_F(PeerWatchTest, the_address_of_a_killed_process_refuses_within_a_second) {
  listening("a");
  listening("b");
  start_watch({broker("a"), broker("b")});
  EXPECT_FALSE(refuses("a"));
  const MonoTime killed = self_.loop().now();
  node("a").kill();
  world_.run_for(1s);
  ASSERT_TRUE(refuses("a"));
  EXPECT_LT(*watch_.refuses_since(id_of("a")) - killed, 200ms);
  EXPECT_FALSE(refuses("b"));
  world_.run_for(20s);
  EXPECT_LT(*watch_.refuses_since(id_of("a")) - killed, 200ms);
}

TEST_F(PeerWatchTest, silence_is_no_refusal) {
  for (const char* host : {"a", "b", "c"}) listening(host);
  start_watch({broker("a"), broker("b"), broker("c")});
  world_.fabric().block("self", "a");
  world_.fabric().block("a", "self");
  node("b").pause();
  world_.lose_power("c");
  for (int i = 0; i < 60; ++i) {
    world_.run_for(1s);
    for (const char* host : {"a", "b", "c"}) ASSERT_FALSE(refuses(host)) << host;
  }
}

TEST_F(PeerWatchTest, an_address_that_was_never_reached_says_nothing_by_refusing) {
  world_.start_node({.host = "a"});
  start_watch({broker("a"), broker("nowhere")});
  for (int i = 0; i < 60; ++i) {
    world_.run_for(1s);
    ASSERT_FALSE(refuses("a"));
    ASSERT_FALSE(refuses("nowhere"));
  }
}

TEST_F(PeerWatchTest, an_address_where_no_connection_lasted_says_nothing_by_refusing) {
  Door& a = listening("a");
  a.turn_away();
  start_watch({broker("a")});
  world_.run_for(1min);
  EXPECT_GE(a.accepted(), 5);
  EXPECT_LE(a.accepted(), 15) << "it is asked too often";
  a.close();
  for (int i = 0; i < 60; ++i) {
    world_.run_for(1s);
    ASSERT_FALSE(refuses("a"));
  }
}

TEST_F(PeerWatchTest, one_refusal_is_none) {
  Door& a = listening("a");
  start_watch({broker("a")});
  a.close();
  world_.run_for(200ms);
  a.open();
  for (int i = 0; i < 100; ++i) {
    world_.run_for(50ms);
    ASSERT_FALSE(refuses("a"));
  }
  EXPECT_EQ(a.accepted(), 2);
}

TEST_F(PeerWatchTest, who_listens_again_refuses_no_more) {
  Door& a = listening("a");
  start_watch({broker("a")});
  a.close();
  world_.run_for(2s);
  ASSERT_TRUE(refuses("a"));
  a.open();
  world_.run_for(500ms);
  EXPECT_FALSE(refuses("a"));
}

TEST_F(PeerWatchTest, refusals_before_a_pause_of_the_watcher_are_old) {
  Door& a = listening("a");
  start_watch({broker("a")});
  a.close();
  world_.run_for(2s);
  ASSERT_TRUE(refuses("a"));
  self_.pause();
  world_.run_for(10s);
  const MonoTime resumed = world_.now();
  self_.resume();
  world_.run_for(1s);
  ASSERT_TRUE(refuses("a"));
  EXPECT_GE(*watch_.refuses_since(id_of("a")), resumed);
}

TEST_F(PeerWatchTest, one_shared_address_is_not_watched) {
  Door& a = listening("a");
  start_watch({broker("a", true)});
  a.close();
  world_.run_for(10s);
  EXPECT_FALSE(refuses("a"));
  EXPECT_EQ(a.accepted(), 0);
}

TEST_F(PeerWatchTest, what_listens_in_front_of_a_broker_is_not_watched) {
  Door& proxy = listening("proxy");
  Door& a = listening("a");
  state::BrokerInfo behind = broker("proxy");
  behind.endpoints.front().protocol = "ssl";
  state::BrokerInfo both = broker("a");
  both.endpoints.insert(both.endpoints.begin(), behind.endpoints.front());
  start_watch({behind, both});
  EXPECT_EQ(proxy.accepted(), 0);
  EXPECT_EQ(a.accepted(), 1);
}

TEST_F(PeerWatchTest, addresses_of_the_own_machine_are_not_watched) {
  const Door& own = self_.make<Door>(self_);
  start_watch(
      {broker("localhost"), broker("127.0.0.1"), broker("0.0.0.0"), broker("::"), broker("")});
  EXPECT_EQ(own.accepted(), 0);
}

TEST_F(PeerWatchTest, it_stops_at_once_and_says_nothing_then) {
  Door& a = listening("a");
  start_watch({broker("a"), broker("nowhere")});
  a.close();
  world_.run_for(1s);
  ASSERT_TRUE(refuses("a"));
  watch_.stop();
  EXPECT_FALSE(refuses("a"));
  start_watch({broker("a")});
  EXPECT_FALSE(refuses("a"));
  const MonoTime asked = world_.now();
  run(self_, watch_.join());
  EXPECT_LT(world_.now() - asked, 100ms);
}

}  // namespace
}  // namespace weir::engine
