#include "objstore/request_gate.h"

#include "objstore/conformance_harness.h"
#include "objstore/gate_store.h"
#include "objstore/memory_store.h"
#include "objstore/scripted_store.h"

namespace weir::objstore {
namespace {

class GateTest : public testing::Test {
 protected:
  using Log = std::vector<std::pair<RequestClass, MonoTime>>;
  /// Enters, notes when, stays for a while.
  static rt::Task<void> visit(RequestGate& gate, rt::Loop& loop, RequestClass c, Duration stay,
                              Log& log) {
    auto ticket = co_await gate.enter(c);
    if (!ticket) {
      EXPECT_EQ(ticket.error().code, ErrorCode::unavailable);
      co_return;
    }
    log.emplace_back(c, loop.now());
    co_await rt::sleep_for(loop, stay);
  }
  void add(RequestClass c, Duration stay, std::size_t count = 1) {
    for (std::size_t i = 0; i < count; ++i)
      tasks_.push_back(visit(gate_, runner_.loop(), c, stay, log_));
  }
  void run() {
    begin_ = runner_.loop().now();
    runner_.run(std::exchange(tasks_, {}));
  }
  Duration at(std::size_t i) const { return log_[i].second - begin_; }
  std::size_t count(RequestClass c, std::size_t first) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < std::min(first, log_.size()); ++i) n += log_[i].first == c;
    return n;
  }

  SimRunner runner_{1};
  Metrics metrics_;
  RequestGate gate_{{runner_.loop(), runner_.node().random(), metrics_, "t"},
                    {.in_flight_max = {2, 4, 4, 1, 1}}};
  std::vector<rt::Task<void>> tasks_;
  Log log_;
  MonoTime begin_;
};

TEST_F(GateTest, EachClassHasItsOwnSlots) {
  add(RequestClass::cold_read, 1s, 5);
  add(RequestClass::commit, 10ms, 2);
  run();
  ASSERT_EQ(log_.size(), 7u);
  EXPECT_EQ(count(RequestClass::commit, 3), 2u) << "commits did not wait for the cold reads";
  EXPECT_GE(at(6), 4s);
}

TEST_F(GateTest, WithinAClassTheFirstToComeIsTheFirstToGo) {
  std::vector<rt::Task<void>> tasks;
  std::vector<int> order;
  struct Visitor {
    static rt::Task<void> go(RequestGate& gate, rt::Loop& loop, int number, std::vector<int>& out) {
      auto ticket = co_await gate.enter(RequestClass::maintenance);
      out.push_back(number);
      co_await rt::sleep_for(loop, 10ms);
    }
  };
  for (int i = 0; i < 20; ++i) tasks.push_back(Visitor::go(gate_, runner_.loop(), i, order));
  runner_.run(std::move(tasks));
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(order.size(), 20u);
}

TEST_F(GateTest, AQueueIsBoundedInTime) {
  add(RequestClass::maintenance, 15s, 3);
  run();
  EXPECT_EQ(log_.size(), 1u) << "the other two were turned away after 10 s";
  EXPECT_EQ(gate_.in_flight(RequestClass::maintenance), 0u);
  EXPECT_EQ(gate_.waiting(RequestClass::maintenance), 0u);
}

TEST_F(GateTest, AQueueIsBoundedInLength) {
  add(RequestClass::maintenance, 1ms, kGateWaitersMax + 50);
  run();
  EXPECT_EQ(log_.size(), kGateWaitersMax + 1);
  EXPECT_EQ(
      metrics_
          .counter("weir_store_requests_turned_away_total", "", "store=\"t\",class=\"maintenance\"")
          .value(),
      49u);
}

TEST_F(GateTest, AComplaintCutsTheRateOfTheLastSecondAndItGrowsAgain) {
  add(RequestClass::produce, 10ms, 400);
  run();
  gate_.throttled(std::nullopt);
  ASSERT_TRUE(gate_.rate());
  double after = *gate_.rate();
  EXPECT_GT(after, 100);
  EXPECT_LT(after, 400);
  for (int i = 0; i < 100; ++i) gate_.throttled(std::nullopt);
  EXPECT_EQ(*gate_.rate(), after) << "what was in flight together complains once";
  log_.clear();
  add(RequestClass::produce, 1ms, 1'000);
  run();
  ASSERT_EQ(log_.size(), 1'000u);
  double second = 0;
  for (auto& [c, when] : log_) second += when - begin_ < 1s;
  EXPECT_NEAR(second, after * 1.1, after * 0.1) << "paced, and a tenth a second faster";
}

TEST_F(GateTest, AMinuteWithoutAComplaintLiftsTheRate) {
  gate_.throttled(std::nullopt);
  EXPECT_TRUE(gate_.rate());
  tasks_.push_back([](rt::Loop& loop) -> rt::Task<void> {
    co_await rt::sleep_for(loop, kPaceForget + 1s);
  }(runner_.loop()));
  run();
  add(RequestClass::produce, 1ms);
  run();
  EXPECT_FALSE(gate_.rate());
}

TEST_F(GateTest, WhoWaitedForASlotThenWaitsForAToken) {
  gate_.throttled(std::nullopt);
  add(RequestClass::maintenance, 300ms, 8);
  run();
  EXPECT_EQ(log_.size(), 8u);
  EXPECT_LT(at(7), 6s) << "at two a second and a little more";
}

TEST_F(GateTest, WhatTheStoreAsksForIsWaitedFor) {
  gate_.throttled(3s);
  add(RequestClass::commit, 1ms);
  run();
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_GE(at(0), 3s);
  EXPECT_LT(at(0), 5s);
}

TEST_F(GateTest, AStoreCannotSilenceUsForLong) {
  gate_.throttled(1h);
  add(RequestClass::commit, 1ms);
  run();
  EXPECT_TRUE(log_.empty()) << "turned away after 10 s";
  EXPECT_GE(runner_.loop().now() - begin_, kGateWaitMax);
}

TEST_F(GateTest, WhileTheRateIsLowCommitsComeFirstAndNobodyStarves) {
  gate_.throttled(std::nullopt);
  add(RequestClass::maintenance, 1ms, 30);
  add(RequestClass::produce, 1ms, 30);
  add(RequestClass::commit, 1ms, 30);
  run();
  ASSERT_GE(log_.size(), 25u);
  EXPECT_GT(count(RequestClass::commit, 25), count(RequestClass::produce, 25));
  EXPECT_GT(count(RequestClass::produce, 25), count(RequestClass::maintenance, 25));
  EXPECT_GE(count(RequestClass::maintenance, 25), 1u);
}

TEST_F(GateTest, AStoreBehindAGateSortsRequestsByTheirVerb) {
  MemoryStore memory;
  ScriptedStore inner(memory, runner_.loop());
  inner.otherwise({.before = 100ms});
  GateStore store(inner, gate_, std::nullopt);
  std::vector<rt::Task<Result<std::string>>> puts;
  for (int i = 0; i < 12; ++i) puts.push_back(store.put(std::to_string(i), chain_of("x")));
  for (auto& result : run_all(runner_, std::move(puts))) EXPECT_TRUE(result);
  EXPECT_EQ(inner.in_flight_max(), 4u);
  std::vector<rt::Task<Result<ObjectStore::Page>>> lists;
  for (int i = 0; i < 3; ++i) lists.push_back(store.list("", ""));
  MonoTime begin = runner_.loop().now();
  for (auto& result : run_all(runner_, std::move(lists))) EXPECT_TRUE(result);
  EXPECT_GE(runner_.loop().now() - begin, 300ms) << "one at a time";
}

}  // namespace
}  // namespace weir::objstore
