#include <gtest/gtest.h>

#include "state/commands/append_spans.h"
#include "state/commands/deregister_broker.h"
#include "state/commands/expire_broker.h"
#include "state/commands/register_broker.h"
#include "state/commands/vouch.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::broker_id;
using testing::Cluster;
using testing::encoded;

command::RegisterBroker registration(const State& state, std::string host) {
  command::RegisterBroker command;
  command.folded_position = static_cast<std::int64_t>(state.position()->value);
  command.endpoints.push_back({"PLAIN", "plaintext", std::move(host), 9092});
  command.feature_level_min = 1;
  command.feature_level_max = 1;
  command.session_timeout_ms = 9'000;
  return command;
}

std::vector<std::int32_t> node_ids(const State& state) {
  std::vector<std::int32_t> ids;
  for (const BrokerInfo& broker : state.brokers()) ids.push_back(broker.node_id.value);
  return ids;
}

TEST(Brokers, take_the_lowest_free_node_id_from_one) {
  Cluster cluster;
  EXPECT_EQ(cluster.add_broker(2).items.at(0).value, 2);
  EXPECT_EQ(cluster.add_broker(3).items.at(0).value, 3);
  cluster.propose(command::DeregisterBroker{}, 2);
  EXPECT_EQ(node_ids(cluster.state()), (std::vector<std::int32_t>{1, 3}));
  EXPECT_EQ(cluster.add_broker(4).items.at(0).value, 2);
}

TEST(Brokers, that_register_again_keep_their_node_id_where_nobody_holds_it) {
  Cluster cluster;
  cluster.add_broker(2);
  cluster.add_broker(3);
  cluster.propose(command::DeregisterBroker{}, 2);
  cluster.propose(command::DeregisterBroker{}, 3);
  command::RegisterBroker command = registration(cluster.state(), "third");
  command.former_node_id = 3;
  EXPECT_EQ(cluster.propose(command, 4).items.at(0).value, 3);
  command = registration(cluster.state(), "late");
  command.former_node_id = 3;
  EXPECT_EQ(cluster.propose(command, 5).items.at(0).value, 2) << "it is taken, and stays so";
  EXPECT_EQ(node_ids(cluster.state()), (std::vector<std::int32_t>{1, 2, 3}));
  command = registration(cluster.state(), "odd");
  command.former_node_id = -2;
  EXPECT_EQ(cluster.propose(command, 6).refusal, Refusal::malformed);
}

TEST(Brokers, may_ask_for_a_node_id_and_supersede_who_holds_it) {
  Cluster cluster;
  command::RegisterBroker command = registration(cluster.state(), "elsewhere");
  command.requested_node_id = 1;
  EXPECT_EQ(cluster.propose(command, 2).items.at(0).value, 1);
  EXPECT_FALSE(cluster.state().is_registered(broker_id(1)));
  EXPECT_EQ(cluster.propose(command::Vouch{}, 1).refusal, Refusal::not_registered);
  EXPECT_EQ(cluster.state().last_forget(), Position(2));
  EXPECT_EQ(node_ids(cluster.state()), (std::vector<std::int32_t>{1}));
}

TEST(Brokers, with_the_address_of_an_older_one_supersede_it) {
  Cluster cluster;
  cluster.add_broker(2);
  EXPECT_EQ(cluster.propose(registration(cluster.state(), "host1"), 3).items.at(0).value, 1);
  EXPECT_FALSE(cluster.state().is_registered(broker_id(1)));
  EXPECT_TRUE(cluster.state().is_registered(broker_id(2)));
}

TEST(Brokers, behind_one_identity_share_address_and_node_id) {
  Cluster cluster;
  command::RegisterBroker command = registration(cluster.state(), "balancer");
  command.shared_identity = true;
  EXPECT_EQ(cluster.propose(command, 2).items.at(0).value, 2);
  EXPECT_EQ(cluster.propose(command, 3).items.at(0).value, 2);
  EXPECT_EQ(node_ids(cluster.state()), (std::vector<std::int32_t>{1, 2, 2}));
}

TEST(Brokers, registered_before_the_last_forgetting_are_refused) {
  Cluster cluster;
  cluster.add_broker(2);
  command::RegisterBroker old = registration(cluster.state(), "host3");
  cluster.propose(command::DeregisterBroker{}, 2);
  EXPECT_EQ(cluster.propose(old, 3).refusal, Refusal::stale_registration);
  EXPECT_EQ(cluster.propose(registration(cluster.state(), "host3"), 3).refusal, Refusal::none);
}

/// Spec Incarnations: copies of a forgotten broker's commands live on in other brokers.
TEST(Brokers, that_were_forgotten_never_have_a_command_applied_again) {
  Cluster cluster;
  std::vector<SharedBytes> copies;
  cluster.add_broker(2);
  CommandGroup whole_life{broker_id(2), CommandCounter(1), {}};
  command::RegisterBroker first = registration(cluster.state(), "host2");
  first.folded_position = 1;
  whole_life.commands = {encoded(first), encoded(command::Vouch{})};
  cluster.fold(cluster.log().entry({whole_life}));
  command::ExpireBroker expire;
  expire.incarnation = Uuid::from_bytes(broker_id(2).view());
  expire.voucher_position =
      static_cast<std::int64_t>(cluster.state().broker(broker_id(2))->info.last_sign.value);
  ASSERT_EQ(cluster.propose(expire).refusal, Refusal::none);
  Folded again = cluster.fold(cluster.log().entry({whole_life}));
  EXPECT_EQ(again.outcomes.at(0).refusal, Refusal::stale_registration);
  EXPECT_EQ(again.outcomes.at(1).refusal, Refusal::not_registered);
}

TEST(Brokers, are_expired_only_by_their_last_sign_of_life) {
  Cluster cluster;
  cluster.add_broker(2);
  std::int64_t old_sign =
      static_cast<std::int64_t>(cluster.state().broker(broker_id(2))->info.last_sign.value);
  cluster.propose(command::Vouch{}, 2);
  command::ExpireBroker expire;
  expire.incarnation = Uuid::from_bytes(broker_id(2).view());
  expire.voucher_position = old_sign;
  EXPECT_EQ(cluster.propose(expire).refusal, Refusal::guard_mismatch);
  expire.voucher_position = old_sign + 1;
  EXPECT_EQ(cluster.state().brokers()[1].last_sign.value, static_cast<std::uint64_t>(old_sign + 1));
  EXPECT_EQ(cluster.propose(expire).refusal, Refusal::none);
  EXPECT_EQ(cluster.propose(expire).refusal, Refusal::not_found);
}

TEST(Brokers, each_change_of_the_live_set_is_a_new_placement_epoch) {
  Cluster cluster;
  EXPECT_EQ(cluster.state().placement_epoch(), LeaderEpoch(1));
  cluster.add_broker(2);
  EXPECT_EQ(cluster.state().placement_epoch(), LeaderEpoch(2));
  cluster.propose(command::Vouch{}, 2);
  EXPECT_EQ(cluster.state().placement_epoch(), LeaderEpoch(2));
  cluster.propose(command::DeregisterBroker{}, 2);
  EXPECT_EQ(cluster.state().placement_epoch(), LeaderEpoch(3));
  cluster.propose(registration(cluster.state(), "host1"), 3);  // supersedes: one change
  EXPECT_EQ(cluster.state().placement_epoch(), LeaderEpoch(4));
}

TEST(Brokers, whose_levels_exclude_the_cluster_are_refused) {
  Cluster cluster;
  command::RegisterBroker command = registration(cluster.state(), "new");
  command.feature_level_max = 0;
  command.feature_level_min = 0;
  EXPECT_EQ(cluster.propose(command, 2).refusal, Refusal::unsupported_level);
  command.feature_level_min = 2;
  command.feature_level_max = 3;
  EXPECT_EQ(cluster.propose(command, 2).refusal, Refusal::unsupported_level);
}

TEST(Brokers, with_impossible_registrations_are_refused) {
  Cluster cluster;
  command::RegisterBroker good = registration(cluster.state(), "h");
  std::vector<command::RegisterBroker> bad(6, good);
  bad[0].folded_position = 1'000;
  bad[1].folded_position = -1;
  bad[2].requested_node_id = -2;
  bad[3].endpoints[0].port = 65'536;
  bad[4].endpoints[0].host = "";
  bad[5].session_timeout_ms = 0;
  for (const command::RegisterBroker& command : bad)
    EXPECT_EQ(cluster.propose(command, 2).refusal, Refusal::malformed);
  EXPECT_EQ(cluster.propose(good, 2).refusal, Refusal::none);
  EXPECT_EQ(cluster.propose(good, 2).refusal, Refusal::malformed);  // a second time
}

// --- leaders ---

TEST(Leaders, are_in_the_zone_of_the_client_where_it_has_brokers) {
  std::vector<BrokerInfo> brokers(4);
  for (std::size_t i = 0; i < 4; ++i) {
    brokers[i].node_id = NodeId(static_cast<std::int32_t>(i + 1));
    brokers[i].zone = i < 2 ? "a" : "b";
  }
  std::array<int, 5> leads{};
  for (std::int32_t p = 0; p < 1'000; ++p) {
    PartitionRef at{testing::topic_id("t"), PartitionIndex(p)};
    EXPECT_LE(leader_of(brokers, at, "a").node_id.value, 2);
    EXPECT_GT(leader_of(brokers, at, "b").node_id.value, 2);
    EXPECT_EQ(&leader_of(brokers, at, "nowhere"), &leader_of(brokers, at, std::nullopt));
    ++leads.at(static_cast<std::size_t>(leader_of(brokers, at, std::nullopt).node_id.value));
  }
  for (std::size_t node = 1; node <= 4; ++node) EXPECT_GT(leads[node], 150);
}

TEST(Leaders, move_only_to_or_from_the_broker_that_changes) {
  std::vector<BrokerInfo> brokers(3);
  for (std::size_t i = 0; i < 3; ++i) brokers[i].node_id = NodeId(static_cast<std::int32_t>(i + 1));
  std::vector<BrokerInfo> fewer = {brokers[0], brokers[2]};
  for (std::int32_t p = 0; p < 300; ++p) {
    PartitionRef at{testing::topic_id("t"), PartitionIndex(p)};
    NodeId before = leader_of(brokers, at, std::nullopt).node_id;
    if (before.value != 2) {
      EXPECT_EQ(leader_of(fewer, at, std::nullopt).node_id, before);
    }
  }
}

}  // namespace
}  // namespace weir::state
