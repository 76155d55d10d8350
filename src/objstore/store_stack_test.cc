#include "objstore/store_stack.h"

#include "objstore/conformance_harness.h"
#include "objstore/memory_store.h"
#include "objstore/scripted_store.h"

namespace weir::objstore {
namespace {

class StackTest : public testing::Test {
 protected:
  template <class T>
  T run(rt::Task<T> task) {
    return run_one(runner_, std::move(task));
  }
  void TearDown() override {
    std::vector<rt::Task<void>> tasks;
    tasks.push_back(stack_.stop());
    runner_.run(std::move(tasks));
  }

  SimRunner runner_{3};
  Metrics metrics_;
  MemoryStore memory_;
  ScriptedStore driver_{memory_, runner_.loop()};
  RequestGate gate_{{runner_.loop(), runner_.node().random(), metrics_, "data"}};
  StoreStack stack_{driver_,
                    gate_,
                    {runner_.loop(), runner_.node().random(), metrics_},
                    {.prices = list_prices(StoreKind::s3)}};
};

TEST_F(StackTest, AFaultIsRiddenOutAndEveryRequestIsCountedAndPriced) {
  driver_.script({{.error = ErrorCode::unavailable}, {.error = ErrorCode::unknown_outcome}, {}});
  ASSERT_TRUE(run(stack_.of(RequestClass::produce).put("a", chain_of("12345"))));
  ASSERT_TRUE(run(stack_.of(RequestClass::tail_read).get("a")));
  std::string text = metrics_.render();
  for (const char* line :
       {"weir_store_requests_total{store=\"data\",verb=\"put\",outcome=\"ok\"} 1",
        "weir_store_requests_total{store=\"data\",verb=\"put\",outcome=\"unavailable\"} 1",
        "weir_store_price_nanodollars_total{store=\"data\",verb=\"put\"} 15000",
        "weir_store_price_nanodollars_total{store=\"data\",verb=\"get\"} 400",
        "weir_store_bytes_total{store=\"data\",direction=\"written\"} 5"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST_F(StackTest, ACreateThatHangsEndsAndIsNotRepeated) {
  driver_.script({{.before = 10min, .apply = true}});
  MonoTime begin = runner_.loop().now();
  auto result = run(stack_.of(RequestClass::commit).put_if_absent("log/0/1", chain_of("x")));
  EXPECT_EQ(result.error().code, ErrorCode::timed_out);
  EXPECT_LT(runner_.loop().now() - begin, 10s);
  EXPECT_EQ(driver_.seen().size(), 1u);
}

TEST_F(StackTest, ACreateThatWasRefusedIsRepeatedAndWins) {
  driver_.script({{.error = ErrorCode::unavailable}, {}});
  EXPECT_TRUE(run(stack_.of(RequestClass::commit).put_if_absent("log/0/1", chain_of("x"))));
}

TEST_F(StackTest, ColdReadsDoNotHoldUpCommits) {
  ASSERT_TRUE(run(memory_.put("old", chain_of("x"))));
  driver_.otherwise({.before = 5s});
  std::vector<rt::Task<void>> tasks;
  struct Calls {
    static rt::Task<void> read(ObjectStore& store) {
      auto got = co_await store.get("old");
      EXPECT_TRUE(got || got.error().is(ErrorCode::unavailable));
    }
    static rt::Task<void> commit(ObjectStore& store, rt::Loop& loop, Duration& took) {
      MonoTime begin = loop.now();
      EXPECT_TRUE(co_await store.put_if_absent("log/0/1", chain_of("x")));
      took = loop.now() - begin;
    }
  };
  Duration took{};
  for (int i = 0; i < 100; ++i) tasks.push_back(Calls::read(stack_.of(RequestClass::cold_read)));
  tasks.push_back(Calls::commit(stack_.of(RequestClass::commit), runner_.loop(), took));
  runner_.run(std::move(tasks));
  EXPECT_LT(took, 5'100ms);
}

TEST(PriceTable, KnowsWhatAMonthOfRequestsCosts) {
  PriceTable s3 = list_prices(StoreKind::s3);
  // Five puts a second for thirty days: 12.96 million at $0.005 a thousand.
  EXPECT_EQ(s3.nanodollars(Verb::put_if_absent, 100) * 5 * 86'400 * 30 / 1'000'000'000, 64u);
  EXPECT_EQ(s3.nanodollars(Verb::get, 1 << 20), 400u);
  EXPECT_EQ(s3.nanodollars(Verb::remove, 0), 0u);
  EXPECT_EQ(list_prices(StoreKind::local).nanodollars(Verb::list, 0), 0u);
  EXPECT_GT(list_prices(StoreKind::s3_express).nanodollars(Verb::put, 8 << 20), 20'000u);
}

}  // namespace
}  // namespace weir::objstore
