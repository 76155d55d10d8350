// What becomes of a cluster whose brokers, log or store misbehave.
#include <gtest/gtest.h>

#include "commitlog/forwarding_log_for_test.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;
using testing::quick_options;
using testing::values_of;

class ClusterFaultsTest : public testing::ClusterFixture {};

TEST_F(ClusterFaultsTest, a_restarted_broker_serves_everything_that_was_acknowledged) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  std::vector<std::string> expected;
  for (int i = 0; i < 200; ++i) {
    expected.push_back("value " + std::to_string(i));
    ASSERT_EQ(produce("a", a, batch_of(at, {expected.back()})).base_offset, Offset(i));
  }
  world_.run_for(5s);
  node("a").kill();
  EngineNode& again = start("a");
  EXPECT_EQ(values_of(fetch("a", again, at, Offset(0)).records), expected);
  EXPECT_EQ(produce("a", again, batch_of(at, {"next"})).base_offset, Offset(200));
  EXPECT_GT(again->status().folded, Position(200));
}

TEST_F(ClusterFaultsTest, two_brokers_share_one_order) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  EXPECT_NE(a->node_id(), b->node_id());
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  // A topic is visible on any broker at once, after a barrier.
  ASSERT_TRUE(get(node("b"), b->barrier(soon("b"))).has_value());
  EXPECT_NE(b->catalog().topic("t"), nullptr);
  EXPECT_EQ(produce("b", b, batch_of(at, {"from b"})).base_offset, Offset(0));
  EXPECT_EQ(produce("a", a, batch_of(at, {"from a"})).base_offset, Offset(1));
  EXPECT_EQ(values_of(fetch("b", b, at, Offset(0), 1000, 1s).records).size(), 1u);
  ASSERT_TRUE(get(node("b"), b->barrier(soon("b"))).has_value());
  EXPECT_EQ(values_of(fetch("b", b, at, Offset(0)).records),
            (std::vector<std::string>{"from b", "from a"}));
  EXPECT_EQ(a->catalog().brokers().size(), 2u);
  EXPECT_EQ(a->catalog().placement_epoch(), b->catalog().placement_epoch());
}

TEST_F(ClusterFaultsTest, a_silent_broker_is_expired_and_a_paused_one_comes_back) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  world_.run_for(2s);
  Incarnation first = b->status().incarnation;
  node("b").pause();
  world_.run_for(30s);
  EXPECT_EQ(a->catalog().brokers().size(), 1u);
  node("b").resume();
  world_.run_for(5s);
  // A broker that believes to be alone looks rarely; a barrier makes it look.
  ASSERT_TRUE(get(node("a"), a->barrier(soon("a"))).has_value());
  EXPECT_EQ(a->catalog().brokers().size(), 2u);
  EXPECT_NE(b->status().incarnation, first);
  EXPECT_TRUE(b->status().ready);
}

TEST_F(ClusterFaultsTest, brokers_that_were_expired_come_back_with_their_node_ids) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  EngineNode& c = start("c");
  world_.run_for(2s);
  const NodeId of_b = b->node_id();
  const NodeId of_c = c->node_id();
  node("b").pause();
  node("c").pause();
  world_.run_for(30s);
  EXPECT_EQ(a->catalog().brokers().size(), 1u);
  node("c").resume();
  world_.run_for(5s);
  node("b").resume();
  world_.run_for(5s);
  ASSERT_TRUE(get(node("a"), a->barrier(soon("a"))).has_value());
  EXPECT_EQ(a->catalog().brokers().size(), 3u);
  EXPECT_EQ(b->node_id(), of_b);
  EXPECT_EQ(c->node_id(), of_c);
}

TEST_F(ClusterFaultsTest, a_dead_broker_is_unregistered_on_demand_and_a_live_one_comes_back) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  world_.run_for(2s);
  const NodeId id = b->node_id();
  const Incarnation first = b->status().incarnation;
  EXPECT_TRUE(get(node("a"), a->expire_broker(id, soon("a"))).ok());
  world_.run_for(10s);
  ASSERT_TRUE(get(node("a"), a->barrier(soon("a"))).has_value());
  EXPECT_EQ(a->catalog().brokers().size(), 2u);
  EXPECT_NE(b->status().incarnation, first);
  const NodeId again = b->node_id();
  node("b").pause();
  EXPECT_TRUE(get(node("a"), a->expire_broker(again, soon("a"))).ok());
  EXPECT_EQ(a->catalog().brokers().size(), 1u);
  EXPECT_EQ(get(node("a"), a->expire_broker(again, soon("a"))).refusal, Refusal::not_found);
  node("b").resume();
  world_.run_for(5s);
}

TEST_F(ClusterFaultsTest, the_feature_level_rises_only_to_what_every_broker_supports) {
  EngineNode& a = start("a");
  const FeatureLevel now = a->status().feature_level;
  EXPECT_EQ(get(node("a"), a->raise_feature_level(now, soon("a"))).refusal,
            Refusal::guard_mismatch);
  const FeatureLevel beyond(static_cast<std::uint16_t>(now.value + 1));
  EXPECT_EQ(get(node("a"), a->raise_feature_level(beyond, soon("a"))).refusal,
            Refusal::unsupported_level);
  EXPECT_EQ(a->status().feature_level, now);
}

TEST_F(ClusterFaultsTest, a_broker_that_joins_an_idle_one_does_not_take_it_for_dead) {
  EngineNode& a = start("a");
  Incarnation first = a->status().incarnation;
  // Whenever it joins, relative to the rare looks of a broker that is alone.
  for (int i = 0; i < 5; ++i) {
    world_.run_for(33s);
    EngineNode& b = start("b");
    world_.run_for(30s);
    EXPECT_EQ(a->status().incarnation, first);
    EXPECT_EQ(a->catalog().brokers().size(), 2u);
    run(node("b"), b->stop(soon("b")));
    node("b").exit();
  }
}

TEST_F(ClusterFaultsTest, a_segment_uploaded_before_an_expiry_is_uploaded_again) {
  EngineNode& a = start("a");
  Options slow = quick_options("b");
  slow.inline_bytes = 0;
  slow.commit_gap = 1s;
  slow.poll_quiet = 60s;
  EngineNode& b = start("b", slow);
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  ASSERT_TRUE(get(node("b"), b->barrier(soon("b"))).has_value());
  // The segment is in the store, its command waits for the commit gap, and the broker sleeps.
  std::optional<ProduceOutcome> done;
  auto send = [](EngineNode& e, ProduceItem item, MonoTime deadline,
                 std::optional<ProduceOutcome>* out) -> rt::Task<void> {
    std::vector<ProduceItem> items;
    items.push_back(std::move(item));
    *out = (co_await e->produce(std::move(items), deadline)).front();
  };
  node("b").spawn(send(b, batch_of(at, {"first"}), node("b").loop().now() + 120s, &done));
  node("b").spawn(send(b, batch_of(at, {"x"}), node("b").loop().now() + 120s, &done));
  ASSERT_TRUE(world_.run_while([&] { return b->status().pending_commands == 0; }, 1s));
  node("b").pause();
  world_.run_for(30s);
  ASSERT_EQ(a->catalog().brokers().size(), 1u);
  node("b").resume();
  ASSERT_TRUE(world_.run_while([&] { return !done; }, 60s));
  EXPECT_TRUE(done->ok());
  ASSERT_TRUE(get(node("a"), a->barrier(soon("a"))).has_value());
  EXPECT_EQ(values_of(fetch("a", a, at, Offset(0)).records).size(), 2u);
}

TEST_F(ClusterFaultsTest, a_read_that_finds_a_new_start_is_out_of_range_and_skips_nothing) {
  Options options = quick_options("a");
  options.inline_bytes = 0;
  options.poll_quiet = 60s;
  EngineNode& a = start("a", options);
  options.endpoints.front().host = "b";
  EngineNode& b = start("b", options);
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  ASSERT_TRUE(get(node("b"), b->barrier(soon("b"))).has_value());
  produce("b", b, batch_of(at, {"x"}));
  produce("a", a, batch_of(at, {"y"}));
  // The first object goes after its records were deleted, and `a` has not noticed.
  auto deleted = get(node("b"), b->delete_records({{at, Offset(1)}}, soon("b")));
  ASSERT_TRUE(deleted.front().ok());
  auto page = get(node("b"), store_.list("data/", ""));
  std::vector<std::string> names;
  for (const objstore::ObjectInfo& object : page->objects)
    if (object.name.find(b->status().incarnation.hex()) != std::string::npos)
      names.push_back(object.name);
  ASSERT_EQ(names.size(), 1u);
  ASSERT_TRUE(get(node("b"), store_.remove(names)).has_value());
  FetchedPartition got = fetch("a", a, at, Offset(0));
  EXPECT_EQ(got.refusal, Refusal::offset_out_of_range);
  EXPECT_EQ(got.info.start, Offset(1));
  EXPECT_TRUE(got.records.empty());
}

TEST_F(ClusterFaultsTest, a_clean_stop_commits_what_is_buffered_and_leaves) {
  EngineNode& a = start("a");
  EngineNode& b = start("b");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  EXPECT_TRUE(produce("a", a, batch_of(at, {"x"})).ok());
  run(node("a"), a->stop(soon("a")));
  world_.run_for(3s);
  EXPECT_EQ(b->catalog().brokers().size(), 1u);
  node("a").exit();
}

TEST_F(ClusterFaultsTest, another_cluster_id_is_refused_with_a_sentence) {
  start("a");
  Options other = quick_options("b");
  other.cluster_id = "another";
  rt::sim::SimNode& n = world_.start_node({.host = "b"});
  EngineNode& b = n.make<EngineNode>(n, testing::SharedStores{store_, log_}, other);
  auto started = get(n, b->start(n.loop().now() + 5s));
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().code, ErrorCode::configuration);
  EXPECT_NE(started.error().message.find("another"), std::string::npos);
}

/// A log in which one entry has been damaged after it was folded.
class DamagedLog final : public commitlog::ForwardingLog {
 public:
  DamagedLog(commitlog::CommitLog& inner, Position damaged)
      : ForwardingLog(inner), damaged_(damaged) {}
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override {
    auto found = co_await inner_.read(at);
    if (found && *found && at == damaged_) *found = SharedBytes::copy_of(as_bytes("no entry"));
    co_return found;
  }
  std::string describe() const override { return "damaged"; }

 private:
  Position damaged_;
};

TEST_F(ClusterFaultsTest, a_damaged_entry_is_named_and_a_snapshot_behind_it_heals) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  for (int i = 0; i < 5; ++i) produce("a", a, batch_of(at, {"x"}));
  DamagedLog damaged(log_, Position(3));
  rt::sim::SimNode& n = world_.start_node({.host = "b"});
  EngineNode& b = n.make<EngineNode>(n, testing::SharedStores{store_, damaged}, quick_options("b"));
  auto refused = get(n, b->start(n.loop().now() + 5s));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::corrupt);
  EXPECT_NE(refused.error().message.find("position 3"), std::string::npos)
      << refused.error().message;
  n.kill();
  ASSERT_TRUE(get(node("a"), a->snapshotter().write()).has_value());
  rt::sim::SimNode& m = world_.start_node({.host = "c"});
  EngineNode& c = m.make<EngineNode>(m, testing::SharedStores{store_, damaged}, quick_options("c"));
  EXPECT_TRUE(get(m, c->start(m.loop().now() + 5s)).has_value());
  EXPECT_EQ(c->catalog().partition(at)->end, Offset(5));
}

TEST_F(ClusterFaultsTest, a_broker_that_met_damage_is_missed_and_a_snapshot_is_written_for_it) {
  Options rare = quick_options("a");
  rare.snapshot_entries = 100'000;
  rare.session_timeout = 3s;
  EngineNode& a = start("a", rare);
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  DamagedLog damaged(log_, Position(12));
  rare.endpoints = quick_options("b").endpoints;
  rt::sim::SimNode& n = world_.start_node({.host = "b"});
  EngineNode& b = n.make<EngineNode>(n, testing::SharedStores{store_, damaged}, rare);
  ASSERT_TRUE(get(n, b->start(n.loop().now() + 5s)).has_value());
  for (int i = 0; i < 15; ++i) produce("a", a, batch_of(at, {"x"}));
  world_.run_for(2s);
  EXPECT_NE(b->status().halted.find("position 12"), std::string::npos) << b->status().halted;
  EXPECT_TRUE(get(node("a"), store_.list("snapshot/", "")).value().objects.empty());
  n.kill();
  // Started again, it waits until somebody has gone past the damage for it.
  rt::sim::SimNode& m = world_.start_node({.host = "b"});
  EngineNode& again = m.make<EngineNode>(m, testing::SharedStores{store_, damaged}, rare);
  EXPECT_TRUE(get(m, again->start(m.loop().now() + 30s)).has_value());
  EXPECT_EQ(again->catalog().partition(at)->end, Offset(15));
}

/// A log whose answers come late: a create that is refused as below the floor, and the floor that
/// is told then.
class LateNews final : public commitlog::ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  rt::Task<Result<commitlog::CreateOutcome>> create(Position at, BytesChain entry) override {
    if (!std::exchange(refuses, false)) co_return co_await inner_.create(at, std::move(entry));
    tells_floor = true;
    co_return fail(ErrorCode::precondition, "below the floor");
  }
  rt::Task<Result<Position>> read_floor() override {
    if (!std::exchange(tells_floor, false)) co_return co_await inner_.read_floor();
    co_return Position(1'000);
  }
  std::string describe() const override { return "late"; }
  bool refuses = false;
  bool tells_floor = false;
};

class LeftBehindTest : public ClusterFaultsTest {
 protected:
  void SetUp() override {
    rt::sim::SimNode& n = world_.start_node({.host = "a"});
    a_ = &n.make<EngineNode>(n, testing::SharedStores{store_, late_}, quick_options("a"));
    ASSERT_TRUE(get(n, (*a_)->start(n.loop().now() + 5s)).has_value());
    at_ = {create_topic("a", *a_, "t"), PartitionIndex(0)};
  }
  LateNews late_{log_};
  EngineNode* a_ = nullptr;
  PartitionRef at_;
};

TEST_F(LeftBehindTest, a_broker_that_only_seems_so_goes_on_without_a_snapshot) {
  late_.refuses = true;
  EXPECT_TRUE(produce("a", *a_, batch_of(at_, {"x"})).ok());
  EXPECT_FALSE(late_.refuses || late_.tells_floor);
  EXPECT_FALSE((*a_)->follower().truncated());
}

TEST_F(LeftBehindTest, a_refusal_of_what_is_folded_says_nothing) {
  Follower& follower = (*a_)->follower();
  follower.note_truncated(Position(follower.next().value - 1));
  EXPECT_FALSE(follower.truncated());
  follower.note_truncated(follower.next());
  EXPECT_TRUE(follower.truncated());
  world_.run_for(5s);
  EXPECT_FALSE(follower.truncated()) << "the log can be read";
}

TEST_F(ClusterFaultsTest, a_store_that_was_rolled_back_stops_the_broker_with_a_sentence) {
  EngineNode& a = start("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  produce("a", a, batch_of(at, {"x"}));
  // What an older copy of the store looks like: the newest entries are gone.
  class Older final : public commitlog::ForwardingLog {
   public:
    using ForwardingLog::ForwardingLog;
    rt::Task<Result<std::optional<SharedBytes>>> read(Position p) override {
      if (rolled_back && p.value >= 2) co_return std::optional<SharedBytes>();
      co_return co_await inner_.read(p);
    }
    std::string describe() const override { return "older"; }
    bool rolled_back = false;
  };
  Older older(log_);
  rt::sim::SimNode& n = world_.start_node({.host = "b"});
  EngineNode& b = n.make<EngineNode>(n, testing::SharedStores{store_, older}, quick_options("b"));
  ASSERT_TRUE(get(n, b->start(n.loop().now() + 5s)).has_value());
  older.rolled_back = true;
  world_.run_for(30s);
  EXPECT_NE(b->status().halted.find("rolled back"), std::string::npos) << b->status().halted;
  EXPECT_FALSE(b->status().ready);
  EXPECT_EQ(produce("b", b, batch_of(at, {"y"})).failure->code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace weir::engine
