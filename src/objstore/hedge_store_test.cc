#include "objstore/hedge_store.h"

#include "objstore/conformance_harness.h"
#include "objstore/memory_store.h"
#include "objstore/scripted_store.h"

namespace weir::objstore {
namespace {

class HedgeTest : public testing::Test {
 protected:
  template <class T>
  T run(rt::Task<T> task) {
    return run_one(runner_, std::move(task));
  }
  void join() {
    std::vector<rt::Task<void>> tasks;
    tasks.push_back(hedge_.join());
    runner_.run(std::move(tasks));
  }
  void TearDown() override { join(); }
  /// Teaches it that requests of this kind take 20 ms.
  void learn(Verb verb, std::uint64_t bytes) {
    for (std::size_t i = 0; i < kLatencySamplesMin; ++i) book_.observe(verb, bytes, 20ms);
  }
  template <class T>
  Duration time(rt::Task<Result<T>> task, Result<T>* out = nullptr) {
    MonoTime begin = runner_.loop().now();
    Result<T> result = run(std::move(task));
    Duration passed = runner_.loop().now() - begin;
    if (out) *out = std::move(result);
    return passed;
  }
  std::uint64_t hedges() { return metrics_.counter("weir_store_hedges_total", "", label_).value(); }

  SimRunner runner_{1};
  Metrics metrics_;
  std::string label_ = "store=\"t\"";
  MemoryStore memory_;
  ScriptedStore inner_{memory_, runner_.loop()};
  LatencyBook book_;
  RequestGate gate_{{runner_.loop(), runner_.node().random(), metrics_, "t"}};
  HedgeStore hedge_{inner_,
                    {.loop = runner_.loop(),
                     .latencies = book_,
                     .gate = gate_,
                     .metrics = metrics_,
                     .label = "t"}};
};

TEST_F(HedgeTest, NothingIsHedgedBeforeItKnowsWhatIsUsual) {
  inner_.script({{.before = 500ms}});
  EXPECT_GE(time(hedge_.put("a", chain_of("x"))), 500ms);
  EXPECT_EQ(hedges(), 0u);
}

TEST_F(HedgeTest, ASlowPutIsSentAgainAndTheFirstAnswerCounts) {
  learn(Verb::put, 1);
  inner_.script({{.before = 500ms}, {.before = 10ms}});
  Duration passed = time(hedge_.put("a", chain_of("x")));
  EXPECT_GE(passed, 30ms);
  EXPECT_LT(passed, 40ms);
  EXPECT_EQ(hedge_.stragglers(), 1u);
  EXPECT_EQ(inner_.seen().size(), 2u);
  join();
  EXPECT_EQ(hedge_.stragglers(), 0u);
  EXPECT_EQ(metrics_.counter("weir_store_hedges_won_total", "", label_).value(), 1u);
}

TEST_F(HedgeTest, AFastAnswerNeedsNoHedge) {
  learn(Verb::get, 0);
  ASSERT_TRUE(run(memory_.put("a", chain_of("x"))));
  inner_.script({{.before = 15ms}});
  EXPECT_LT(time(hedge_.get("a")), 20ms);
  EXPECT_EQ(hedges(), 0u);
}

TEST_F(HedgeTest, AnAnswerAboutTheObjectIsFinalForAGet) {
  learn(Verb::get, 0);
  inner_.script({{.before = 500ms}, {.before = 10ms}});
  Result<SharedBytes> result;
  EXPECT_LT(time(hedge_.get("none"), &result), 40ms);
  EXPECT_EQ(result.error().code, ErrorCode::not_found);
}

TEST_F(HedgeTest, AFailedAttemptWaitsForTheOther) {
  learn(Verb::put, 1);
  inner_.script({{.before = 100ms}, {.before = 10ms, .error = ErrorCode::unavailable}});
  Result<std::string> result;
  EXPECT_GE(time(hedge_.put("a", chain_of("x")), &result), 100ms);
  EXPECT_TRUE(result);
}

TEST_F(HedgeTest, ACreateWhoseFirstAttemptWonIsASuccess) {
  learn(Verb::put_if_absent, 1);
  // The second attempt finds the first one's object, but the first one answers before it.
  inner_.script({{.before = 5ms, .after = 30ms}, {.before = 5ms, .after = 100ms}});
  EXPECT_TRUE(run(hedge_.put_if_absent("a", chain_of("x"))));
}

TEST_F(HedgeTest, ACreateThatMeetsItsOwnOtherAttemptIsUnclearNotLost) {
  learn(Verb::put_if_absent, 1);
  inner_.script({{.before = 5ms, .after = 2s}, {.before = 5ms}});
  Result<std::string> result;
  EXPECT_LT(time(hedge_.put_if_absent("a", chain_of("x")), &result), 100ms);
  EXPECT_EQ(result.error().code, ErrorCode::unknown_outcome) << describe(result.error());
}

TEST_F(HedgeTest, ACreateThatMeetsAnUnclearFirstAttemptIsUnclear) {
  learn(Verb::put_if_absent, 1);
  inner_.script(
      {{.before = 30ms, .error = ErrorCode::unknown_outcome, .apply = true}, {.before = 20ms}});
  EXPECT_EQ(run(hedge_.put_if_absent("a", chain_of("x"))).error().code, ErrorCode::unknown_outcome);
}

TEST_F(HedgeTest, ACreateLosesForCertainIfBothAttemptsDid) {
  learn(Verb::put_if_absent, 1);
  ASSERT_TRUE(run(memory_.put("a", chain_of("theirs"))));
  inner_.script({{.before = 30ms, .error = ErrorCode::unavailable}, {.before = 30ms}});
  EXPECT_EQ(run(hedge_.put_if_absent("a", chain_of("x"))).error().code, ErrorCode::already_exists);
}

TEST_F(HedgeTest, AReplacementIsNeverHedged) {
  learn(Verb::put_if_match, 1);
  std::string etag = run(memory_.put("a", chain_of("x"))).value();
  inner_.script({{.before = 500ms}});
  EXPECT_TRUE(run(hedge_.put_if_match("a", chain_of("y"), etag)));
  EXPECT_EQ(inner_.seen().size(), 1u);
}

TEST_F(HedgeTest, AHangingCreateEndsAtItsDeadline) {
  inner_.script({{.before = 1h}});
  Result<std::string> result;
  Duration passed = time(hedge_.put_if_absent("a", chain_of("x")), &result);
  EXPECT_EQ(result.error().code, ErrorCode::timed_out);
  EXPECT_EQ(passed / 1ms, kAttemptCreateMax / 1ms);
  EXPECT_EQ(metrics_.counter("weir_store_attempts_expired_total", "", label_).value(), 1u);
}

TEST_F(HedgeTest, ALargeBodyHasMoreTime) {
  std::string body(5'000'000, 'x');
  inner_.script({{.before = kAttemptOtherMax + 4s}});
  EXPECT_TRUE(run(hedge_.put("a", chain_of(body))));
}

TEST_F(HedgeTest, AtMostATenthOfTheRequestsIsHedgedHoweverSlowTheStoreBecomes) {
  learn(Verb::get, 0);
  ASSERT_TRUE(run(memory_.put("a", chain_of("x"))));
  inner_.otherwise({.before = 60ms});
  constexpr std::size_t kCalls = 2'000;
  for (std::size_t i = 0; i < kCalls; ++i) {
    // Slower and slower, so that learning does not help.
    inner_.otherwise({.before = 60ms + i * 1ms});
    ASSERT_TRUE(run(hedge_.get("a")));
  }
  std::size_t burst = kHedgeBudgetTokensMax / kHedgeTokensPerHedge;
  EXPECT_GT(hedges(), kCalls / kHedgeTokensPerHedge / 2);
  EXPECT_LE(hedges(), kCalls / kHedgeTokensPerHedge + burst);
}

TEST_F(HedgeTest, WhatIsUsualIsLearnedAlsoFromThoseThatLost) {
  inner_.otherwise({.before = 50ms});
  ASSERT_TRUE(run(memory_.put("a", chain_of("x"))));
  for (std::size_t i = 0; i < kLatencySamplesMin; ++i) ASSERT_TRUE(run(hedge_.get("a")));
  ASSERT_TRUE(book_.p95(Verb::get, 0));
  EXPECT_GE(*book_.p95(Verb::get, 0), 50ms);
  EXPECT_LT(*book_.p95(Verb::get, 0), 51ms);
}

TEST_F(HedgeTest, NoHedgeWhileTheStoreAsksForLess) {
  learn(Verb::put, 1);
  gate_.throttled(std::nullopt);
  inner_.script({{.before = 500ms}});
  EXPECT_GE(time(hedge_.put("a", chain_of("x"))), 500ms);
  EXPECT_EQ(hedges(), 0u);
}

TEST_F(HedgeTest, StragglersAreBounded) {
  inner_.otherwise({.before = 100s});
  std::vector<rt::Task<Result<std::string>>> tasks;
  for (std::size_t i = 0; i < kStragglersMax + 10; ++i)
    tasks.push_back(hedge_.put_if_absent("a" + std::to_string(i), chain_of("x")));
  std::size_t waited = 0;
  for (auto& result : run_all(runner_, std::move(tasks))) waited += result.has_value();
  EXPECT_GE(waited, 9u) << "those above the bound wait for their driver";
  EXPECT_LE(hedge_.stragglers(), kStragglersMax);
}

TEST(LatencyBook, KeepsKindsApart) {
  LatencyBook book;
  for (std::size_t i = 0; i < 100; ++i) {
    book.observe(Verb::put, 4 << 10, 10ms);
    book.observe(Verb::put, 8 << 20, 300ms);
  }
  EXPECT_EQ(*book.p95(Verb::put, 1), 10ms);
  EXPECT_EQ(*book.p95(Verb::put, 5 << 20), 300ms);
  EXPECT_FALSE(book.p95(Verb::put, 100 << 10));
  EXPECT_FALSE(book.p95(Verb::get, 1));
}

TEST(LatencyBook, FindsThePercentileAndForgetsTheOld) {
  LatencyBook book;
  for (int i = 1; i <= 200; ++i) book.observe(Verb::get, 0, i % 10 == 0 ? 100ms : 10ms);
  EXPECT_EQ(*book.p95(Verb::get, 0), 100ms);
  for (std::size_t i = 0; i < kLatencySamplesMax + kLatencySamplesPerUpdate; ++i)
    book.observe(Verb::get, 0, 10ms);
  EXPECT_EQ(*book.p95(Verb::get, 0), 10ms);
}

}  // namespace
}  // namespace weir::objstore
