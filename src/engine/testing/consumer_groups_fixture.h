// ConsumerGroupsFixture: groups of the consumer protocol on simulated brokers, and members that
// behave as client libraries do.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/consumer_groups.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine::testing {

/// What a member of a client library remembers.
struct ConsumerOfTest {
  std::string id;
  std::int32_t epoch = 0;
  std::vector<PartitionRef> owned;
  bool told = false;
};

class ConsumerGroupsFixture : public ClusterFixture {
 protected:
  using Member = ConsumerOfTest;

  ConsumerHeartbeat heartbeat_of(const Member& member) {
    ConsumerHeartbeat out;
    out.group = "g";
    out.member = member.id;
    out.epoch = member.epoch;
    out.client_id = "client";
    out.client_host = "/127.0.0.1";
    out.settings.session_timeout_ms = 6'000;
    out.settings.assignment_interval_ms = 0;
    if (member.epoch == 0) {
      out.topics = {{"t"}};
      out.rebalance_timeout_ms = 10'000;
    }
    if (member.epoch == 0 || member.told) out.owned = member.owned;
    return out;
  }
  ConsumerHeartbeatAnswer call(const std::string& host, EngineNode& engine,
                               ConsumerHeartbeat request) {
    return get(node(host), engine->consumer_groups().heartbeat(std::move(request), soon(host)));
  }
  /// One round of a well-behaved member: heartbeats, and revokes and takes what it is told.
  Refusal beat(const std::string& host, EngineNode& engine, Member& member) {
    ConsumerHeartbeatAnswer answer = call(host, engine, heartbeat_of(member));
    EXPECT_FALSE(answer.failure.has_value()) << answer.failure->message;
    if (!answer.ok()) return answer.refusal;
    member.epoch = answer.epoch;
    member.told = answer.assignment.has_value();
    if (answer.assignment) member.owned = *answer.assignment;
    return Refusal::none;
  }
  GroupOutcome leave(const std::string& host, EngineNode& engine, const std::string& member) {
    return get(node(host), engine->consumer_groups().leave({.group = "g", .member = member}, false,
                                                           {}, soon(host)));
  }
  const state::ConsumerGroup& group(EngineNode& engine) {
    return *engine->follower().state().groups().find("g")->consumer();
  }
  state::ConsumerGroupState state(EngineNode& engine) { return group(engine).state(); }
  /// Lets all members beat until nothing more happens.
  void converge(const std::string& host, EngineNode& engine, std::vector<Member*> members) {
    for (int round = 0; round < 6; ++round)
      for (Member* member : members) ASSERT_EQ(beat(host, engine, *member), Refusal::none);
    EXPECT_EQ(state(engine), state::ConsumerGroupState::stable);
  }
};

}  // namespace weir::engine::testing
