// GroupsFixture: groups on simulated brokers, and the words of a consumer to talk to them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/groups.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine::testing {

inline JoinRequest join_of(const std::string& member, const std::string& known = "") {
  JoinRequest join;
  join.group = "g";
  join.member = known;
  join.new_member = member;
  join.client_id = "client";
  join.client_host = "/127.0.0.1";
  join.session_timeout_ms = 6'000;
  join.rebalance_timeout_ms = 20'000;
  join.protocol_type = "consumer";
  join.protocols.push_back({"range", SharedBytes::copy_of(as_bytes("of " + member))});
  join.group_size_max = 1'000;
  join.initial_delay_ms = 0;
  return join;
}

class GroupsFixture : public ClusterFixture {
 protected:
  /// Requests that wait; their answers come into the optional.
  std::optional<JoinAnswer>& join_later(const std::string& host, EngineNode& engine,
                                        JoinRequest request, const bool* cancelled = nullptr) {
    auto& answer = joins_.emplace_back();
    node(host).spawn([](EngineNode& e, JoinRequest r, MonoTime until, const bool* flag,
                        std::optional<JoinAnswer>* out) -> rt::Task<void> {
      *out = co_await e->groups().join(std::move(r), until, flag);
    }(engine, std::move(request), node(host).loop().now() + 60s, cancelled, &answer));
    world_.run_for(100ms);
    return answer;
  }
  std::optional<SyncAnswer>& sync_later(const std::string& host, EngineNode& engine,
                                        SyncRequest request) {
    auto& answer = syncs_.emplace_back();
    node(host).spawn([](EngineNode& e, SyncRequest r, MonoTime until,
                        std::optional<SyncAnswer>* out) -> rt::Task<void> {
      *out = co_await e->groups().sync(std::move(r), until, nullptr);
    }(engine, std::move(request), node(host).loop().now() + 60s, &answer));
    world_.run_for(100ms);
    return answer;
  }
  JoinAnswer join(const std::string& host, EngineNode& engine, JoinRequest request) {
    return get(node(host),
               engine->groups().join(std::move(request), node(host).loop().now() + 60s, nullptr));
  }
  SyncRequest sync_of(const std::string& member, std::int32_t generation,
                      const std::vector<std::string>& members = {}) {
    SyncRequest sync;
    sync.from = {"g", member, std::nullopt, generation};
    for (const std::string& one : members)
      sync.assignments.emplace_back(one, SharedBytes::copy_of(as_bytes("for " + one)));
    return sync;
  }
  SyncAnswer sync(const std::string& host, EngineNode& engine, SyncRequest request) {
    return get(node(host),
               engine->groups().sync(std::move(request), node(host).loop().now() + 60s, nullptr));
  }
  Refusal beat(const std::string& host, EngineNode& engine, const std::string& member,
               std::int32_t generation) {
    return get(node(host),
               engine->groups().heartbeat({"g", member, std::nullopt, generation}, soon(host)))
        .refusal;
  }
  GroupOutcome commit(const std::string& host, EngineNode& engine, MemberId from, PartitionRef at,
                      std::int64_t offset) {
    from.group = "g";
    return get(node(host),
               engine->groups().commit_offsets(std::move(from), {{at, offset, 3, "m"}}, soon(host)))
        .front();
  }
  FetchedOffsets committed(const std::string& host, EngineNode& engine) {
    EXPECT_TRUE(get(node(host), engine->barrier(soon(host))).has_value());
    return engine->groups().read_offsets({"g", std::nullopt, -1, std::nullopt});
  }
  const state::Group* group(EngineNode& engine) {
    return engine->follower().state().groups().find("g");
  }
  /// A stable group of one member with this session.
  void settle(const std::string& host, EngineNode& engine, const std::string& member) {
    const JoinAnswer joined = join(host, engine, join_of(member));
    ASSERT_TRUE(joined.ok());
    ASSERT_TRUE(sync(host, engine, sync_of(member, joined.generation, {member})).ok());
  }

  std::deque<std::optional<JoinAnswer>> joins_;
  std::deque<std::optional<SyncAnswer>> syncs_;
};

}  // namespace weir::engine::testing
