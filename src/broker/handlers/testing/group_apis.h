// For tests: the APIs of groups at a lone broker whose engine is the real one, over a log in
// memory.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/handlers/handlers.h"
#include "broker/kafka_error.h"
#include "broker/testing/rig.h"
#include "commitlog/memory_log.h"
#include "engine/cluster_engine.h"
#include "objstore/memory_store.h"
#include "wire/delete_groups.h"
#include "wire/describe_groups.h"
#include "wire/find_coordinator.h"
#include "wire/heartbeat.h"
#include "wire/join_group.h"
#include "wire/leave_group.h"
#include "wire/list_groups.h"
#include "wire/offset_commit.h"
#include "wire/offset_delete.h"
#include "wire/offset_fetch.h"
#include "wire/sync_group.h"

namespace weir::broker::handlers {

/// A lone broker whose engine is the real one.
class GroupApis : public ::testing::Test {
 protected:
  GroupApis() {
    rig_ = std::make_unique<testing::Rig>(
        handler_table(),
        testing::RigOptions{
            .given = {{"group.initial.rebalance.delay.ms", "0"}, {"group.max.size", "3"}},
            .make_engine = [this](rt::sim::SimNode& node) -> engine::Engine& {
              return make(node);
            }});
    run(start(*engine_, rig_->node.loop()));
    client_ = std::make_unique<testing::RawClient>(rig_->connect());
    topic_ = create("t");
  }
  ~GroupApis() override {
    client_.reset();
    rig_->drain();
    run(engine_->stop(rig_->node.loop().now() + 5s));
    // The engine dies before the world that its loop is of.
    engine_.reset();
  }

  engine::Engine& make(rt::sim::SimNode& node) {
    engine::Options options;
    options.endpoints.push_back({"plain", "plaintext", "broker", 9092});
    options.software_version = "test";
    engine_ = std::make_unique<engine::ClusterEngine>(
        engine::ClusterEngine::Parts{node.loop(), node.random(), store_, log_, pool_, nullptr,
                                     logger_, metrics_},
        std::move(options));
    return *engine_;
  }
  static rt::Task<void> start(engine::ClusterEngine& engine, rt::Loop& loop) {
    auto started = co_await engine.start(loop.now() + 10s);
    EXPECT_TRUE(started.has_value());
  }
  void run(rt::Task<void> task) {
    bool done = false;
    rig_->node.spawn([](rt::Task<void> inner, bool* flag) -> rt::Task<void> {
      co_await std::move(inner);
      *flag = true;
    }(std::move(task), &done));
    EXPECT_TRUE(rig_->run_while([&] { return !done; }));
  }
  TopicId create(const std::string& name) {
    TopicId id;
    run([](engine::ClusterEngine& e, std::string n, MonoTime until,
           TopicId* out) -> rt::Task<void> {
      auto made = co_await e.create_topics({{std::move(n), 2, 1, {}}}, until);
      *out = made.front().id;
    }(*engine_, name, rig_->node.loop().now() + 5s, &id));
    return id;
  }

  static wire::JoinGroupRequest join_request(const std::string& member = "") {
    wire::JoinGroupRequest request{.group_id = "g",
                                   .session_timeout_ms = 10'000,
                                   .rebalance_timeout_ms = 20'000,
                                   .member_id = member,
                                   .protocol_type = "consumer"};
    request.protocols.push_back({"range", SharedBytes::copy_of(as_bytes("meta"))});
    return request;
  }
  wire::JoinGroupResponse join(const wire::JoinGroupRequest& request, std::int16_t version) {
    return client_->call<wire::JoinGroupResponse>(request, version);
  }
  /// Joins, with the second try that MEMBER_ID_REQUIRED asks for.
  wire::JoinGroupResponse join_fully(std::int16_t version = 9) {
    wire::JoinGroupResponse first = join(join_request(), version);
    if (first.error_code != code(KafkaError::member_id_required)) return first;
    return join(join_request(first.member_id), version);
  }
  wire::SyncGroupResponse sync(const std::string& member, std::int32_t generation,
                               std::int16_t version = 5) {
    wire::SyncGroupRequest request{
        .group_id = "g", .generation_id = generation, .member_id = member};
    request.assignments.push_back({member, SharedBytes::copy_of(as_bytes("assigned"))});
    return client_->call<wire::SyncGroupResponse>(request, version);
  }
  /// The member of a stable group of one.
  std::string settle() {
    const wire::JoinGroupResponse joined = join_fully();
    EXPECT_EQ(joined.error_code, 0);
    EXPECT_EQ(sync(joined.member_id, joined.generation_id).error_code, 0);
    return joined.member_id;
  }
  std::int16_t beat(const std::string& member, std::int32_t generation) {
    wire::HeartbeatRequest request{
        .group_id = "g", .generation_id = generation, .member_id = member};
    return client_->call<wire::HeartbeatResponse>(request, 4).error_code;
  }
  wire::OffsetCommitRequest commit_request(std::int64_t offset, const std::string& member = "",
                                           std::int32_t generation = -1) {
    wire::OffsetCommitRequest request{
        .group_id = "g", .generation_id_or_member_epoch = generation, .member_id = member};
    request.topics.push_back({.name = "t", .topic_id = topic_});
    request.topics[0].partitions.push_back({.partition_index = 0,
                                            .committed_offset = offset,
                                            .committed_leader_epoch = 4,
                                            .committed_metadata = "note"});
    return request;
  }
  std::int16_t commit(const wire::OffsetCommitRequest& request, std::int16_t version = 9) {
    return client_->call<wire::OffsetCommitResponse>(request, version)
        .topics.at(0)
        .partitions.at(0)
        .error_code;
  }
  wire::OffsetFetchResponse fetch_all(std::int16_t version = 9) {
    wire::OffsetFetchRequest request{.group_id = version < 8 ? "g" : ""};
    request.topics = std::nullopt;
    if (version >= 8) request.groups.push_back({.group_id = "g", .topics = std::nullopt});
    if (version >= 8) request.topics = {{}};
    return client_->call<wire::OffsetFetchResponse>(request, version);
  }

  objstore::MemoryStore store_;
  commitlog::MemoryLog log_;
  testing::RecordingLogger logger_;
  Metrics metrics_;
  MemoryPool pool_{"cache", std::size_t{16} << 20};
  std::unique_ptr<testing::Rig> rig_;
  std::unique_ptr<engine::ClusterEngine> engine_;
  std::unique_ptr<testing::RawClient> client_;
  TopicId topic_;
};

}  // namespace weir::broker::handlers
