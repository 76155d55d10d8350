// Brokers whose log or store is damaged, gone, full, or of a later program.
#include <gtest/gtest.h>

#include "commitlog/forwarding_log_for_test.h"
#include "engine/testing/cluster_fixture.h"
#include "objstore/fault_store.h"
#include "state/commands/genesis.h"
#include "state/limits.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;
using testing::quick_options;

class StoreFaultsTest : public testing::ClusterFixture {};

/// A log that can be made to fail.
class FailingLog final : public commitlog::ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  rt::Task<Result<commitlog::CreateOutcome>> create(Position p, BytesChain e) override {
    if (creates_fail) co_return std::unexpected(*creates_fail);
    while (creates_hang) co_await rt::sleep_for(*creates_hang, 100ms);
    co_return co_await inner_.create(p, std::move(e));
  }
  rt::Task<Result<std::optional<SharedBytes>>> read(Position p) override {
    if (reads_fail) co_return std::unexpected(*reads_fail);
    co_return co_await inner_.read(p);
  }
  std::string describe() const override { return "failing"; }
  std::optional<Error> creates_fail;
  std::optional<Error> reads_fail;
  rt::Loop* creates_hang = nullptr;
};

TEST_F(StoreFaultsTest, a_log_that_is_gone_stops_the_broker_with_a_sentence) {
  for (bool writes : {true, false}) {
    std::string host = writes ? "b" : "c";
    FailingLog log(log_);
    rt::sim::SimNode& n = world_.start_node({.host = host});
    EngineNode& b = n.make<EngineNode>(n, testing::SharedStores{store_, log}, quick_options(host));
    ASSERT_TRUE(get(n, b->start(n.loop().now() + 5s)).has_value());
    PartitionRef at{create_topic(host, b, "t" + host), PartitionIndex(0)};
    (writes ? log.creates_fail : log.reads_fail) = {ErrorCode::not_found, "it was replaced"};
    if (writes) {
      EXPECT_FALSE(produce(host, b, batch_of(at, {"x"})).ok());
    } else {
      world_.run_for(30s);
    }
    EXPECT_NE(b->status().halted.find("was replaced"), std::string::npos) << b->status().halted;
    EXPECT_FALSE(b->status().ready);
    n.kill();
  }
}

TEST_F(StoreFaultsTest, data_without_its_log_is_no_new_cluster) {
  Options options = quick_options("a");
  options.inline_bytes = 0;
  EngineNode& a = start("a", options);
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  ASSERT_TRUE(produce("a", a, batch_of(at, {"x"})).ok());
  for (bool snapshot : {false, true}) {
    if (snapshot) {
      ASSERT_TRUE(get(node("a"), a->snapshotter().write()).has_value());
    }
    commitlog::MemoryLog lost;
    std::string host = snapshot ? "c" : "b";
    rt::sim::SimNode& n = world_.start_node({.host = host});
    EngineNode& b = n.make<EngineNode>(n, testing::SharedStores{store_, lost}, quick_options(host));
    auto started = get(n, b->start(n.loop().now() + 5s));
    ASSERT_FALSE(started.has_value());
    EXPECT_EQ(started.error().code, ErrorCode::configuration) << started.error().message;
    EXPECT_NE(started.error().message.find("copy"), std::string::npos) << started.error().message;
    n.kill();
  }
}

TEST_F(StoreFaultsTest, a_broker_that_cannot_commit_is_not_ready_until_it_can) {
  FailingLog log(log_);
  rt::sim::SimNode& n = world_.start_node({.host = "a"});
  EngineNode& a = n.make<EngineNode>(n, testing::SharedStores{store_, log}, quick_options("a"));
  ASSERT_TRUE(get(n, a->start(n.loop().now() + 5s)).has_value());
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  for (bool hangs : {false, true}) {
    if (hangs)
      log.creates_hang = &n.loop();
    else
      log.creates_fail = {ErrorCode::out_of_space, "no space left on device"};
    n.spawn([](EngineNode& e, ProduceItem item) -> rt::Task<void> {
      std::vector<ProduceItem> items;
      items.push_back(std::move(item));
      (void)co_await e->produce(std::move(items), e->loop().now() + 30s);
    }(a, batch_of(at, {"x"})));
    world_.run_for(2s);
    EXPECT_TRUE(a->status().ready) << "one failure is nothing";
    world_.run_for(8s);
    EXPECT_FALSE(a->status().ready);
    EXPECT_NE(a->status().commit_trouble.find(hangs ? "does not answer" : "no space"),
              std::string::npos)
        << a->status().commit_trouble;
    log.creates_fail.reset();
    log.creates_hang = nullptr;
    world_.run_for(3s);
    EXPECT_TRUE(a->status().ready) << a->status().commit_trouble;
  }
}

TEST_F(StoreFaultsTest, failing_uploads_make_a_broker_not_ready_for_a_while) {
  rt::sim::SimNode& n = world_.start_node({.host = "a"});
  Options options = quick_options("a");
  options.inline_bytes = 0;
  objstore::FaultStore& store =
      n.make<objstore::FaultStore>(store_, n.loop(), n.random(), objstore::FaultLaw{});
  EngineNode& a = n.make<EngineNode>(n, testing::SharedStores{store, log_}, options);
  ASSERT_TRUE(get(n, a->start(n.loop().now() + 5s)).has_value());
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  store.set_down(true);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(produce("a", a, batch_of(at, {"x"})).ok());
    world_.run_for(500ms);
  }
  EXPECT_FALSE(a->status().ready);
  EXPECT_NE(a->status().commit_trouble.find("takes no segments"), std::string::npos);
  world_.run_for(20s);
  EXPECT_TRUE(a->status().ready) << "so that clients try again";
  store.set_down(false);
  EXPECT_TRUE(produce("a", a, batch_of(at, {"x"})).ok());
  EXPECT_TRUE(a->status().ready);
}

TEST_F(StoreFaultsTest, a_later_feature_level_stops_the_broker_with_a_sentence) {
  EngineNode& a = start("a");
  std::uint16_t later = state::kFeatureLevelNewest + 1;
  state::EntryHeader header;
  header.cluster_tag = state::cluster_tag_of(a->catalog().cluster_id());
  header.position = a->follower().next();
  header.previous = a->follower().state().nonce();
  header.nonce = node("a").random().id128<Nonce>();
  header.wall = node("a").loop().wall_now();
  header.level = FeatureLevel(later);
  ASSERT_EQ(get(node("a"), log_.create(header.position, state::encode_entry(header, {}, {}))),
            commitlog::CreateOutcome::won);
  EXPECT_FALSE(get(node("a"), a->barrier(soon("a"))).has_value());
  EXPECT_NE(a->status().halted.find("newer version"), std::string::npos) << a->status().halted;
  EXPECT_FALSE(a->status().ready);
  EXPECT_LT(a->follower().state().level(), FeatureLevel(later));
}

TEST_F(StoreFaultsTest, a_cluster_made_by_a_later_program_is_refused) {
  state::command::Genesis genesis;
  genesis.cluster_id = "later";
  genesis.feature_level = state::kFeatureLevelNewest + 1;
  genesis.shard_count = 1;
  state::CommandGroup group;
  group.commands.push_back({state::command::Genesis::kType, encode_body(genesis)});
  state::EntryHeader header;
  header.cluster_tag = state::cluster_tag_of(genesis.cluster_id);
  header.level = FeatureLevel(1);
  rt::sim::SimNode& n = world_.start_node({.host = "a"});
  header.nonce = n.random().id128<Nonce>();
  ASSERT_EQ(get(n, log_.create(Position(0), state::encode_entry(header, std::span(&group, 1), {}))),
            commitlog::CreateOutcome::won);
  EngineNode& a = n.make<EngineNode>(n, testing::SharedStores{store_, log_}, quick_options("a"));
  auto started = get(n, a->start(n.loop().now() + 5s));
  ASSERT_FALSE(started.has_value());
  EXPECT_NE(started.error().message.find("newer version"), std::string::npos)
      << started.error().message;
}

}  // namespace
}  // namespace weir::engine
