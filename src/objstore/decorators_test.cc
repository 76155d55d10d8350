#include "base/narrow.h"
#include "objstore/conformance_harness.h"
#include "objstore/fault_store.h"
#include "objstore/latency_store.h"
#include "objstore/memory_store.h"
#include "objstore/metrics_store.h"
#include "objstore/retry_store.h"
#include "objstore/scripted_store.h"

namespace weir::objstore {
namespace {

class DecoratorTest : public testing::Test {
 protected:
  template <class T>
  T run(rt::Task<T> task) {
    return run_one(runner_, std::move(task));
  }
  void join() {
    std::vector<rt::Task<void>> tasks;
    tasks.push_back(faults_.join());
    runner_.run(std::move(tasks));
  }

  SimRunner runner_{1};
  MemoryStore memory_;
  FaultStore faults_{memory_, runner_.loop(), runner_.node().random()};
};

TEST_F(DecoratorTest, ARefusedWriteIsNotApplied) {
  faults_.fail_next(FaultStore::Fault::refused);
  EXPECT_EQ(run(faults_.put_if_absent("a", chain_of("x"))).error().code, ErrorCode::unavailable);
  EXPECT_EQ(run(memory_.get("a")).error().code, ErrorCode::not_found);
}

TEST_F(DecoratorTest, ALostAnswerIsUnclearAndTheWriteIsApplied) {
  faults_.fail_next(FaultStore::Fault::lost);
  EXPECT_EQ(run(faults_.put_if_absent("a", chain_of("x"))).error().code,
            ErrorCode::unknown_outcome);
  EXPECT_TRUE(run(memory_.get("a")));
}

TEST_F(DecoratorTest, ALateWriteIsAppliedAfterItsTimeOutWithTheBytesOfThen) {
  faults_.fail_next(FaultStore::Fault::late);
  SharedBytes bytes = SharedBytes::copy_of(as_bytes("before"));
  EXPECT_EQ(run(faults_.put_if_absent("a", BytesChain(bytes))).error().code, ErrorCode::timed_out);
  bytes.mutable_view()[0] = std::byte{'X'};
  EXPECT_EQ(run(memory_.get("a")).error().code, ErrorCode::not_found);
  join();
  EXPECT_EQ(as_text(run(memory_.get("a"))->view()), "before");
}

TEST_F(DecoratorTest, ALateCreateLosesAgainstOneThatCameMeanwhile) {
  faults_.fail_next(FaultStore::Fault::late);
  EXPECT_FALSE(run(faults_.put_if_absent("a", chain_of("late"))));
  EXPECT_TRUE(run(faults_.put_if_absent("a", chain_of("early"))));
  join();
  EXPECT_EQ(as_text(run(memory_.get("a"))->view()), "early");
}

TEST_F(DecoratorTest, FaultsComeAsOftenAsTheLawSays) {
  faults_.set_law(
      {.refused_ppm = 100'000, .lost_ppm = 200'000, .late_ppm = 50'000, .late_max = 1s});
  int refused = 0, lost = 0, late = 0;
  for (int i = 0; i < 4'000; ++i) {
    auto put = run(faults_.put(std::to_string(i), chain_of("x")));
    if (put) continue;
    refused += put.error().is(ErrorCode::unavailable);
    lost += put.error().is(ErrorCode::unknown_outcome);
    late += put.error().is(ErrorCode::timed_out);
  }
  EXPECT_NEAR(refused, 400, 100);
  EXPECT_NEAR(lost, 800, 120);
  EXPECT_NEAR(late, 200, 70);
  join();
}

TEST_F(DecoratorTest, RetriesRideOutAShortOutage) {
  RetryStore retry(faults_, runner_.loop(), runner_.node().random());
  faults_.fail_next(FaultStore::Fault::refused, 3);
  EXPECT_TRUE(run(retry.put("a", chain_of("x"))));
  faults_.fail_next(FaultStore::Fault::refused, 3);
  EXPECT_TRUE(run(retry.get("a")));
  faults_.fail_next(FaultStore::Fault::lost, 2);
  EXPECT_TRUE(run(retry.remove({"a"})));
  EXPECT_EQ(run(retry.get("a")).error().code, ErrorCode::not_found) << "an answer is no fault";
}

TEST_F(DecoratorTest, RetriesNeverRepeatAConditionalWriteThatMayHaveBeenApplied) {
  RetryStore retry(faults_, runner_.loop(), runner_.node().random());
  faults_.fail_next(FaultStore::Fault::lost);
  EXPECT_EQ(run(retry.put_if_absent("a", chain_of("x"))).error().code, ErrorCode::unknown_outcome);
  faults_.fail_next(FaultStore::Fault::late);
  EXPECT_EQ(run(retry.put_if_match("a", chain_of("x"), "e")).error().code, ErrorCode::timed_out);
  join();
}

TEST_F(DecoratorTest, AConditionalWriteThatChangedNothingIsRepeatedAFewTimes) {
  RetryStore retry(faults_, runner_.loop(), runner_.node().random());
  faults_.fail_next(FaultStore::Fault::refused, 2);
  EXPECT_TRUE(run(retry.put_if_absent("a", chain_of("x"))));
  faults_.set_down(true);
  EXPECT_EQ(run(retry.put_if_absent("b", chain_of("x"))).error().code, ErrorCode::unavailable);
}

TEST_F(DecoratorTest, NoRetryBeginsAfterTheDeadline) {
  ScriptedStore slow(memory_, runner_.loop());
  slow.otherwise({.before = 25s, .error = ErrorCode::timed_out});
  RetryStore retry(slow, runner_.loop(), runner_.node().random());
  MonoTime begin = runner_.loop().now();
  EXPECT_EQ(run(retry.get("a")).error().code, ErrorCode::timed_out);
  EXPECT_LT(runner_.loop().now() - begin, kRetryOthers.deadline + 25s);
  EXPECT_EQ(slow.seen().size(), 3u);
}

TEST_F(DecoratorTest, RetriesEndAndTheBudgetBoundsTheLoadOnAStoreInTrouble) {
  Metrics metrics;
  MetricsStore counted(faults_, metrics, runner_.loop(), "data");
  RetryStore retry(counted, runner_.loop(), runner_.node().random());
  faults_.set_down(true);
  constexpr std::uint64_t kCalls = 200;
  for (std::uint64_t i = 0; i < kCalls; ++i)
    EXPECT_EQ(run(retry.get("a")).error().code, ErrorCode::unavailable);
  std::uint64_t requests = metrics
                               .counter("weir_store_requests_total", "",
                                        "store=\"data\",verb=\"get\",outcome=\"unavailable\"")
                               .value();
  EXPECT_EQ(requests, kCalls + kRetryBudgetTokensMax / kRetryTokensPerRetry);
}

TEST_F(DecoratorTest, LatencyFollowsItsPercentilesAndTheSize) {
  rt::SeededRandom random(5);
  std::vector<Duration> drawn;
  for (int i = 0; i < 20'000; ++i)
    drawn.push_back(draw_latency({20ms, 100ms}, 0, 1'000'000, random));
  std::ranges::sort(drawn);
  EXPECT_NEAR(static_cast<double>(drawn[10'000].count()), 20e6, 1e6);
  EXPECT_NEAR(static_cast<double>(drawn[19'800].count()), 100e6, 10e6);
  EXPECT_GT(draw_latency({1ms, 2ms}, 5'000'000, 1'000'000, random), 5s);
}

TEST_F(DecoratorTest, ALatencyStoreAnswersLaterAndTheSame) {
  LatencyStore slow(memory_, runner_.loop(), runner_.node().random(), LatencyLaw::s3());
  MonoTime begin = runner_.loop().now();
  ASSERT_TRUE(run(slow.put("a", chain_of("x"))));
  EXPECT_EQ(as_text(run(slow.get("a"))->view()), "x");
  EXPECT_GT(runner_.loop().now() - begin, 2ms);
}

TEST_F(DecoratorTest, MetricsCountRequestsOutcomesAndBytes) {
  Metrics metrics;
  MetricsStore store(memory_, metrics, runner_.loop(), "log");
  ASSERT_TRUE(run(store.put_if_absent("a", chain_of("12345"))));
  ASSERT_FALSE(run(store.put_if_absent("a", chain_of("12345"))));
  ASSERT_TRUE(run(store.get("a")));
  std::string text = metrics.render();
  for (const char* line :
       {"weir_store_requests_total{store=\"log\",verb=\"put_if_absent\",outcome=\"ok\"} 1",
        "weir_store_requests_total{store=\"log\",verb=\"put_if_absent\",outcome=\"already_exists\"}"
        " 1",
        "weir_store_bytes_total{store=\"log\",direction=\"written\"} 5",
        "weir_store_bytes_total{store=\"log\",direction=\"read\"} 5"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

}  // namespace
}  // namespace weir::objstore
