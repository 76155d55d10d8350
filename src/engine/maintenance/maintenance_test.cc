// Maintenance of a small cluster in the simulated world, at high speed.
#include <gtest/gtest.h>

#include "commitlog/object_log.h"
#include "engine/segment.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;
using testing::quick_options;
using testing::values_of;

MaintenanceOptions fast() {
  MaintenanceOptions options;
  options.retention_check = 500ms;
  options.clock_interval = 500ms;
  options.merge_interval = 500ms;
  options.merge_after = 1s;
  options.merge_spans_min = 4;
  options.horizon_interval = 1s;
  options.deletion_delay = 1s;
  options.deletion_interval = 500ms;
  options.orphans_interval = 2s;
  options.truncate_interval = 500ms;
  options.truncate_entries_min = 10;
  options.log_grace = 4s;
  options.rewrite_bytes_min = 1'500;
  return options;
}

class MaintenanceTest : public testing::ClusterFixture {
 protected:
  static Options options(const std::string& host) {
    Options options = quick_options(host);
    options.maintenance = fast();
    options.snapshot_entries = 20;
    options.snapshot_interval_min = 1s;
    return options;
  }
  EngineNode& begin(const std::string& host, std::size_t inline_bytes = 1u << 20) {
    Options with = options(host);
    with.inline_bytes = inline_bytes;
    return start(host, with);
  }
  std::vector<std::string> objects(const std::string& prefix) {
    std::vector<std::string> names;
    auto page = get(node(host_), store_.list(prefix, ""));
    for (const objstore::ObjectInfo& object : page->objects) names.push_back(object.name);
    return names;
  }
  std::vector<std::string> fill(EngineNode& a, PartitionRef at, int count, std::int64_t first = 0) {
    std::vector<std::string> values;
    for (int i = 0; i < count; ++i) {
      values.push_back("value " + std::to_string(first + i));
      EXPECT_EQ(produce("a", a, batch_of(at, {values.back()})).base_offset, Offset(first + i));
    }
    return values;
  }
  /// The batches of the fixture are from 1970: without a bound of time.
  PartitionRef make_topic(EngineNode& a, const std::string& name) {
    std::vector<NewTopic> topics{{name, 1, 1, {{"retention.ms", "-1"}}}};
    auto made = get(node("a"), a->create_topics(std::move(topics), soon("a")));
    EXPECT_TRUE(made.front().ok());
    return {made.front().id, PartitionIndex(0)};
  }
  void set_config(EngineNode& a, const char* key, std::string value) {
    AlterConfig change;
    change.name = "t";
    change.changes.emplace_back(key, std::move(value));
    auto done = get(node("a"), a->alter_configs({change}, soon("a")));
    ASSERT_TRUE(done.front().ok());
  }
  std::string host_ = "a";
};

TEST_F(MaintenanceTest, merges_small_flushes_and_serves_the_same_records) {
  for (std::size_t inline_bytes : {std::size_t{0}, std::size_t{1} << 20}) {
    std::string topic = "t" + std::to_string(inline_bytes);
    EngineNode& a = begin("a", inline_bytes);
    PartitionRef at = make_topic(a, topic);
    std::vector<std::string> expected = fill(a, at, 60);
    world_.run_for(20s);
    std::size_t spans = 0;
    bool all_final = true;
    a->follower().state().visit_spans(at, Offset(0), [&](const state::SpanInfo& span) {
      all_final &= span.object.is_final;
      return ++spans > 0;
    });
    EXPECT_LT(spans, 20u);
    EXPECT_TRUE(all_final);
    std::vector<std::int64_t> offsets;
    EXPECT_EQ(values_of(fetch("a", a, at, Offset(0)).records, &offsets), expected);
    // From the store alone, too.
    node("a").kill();
    EngineNode& again = begin("a", inline_bytes);
    EXPECT_EQ(values_of(fetch("a", again, at, Offset(0)).records), expected);
    EXPECT_EQ(values_of(fetch("a", again, at, Offset(33)).records).front(), "value 33");
    TimestampAnswer found = get(node("a"), again->find_timestamps({{at, 500}}, soon("a"))).front();
    EXPECT_EQ(found.offset, Offset(0));
    node("a").kill();
  }
}

TEST_F(MaintenanceTest, a_deleted_topic_leaves_no_object_behind) {
  EngineNode& a = begin("a", 0);
  PartitionRef at = make_topic(a, "t");
  fill(a, at, 20);
  EXPECT_FALSE(objects("data/").empty());
  ASSERT_TRUE(get(node("a"), a->delete_topics({at.topic}, soon("a"))).front().ok());
  world_.run_for(15s);
  EXPECT_TRUE(objects("data/").empty());
  EXPECT_EQ(a->follower().state().counts().segments, 0u);
}

TEST_F(MaintenanceTest, deleted_records_free_their_objects) {
  EngineNode& a = begin("a", 0);
  PartitionRef at = make_topic(a, "t");
  fill(a, at, 10);
  world_.run_for(10s);
  ASSERT_TRUE(get(node("a"), a->delete_records({{at, Offset(-1)}}, soon("a"))).front().ok());
  world_.run_for(10s);
  EXPECT_TRUE(objects("data/").empty());
  EXPECT_EQ(a->follower().state().partition(at)->start, Offset(10));
}

TEST_F(MaintenanceTest, retention_by_bytes_and_by_time_frees_data) {
  EngineNode& a = begin("a", 0);
  PartitionRef at = make_topic(a, "t");
  set_config(a, "retention.bytes", "300");
  fill(a, at, 30);
  world_.run_for(5s);
  EXPECT_GT(a->follower().state().partition(at)->start, Offset(20));
  EXPECT_GE(a->follower().state().partition(at)->bytes, 300u);
  EXPECT_LT(a->follower().state().partition(at)->bytes, 500u);
  set_config(a, "retention.bytes", "-1");
  fill(a, at, 10, 30);
  set_config(a, "retention.ms", "1000");
  world_.run_for(15s);
  EXPECT_EQ(a->follower().state().partition(at)->start, Offset(40));
  EXPECT_TRUE(objects("data/").empty());
}

TEST_F(MaintenanceTest, a_segment_that_is_more_than_half_dead_is_rewritten) {
  EngineNode& a = begin("a", 0);
  PartitionRef large = make_topic(a, "large");
  PartitionRef small = make_topic(a, "small");
  fill(a, large, 40);
  std::vector<std::string> kept = fill(a, small, 4);
  world_.run_for(20s);
  auto object_of_small = [&] {
    std::string name;
    a->follower().state().visit_spans(small, Offset(0), [&](const state::SpanInfo& span) {
      name = span.object.is_final ? segment_name(span.object) : "";
      return false;
    });
    return name;
  };
  std::string shared = object_of_small();
  ASSERT_NE(shared, "");
  ASSERT_TRUE(get(node("a"), a->delete_records({{large, Offset(-1)}}, soon("a"))).front().ok());
  world_.run_for(20s);
  EXPECT_NE(object_of_small(), shared);
  EXPECT_EQ(objects("data/"), std::vector<std::string>{object_of_small()});
  EXPECT_EQ(values_of(fetch("a", a, small, Offset(0)).records), kept);
}

TEST_F(MaintenanceTest, orphans_go_once_the_horizon_has_passed_them) {
  EngineNode& a = begin("a", 0);
  PartitionRef at = make_topic(a, "t");
  std::string orphan = segment_name(Position(1), a->status().incarnation, 4'000);
  std::string young = segment_name(Position(1'000'000), a->status().incarnation, 4'001);
  for (const std::string& name : {orphan, young, std::string("data/notes.txt")})
    ASSERT_TRUE(get(node("a"), store_.put(name, {})).has_value());
  fill(a, at, 5);
  world_.run_for(10s);
  std::vector<std::string> left = objects("data/");
  EXPECT_EQ(std::count(left.begin(), left.end(), orphan), 0);
  EXPECT_EQ(std::count(left.begin(), left.end(), young), 1);
  EXPECT_EQ(std::count(left.begin(), left.end(), "data/notes.txt"), 1);
  EXPECT_EQ(values_of(fetch("a", a, at, Offset(0)).records).size(), 5u);
}

TEST_F(MaintenanceTest, the_log_is_truncated_and_a_new_broker_starts_from_a_snapshot) {
  EngineNode& a = begin("a");
  PartitionRef at = make_topic(a, "t");
  std::vector<std::string> expected;
  for (int round = 0; round < 6; ++round) {
    std::vector<std::string> more = fill(a, at, 30, round * 30);
    expected.insert(expected.end(), more.begin(), more.end());
    world_.run_for(3s);
  }
  Position floor = get(node("a"), log_.read_floor()).value();
  EXPECT_GT(floor, Position(50));
  EXPECT_FALSE(get(node("a"), log_.read(Position(5))).has_value());
  EXPECT_LE(objects("snapshot/").size(), 4u);
  node("a").kill();
  EngineNode& again = begin("a");
  EXPECT_EQ(values_of(fetch("a", again, at, Offset(0)).records), expected);
}

TEST_F(MaintenanceTest, the_log_stays_while_a_snapshot_that_it_needs_is_missing) {
  EngineNode& a = begin("a", 0);
  PartitionRef at = make_topic(a, "t");
  const auto snapshots = [&] { return a->follower().state().noted_snapshots().size(); };
  int filled = 0;
  const auto fill_until = [&](std::size_t count) {
    for (int rounds = 0; rounds < 20 && snapshots() < count; ++rounds, filled += 10) {
      fill(a, at, 10, filled);
      world_.run_for(1s);
    }
    ASSERT_EQ(snapshots(), count);
  };
  fill_until(1);
  const std::vector<std::string> first = objects("snapshot/");
  ASSERT_EQ(first.size(), 1u);
  ASSERT_TRUE(get(node("a"), store_.remove({first.front()})).has_value());
  fill_until(2);
  world_.run_for(1500ms);
  EXPECT_EQ(get(node("a"), log_.read_floor()).value(), Position(0));
  fill_until(3);
  world_.run_for(1500ms);
  EXPECT_GT(get(node("a"), log_.read_floor()).value(), Position(0));
}

TEST_F(MaintenanceTest, a_new_cluster_knows_the_time_soon_after_its_first_topic) {
  Options with = quick_options("a");
  with.maintenance = MaintenanceOptions{};
  EngineNode& a = start("a", with);
  world_.run_for(10s);
  EXPECT_EQ(a->follower().state().clock_ms(), 0);
  make_topic(a, "t");
  world_.run_for(3s);
  EXPECT_GT(a->follower().state().clock_ms(), 0);
}

/// Over a log in an object store, where reads below the floor say nothing.
class ObjectLogMaintenanceTest : public MaintenanceTest {
 protected:
  EngineNode& begin_on_object_log(const std::string& host) {
    rt::sim::SimNode& n = world_.start_node({.host = host});
    auto& log = n.make<commitlog::ObjectLog>(store_, n.random());
    EngineNode& engine = n.make<EngineNode>(n, testing::SharedStores{store_, log}, options(host));
    auto started = get(n, engine->start(n.loop().now() + 10s));
    EXPECT_TRUE(started.has_value()) << (started ? "" : started.error().message);
    return engine;
  }
};

TEST_F(ObjectLogMaintenanceTest, a_broker_that_slept_through_a_truncation_starts_anew) {
  EngineNode& a = begin_on_object_log("a");
  EngineNode& b = begin_on_object_log("b");
  PartitionRef at = make_topic(a, "t");
  ASSERT_TRUE(get(node("b"), b->barrier(soon("b"))).has_value());
  node("b").pause();
  Position slept_at = b->status().folded;
  std::vector<std::string> expected;
  for (int round = 0; round < 8; ++round) {
    std::vector<std::string> more = fill(a, at, 30, round * 30);
    expected.insert(expected.end(), more.begin(), more.end());
    world_.run_for(3s);
  }
  world_.run_for(10s);
  char name[64];
  std::snprintf(name, sizeof name, "log/0/%020llu",
                static_cast<unsigned long long>(slept_at.value + 1));
  ASSERT_FALSE(get(node("a"), store_.head(name)).has_value()) << "the entry it needs is gone";
  node("b").resume();
  world_.run_for(20s);
  EXPECT_EQ(b->status().halted, "");
  ASSERT_TRUE(get(node("b"), b->barrier(soon("b"))).has_value());
  EXPECT_TRUE(b->status().ready);
  EXPECT_EQ(values_of(fetch("b", b, at, Offset(0)).records), expected);
  EXPECT_EQ(produce("b", b, batch_of(at, {"from b"})).base_offset, Offset(240));
  EXPECT_EQ(a->catalog().brokers().size(), 2u);
}

}  // namespace
}  // namespace weir::engine
