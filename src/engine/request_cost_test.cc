// What a broker asks of a store that charges for requests, and how long its producers wait, in
// virtual time under the latencies of S3.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "commitlog/object_log.h"
#include "engine/testing/cluster_fixture.h"
#include "objstore/decorator_impl.h"
#include "objstore/latency_store.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;

/// Counts what all brokers together ask, by what it is for.
class CountingStore final : public objstore::Decorator<CountingStore> {
 public:
  explicit CountingStore(objstore::ObjectStore& inner) : Decorator(inner) {}

  struct Counts {
    int log_writes = 0;
    int log_reads = 0;
    int segments = 0;
    int others = 0;
    int all() const { return log_writes + log_reads + segments + others; }
  };
  Counts counts;

  template <class T>
  rt::Task<Result<T>> around(objstore::Request request) {
    bool log = request.name.starts_with("log/");
    if (request.verb == objstore::Verb::put_if_absent && log)
      ++counts.log_writes;
    else if (log && !objstore::is_write(request.verb))
      ++counts.log_reads;
    else if (objstore::is_put(request.verb) && request.name.starts_with("data/"))
      ++counts.segments;
    else
      ++counts.others;
    co_return co_await objstore::send<T>(inner(), std::move(request));
  }
};

Options paid_options(const std::string& host) {
  Options options = testing::quick_options(host);
  options.request_budget = {.requests_per_second = 5, .commit_gap_max = 250ms};
  options.flush_interval_min = 150ms;
  options.flush_interval_max = 500ms;
  options.flights_max = 64;
  options.inline_bytes = 256u << 10;
  options.session_timeout = 30s;
  options.poll_busy = 200ms;
  options.poll_idle = 1min;
  options.tail_check = 2min;
  options.snapshot_entries = 1'000;
  options.snapshot_interval_min = 1min;
  return options;
}

class RequestCostTest : public testing::ClusterFixture {
 protected:
  EngineNode& start_paid(const std::string& host, Options options) {
    rt::sim::SimNode& node = world_.start_node({.host = host});
    auto& slow = node.make<objstore::LatencyStore>(counting_, node.loop(), node.random(),
                                                   objstore::LatencyLaw::s3_by_size());
    auto& log = node.make<commitlog::ObjectLog>(slow, node.random());
    EngineNode& engine =
        node.make<EngineNode>(node, testing::SharedStores{slow, log}, std::move(options));
    run(node, begin(engine, node.loop()));
    return engine;
  }
  EngineNode& start_paid(const std::string& host) { return start_paid(host, paid_options(host)); }

  struct Load {
    std::size_t batch_bytes = 1'000;
    Duration every = 10ms;
    PartitionRef at;
  };
  /// Produces for so long; acks are noted in `acks_`.
  void load(const std::string& host, EngineNode& engine, Load load, Duration time) {
    node(host).spawn(keep_producing(engine, load, node(host).loop().now() + time));
  }
  void consume(const std::string& host, EngineNode& engine, PartitionRef at) {
    node(host).spawn(keep_fetching(engine, at));
  }
  CountingStore::Counts counted_in(Duration time) {
    CountingStore::Counts before = counting_.counts;
    world_.run_for(time);
    CountingStore::Counts now = counting_.counts;
    return {now.log_writes - before.log_writes, now.log_reads - before.log_reads,
            now.segments - before.segments, now.others - before.others};
  }
  Duration ack_p50() {
    std::sort(acks_.begin(), acks_.end());
    return acks_[acks_.size() / 2];
  }

  objstore::MemoryStore memory_;
  CountingStore counting_{memory_};
  std::vector<Duration> acks_;

 private:
  static rt::Task<void> begin(EngineNode& e, rt::Loop& loop) {
    auto started = co_await e->start(loop.now() + 30s);
    EXPECT_TRUE(started.has_value()) << (started ? "" : started.error().message);
  }
  rt::Task<void> keep_producing(EngineNode& engine, Load load, MonoTime until) {
    std::string value(load.batch_bytes, 'x');
    rt::Scope calls(engine->loop());
    while (engine->loop().now() < until) {
      calls.spawn(produce_one(engine, batch_of(load.at, {value})));
      co_await rt::sleep_for(engine->loop(), load.every);
    }
    co_await calls.join();
  }
  rt::Task<void> produce_one(EngineNode& engine, ProduceItem item) {
    MonoTime begin = engine->loop().now();
    std::vector<ProduceItem> items;
    items.push_back(std::move(item));
    auto done = co_await engine->produce(std::move(items), begin + 30s);
    EXPECT_TRUE(done.front().ok());
    acks_.push_back(engine->loop().now() - begin);
  }
  rt::Task<void> keep_fetching(EngineNode& engine, PartitionRef at) {
    Offset next(0);
    for (;;) {
      FetchOptions options;
      options.bytes_max = 4u << 20;
      options.deadline = engine->loop().now() + 500ms;
      auto got = co_await engine->fetch({{at, next, 4u << 20}}, options, nullptr);
      if (got.front().ok()) next = got.front().info.end;
    }
  }
};

TEST_F(RequestCostTest, a_lone_idle_broker_asks_once_in_five_seconds_at_most) {
  start_paid("a");
  world_.run_for(1min);
  EXPECT_LE(counted_in(10min).all(), 120);
}

TEST_F(RequestCostTest, three_idle_brokers_ask_little_and_less_with_a_longer_session) {
  const std::pair<Duration, int> cases[] = {{30s, 800}, {90s, 300}};
  for (const auto& [session, most] : cases) {
    for (const char* host : {"a", "b", "c"}) {
      Options options = paid_options(host);
      options.session_timeout = session;
      start_paid(host, options);
    }
    world_.run_for(2min);
    CountingStore::Counts counts = counted_in(10min);
    EXPECT_LE(counts.all(), most) << counts.log_writes << " writes, " << counts.log_reads
                                  << " reads";
    for (const char* host : {"a", "b", "c"}) node(host).kill();
  }
}

TEST_F(RequestCostTest, idle_brokers_do_not_take_each_other_for_dead) {
  EngineNode& a = start_paid("a");
  EngineNode& b = start_paid("b");
  EngineNode& c = start_paid("c");
  world_.run_for(10min);
  for (EngineNode* engine : {&a, &b, &c}) {
    EXPECT_TRUE((*engine)->status().ready);
    EXPECT_EQ((*engine)->catalog().brokers().size(), 3u);
  }
  node("c").kill();
  world_.run_for(3min);
  EXPECT_EQ(a->catalog().brokers().size(), 2u);
}

TEST_F(RequestCostTest, a_hundred_kilobytes_a_second_cost_five_requests_a_second_at_most) {
  EngineNode& a = start_paid("a");
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  load("a", a, {.batch_bytes = 1'000, .every = 10ms, .at = at}, 6min);
  consume("a", a, at);
  world_.run_for(30s);
  CountingStore::Counts counts = counted_in(5min);
  EXPECT_LE(counts.all(), 5 * 300)
      << counts.log_writes << " log writes, " << counts.log_reads << " log reads, "
      << counts.segments << " segments, " << counts.others << " others";
  EXPECT_LE(ack_p50(), 400ms);
}

TEST_F(RequestCostTest, three_brokers_under_little_load_write_within_the_budget) {
  std::vector<EngineNode*> engines;
  for (const char* host : {"a", "b", "c"}) engines.push_back(&start_paid(host));
  PartitionRef at{create_topic("a", *engines[0], "t"), PartitionIndex(0)};
  world_.run_for(2s);
  for (std::size_t i = 0; i < 3; ++i) {
    std::string host(1, static_cast<char>('a' + i));
    load(host, *engines[i], {.batch_bytes = 1'000, .every = 30ms, .at = at}, 4min);
    consume(host, *engines[i], at);
  }
  world_.run_for(30s);
  CountingStore::Counts counts = counted_in(3min);
  // A write costs twelve reads; the sum must stay below a hundred dollars a month.
  double writes = (counts.log_writes + counts.segments + counts.others) / 180.0;
  double reads = counts.log_reads / 180.0;
  double dollars = (writes * 0.000005 + reads * 0.0000004) * 2.63e6;
  EXPECT_LE(writes, 5) << counts.log_writes << " " << counts.segments << " " << counts.others;
  EXPECT_LE(dollars, 100) << writes << " writes/s, " << reads << " reads/s";
  EXPECT_LE(ack_p50(), 1'200ms);
}

TEST_F(RequestCostTest, a_budget_that_was_asked_for_is_kept) {
  Options options = paid_options("a");
  options.request_budget = {.requests_per_second = 1, .commit_gap_max = 5s};
  EngineNode& a = start_paid("a", options);
  PartitionRef at{create_topic("a", a, "t"), PartitionIndex(0)};
  load("a", a, {.batch_bytes = 1'000, .every = 100ms, .at = at}, 4min);
  world_.run_for(30s);
  // The budget is one of writes, which cost twelve times what reads do.
  CountingStore::Counts counts = counted_in(3min);
  EXPECT_LE(counts.log_writes + counts.segments + counts.others, 180)
      << counts.log_writes << " log writes, " << counts.segments << " segments, " << counts.others
      << " others";
  EXPECT_LE(counts.all(), 200) << counts.log_reads << " log reads";
}

TEST_F(RequestCostTest, fewer_objects_are_written_when_the_window_may_grow) {
  std::vector<int> objects;
  for (Duration longest : {150ms, 300ms, 500ms}) {
    std::string host = "m" + std::to_string(longest / 1ms);
    Options options = paid_options(host);
    options.flush_interval_max = longest;
    EngineNode& engine = start_paid(host, options);
    std::string name = "t" + std::to_string(longest / 1ms);
    PartitionRef at{create_topic(host, engine, name), PartitionIndex(0)};
    load(host, engine, {.batch_bytes = 20'000, .every = 10ms, .at = at}, 35s);
    world_.run_for(5s);
    CountingStore::Counts counts = counted_in(25s);
    objects.push_back(counts.segments + counts.log_writes);
    world_.run_for(10s);
    node(host).kill();
  }
  EXPECT_LT(objects[1] * 10, objects[0] * 7);
  EXPECT_LT(objects[2] * 10, objects[1] * 9);
}

/// docs/adr/0013-flush-policy.md: half a window, the upload, the wait for the create before, ours.
TEST_F(RequestCostTest, fifty_megabytes_a_second_are_acknowledged_as_fast_as_the_store_allows) {
  Options options = paid_options("a");
  EngineNode& a = start_paid("a", options);
  TopicId topic = create_topic("a", a, "t", 8);
  Duration until = 7s;
  for (int p = 0; p < 8; ++p)
    load("a", a, {.batch_bytes = 125'000, .every = 20ms, .at = {topic, PartitionIndex(p)}}, until);
  world_.run_for(2s);
  acks_.clear();
  CountingStore::Counts counts = counted_in(4s);
  world_.run_for(3s);
  double window_ms = 150;
  double segment_ms = 170.0 * 7.5 / 8;  // Of a window's 7.5 MB.
  double expected_ms = window_ms / 2 + segment_ms + 31 + 62;
  EXPECT_LE(static_cast<double>(ack_p50() / 1ms), 1.3 * expected_ms);
  double windows = 4'000 / window_ms;
  EXPECT_LE(counts.log_writes + counts.log_reads, 2 * windows);
  // ceil(bytes / segment) + flushes
  EXPECT_LE(counts.segments, std::ceil(4 * 50e6 / (8 << 20)) + windows);
}

}  // namespace
}  // namespace weir::engine
