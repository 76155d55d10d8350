// Maintenance that is cut off at any of its requests: a broker dies before or after request n, for
// every n, or the request hangs while another broker takes over. Afterwards everything that was
// acknowledged is there, and nothing is left over.
#include <gtest/gtest.h>

#include <map>

#include "commitlog/forwarding_log_for_test.h"
#include "commitlog/memory_log.h"
#include "engine/audit/auditor.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

using testing::EngineNode;

enum class Cut : std::uint8_t { before, after, hangs };

/// Counts the requests of one broker to store and log, and stops one of them.
struct Steps {
  rt::Loop* loop = nullptr;
  Cut cut = Cut::before;
  std::uint64_t count = 0;
  std::uint64_t stop_at = 0;
  bool counting = false;
  bool struck = false;

  bool strikes() {
    if (!counting || ++count != stop_at) return false;
    struck = true;
    return true;
  }
  /// What the struck request waits for.
  rt::Task<void> hang() const {
    co_await rt::sleep_for(*loop, cut == Cut::hangs ? Duration(12s) : Duration(1h));
  }
};

template <class T>
rt::Task<Result<T>> through(Steps& steps, rt::Task<Result<T>> request) {
  bool strikes = steps.strikes();
  if (strikes && steps.cut != Cut::after) co_await steps.hang();
  auto answer = co_await std::move(request);
  if (strikes && steps.cut == Cut::after) co_await steps.hang();
  co_return answer;
}

class StepStore final : public objstore::ObjectStore {
 public:
  StepStore(objstore::ObjectStore& inner, Steps& steps) : inner_(inner), steps_(steps) {}
  rt::Task<Result<std::string>> put(std::string name, BytesChain body) override {
    return through(steps_, inner_.put(std::move(name), std::move(body)));
  }
  rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) override {
    return through(steps_, inner_.put_if_absent(std::move(name), std::move(body)));
  }
  rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                             std::string etag) override {
    return through(steps_, inner_.put_if_match(std::move(name), std::move(body), std::move(etag)));
  }
  rt::Task<Result<SharedBytes>> get(std::string name) override {
    return through(steps_, inner_.get(std::move(name)));
  }
  rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                          std::uint64_t length) override {
    return through(steps_, inner_.get_range(std::move(name), offset, length));
  }
  rt::Task<Result<objstore::ObjectInfo>> head(std::string name) override {
    return through(steps_, inner_.head(std::move(name)));
  }
  rt::Task<Result<Page>> list(std::string prefix, std::string continuation) override {
    return through(steps_, inner_.list(std::move(prefix), std::move(continuation)));
  }
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) override {
    return through(steps_, inner_.remove(std::move(names)));
  }
  std::string describe() const override { return inner_.describe(); }

 private:
  objstore::ObjectStore& inner_;
  Steps& steps_;
};

class StepLog final : public commitlog::ForwardingLog {
 public:
  StepLog(commitlog::CommitLog& inner, Steps& steps) : ForwardingLog(inner), steps_(steps) {}
  rt::Task<Result<commitlog::CreateOutcome>> create(Position at, BytesChain entry) override {
    return through(steps_, inner_.create(at, std::move(entry)));
  }
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override {
    return through(steps_, inner_.read(at));
  }
  rt::Task<Result<void>> raise_floor(Position to) override {
    return through(steps_, inner_.raise_floor(to));
  }
  rt::Task<Result<void>> remove(Position first, Position last) override {
    return through(steps_, inner_.remove(first, last));
  }
  bool guards_floor() const override { return inner_.guards_floor(); }
  std::string describe() const override { return inner_.describe(); }

 private:
  Steps& steps_;
};

Options fast(const std::string& host) {
  Options options = testing::quick_options(host);
  MaintenanceOptions& m = options.maintenance;
  m.clock_interval = m.clock_interval_idle = m.merge_interval = m.deletion_interval = 300ms;
  m.retention_check = m.compaction_interval = m.truncate_interval = 400ms;
  m.compaction_dirty_bytes_min = 1;
  m.merge_after = m.horizon_interval = m.deletion_delay = 600ms;
  m.orphans_interval = 2s;
  m.merge_spans_min = 4;
  m.truncate_entries_min = 10;
  m.rewrite_bytes_min = 1'000;
  options.inline_bytes = 150;
  options.session_timeout = 2s;
  options.snapshot_entries = 15;
  options.snapshot_interval_min = 500ms;
  return options;
}

class EveryStepTest : public testing::ClusterFixture {
 protected:
  static constexpr int kRounds = 24, kKeys = 4;

  /// False: there were fewer requests than `stop_at`.
  bool cut_at(std::uint64_t stop_at, Cut cut) {
    Steps steps{.cut = cut, .stop_at = stop_at};
    rt::sim::SimNode& n = world_.start_node({.host = "a"});
    steps.loop = &n.loop();
    StepStore store(store_, steps);
    StepLog log(log_, steps);
    EngineNode& a = n.make<EngineNode>(n, testing::SharedStores{store, log}, fast("a"));
    EXPECT_TRUE(get(n, a->start(n.loop().now() + 10s)).has_value());
    make_topics(a);
    fill(a);
    steps.counting = true;
    std::ignore = world_.run_while([&] { return !steps.struck; }, 12s);
    bool struck = steps.struck;
    EngineNode* left = &a;
    std::string host = "a";
    if (cut == Cut::hangs) {
      host = "b";
      left = &start("b", fast("b"));
    } else {
      n.kill();
      left = &start("a", fast("a"));
    }
    world_.run_for(35s);
    check(host, *left);
    node("a").kill();
    if (host == "b") node("b").kill();
    return struck;
  }

  void make_topics(EngineNode& a) {
    std::vector<NewTopic> topics{
        {"kept", 1, 1, {{"retention.ms", "-1"}}},
        {"short", 1, 1, {{"retention.bytes", "300"}, {"retention.ms", "-1"}}},
        {"compact", 1, 1, {{"cleanup.policy", "compact"}, {"min.cleanable.dirty.ratio", "0"}}}};
    auto made = get(node("a"), a->create_topics(std::move(topics), soon("a")));
    kept_ = {made[0].id, PartitionIndex(0)};
    short_ = {made[1].id, PartitionIndex(0)};
    compact_ = {made[2].id, PartitionIndex(0)};
  }
  void fill(EngineNode& a) {
    for (int round = 0; round < kRounds; ++round)
      for (PartitionRef at : {kept_, short_, compact_}) {
        record::BatchBuilder builder({});
        std::string key = "k" + std::to_string(round % kKeys), value = std::to_string(round);
        // Some flushes become segments, the others stay in the log.
        if (round % 2 == 0) value += std::string(200, '.');
        builder.append(
            {.timestamp = WallMillis(1'000), .key = as_bytes(key), .value = as_bytes(value)});
        ProduceItem item;
        item.at = at;
        item.batch = std::move(builder).finish().value();
        item.info = record::validate_batch(item.batch.view(), {}).value();
        EXPECT_TRUE(produce("a", a, std::move(item)).ok());
      }
  }

  std::vector<std::int64_t> offsets_of(const std::string& host, EngineNode& engine,
                                       PartitionRef at) {
    std::vector<std::int64_t> offsets;
    state::PartitionInfo info = *engine->catalog().partition(at);
    for (Offset next = info.start; next < info.end;) {
      FetchedPartition fetched = fetch(host, engine, at, next);
      EXPECT_TRUE(fetched.ok());
      Offset before = next;
      for (const SharedBytes& part : fetched.records.parts()) {
        record::BatchIterator batches(part.view());
        for (auto batch = batches.next(); batch && *batch; batch = batches.next()) {
          next = (*batch)->last_offset().next();
          auto reader = record::RecordReader::open(**batch);
          for (auto r = reader->next(); r && *r; r = reader->next()) {
            std::string expected = std::to_string((*r)->offset.value);
            EXPECT_EQ(as_text(*(*r)->value).substr(0, expected.size()), expected);
            offsets.push_back((*r)->offset.value);
          }
        }
      }
      if (next <= before) {
        ADD_FAILURE() << "a reader is stuck at offset " << before.value;
        break;
      }
    }
    return offsets;
  }

  void check(const std::string& host, EngineNode& engine) {
    ASSERT_TRUE(get(node(host), engine->barrier(soon(host))).has_value());
    std::vector<std::int64_t> all, last;
    for (std::int64_t i = 0; i < kRounds; ++i) all.push_back(i);
    for (std::int64_t i = kRounds - kKeys; i < kRounds; ++i) last.push_back(i);
    EXPECT_EQ(offsets_of(host, engine, kept_), all);
    EXPECT_EQ(offsets_of(host, engine, compact_), last);
    EXPECT_GE(engine->catalog().partition(short_)->bytes, 300u);
    EXPECT_LT(engine->catalog().partition(short_)->bytes, 900u);
    audit::Auditor auditor({store_, log_});
    auto report = get(node(host), auditor.run());
    ASSERT_TRUE(report.has_value());
    for (const audit::Finding& finding : report->findings) ADD_FAILURE() << finding.sentence;
    EXPECT_EQ(get(node(host), store_.list("data/", "")).value().objects.size(),
              engine->follower().state().counts().segments);
  }

  PartitionRef kept_, short_, compact_;
};

/// The requests that one cycle of all jobs makes; more would repeat what was tried.
constexpr std::uint64_t kStepsMax = 48;

class EachStep : public EveryStepTest, public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(EachStep, nothing_is_lost_and_nothing_left_over) {
  Cut cut = static_cast<Cut>(GetParam() % 3);
  EXPECT_TRUE(cut_at(GetParam(), cut)) << "fewer requests than that: lower kStepsMax";
}

INSTANTIATE_TEST_SUITE_P(Steps, EachStep, ::testing::Range<std::uint64_t>(1, kStepsMax));

}  // namespace
}  // namespace weir::engine
