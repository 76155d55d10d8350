#include "objstore/memory_store.h"

#include "objstore/conformance_harness.h"
#include "objstore/null_store.h"

namespace weir::objstore {
namespace {

TEST(MemoryStore, AnswersOutOfSpaceWhenFullAndKeepsTheOldObject) {
  SimRunner runner(1);
  MemoryStore store({.bytes_max = 10});
  ASSERT_TRUE(run_one(runner, store.put("a", chain_of("12345678"))));
  auto full = run_one(runner, store.put("b", chain_of("123")));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::out_of_space);
  EXPECT_TRUE(run_one(runner, store.put("a", chain_of("1234567890"))));
  ASSERT_TRUE(run_one(runner, store.remove({"a"})));
  EXPECT_TRUE(run_one(runner, store.put("b", chain_of("123"))));
}

TEST(NullStore, TakesEverythingAndKeepsNothing) {
  SimRunner runner(1);
  NullStore store;
  EXPECT_TRUE(run_one(runner, store.put("a", chain_of("x"))));
  EXPECT_TRUE(run_one(runner, store.put_if_absent("a", chain_of("x"))));
  EXPECT_TRUE(run_one(runner, store.put_if_absent("a", chain_of("x"))));
  EXPECT_EQ(run_one(runner, store.get("a")).error().code, ErrorCode::not_found);
  EXPECT_TRUE(run_one(runner, store.list("", ""))->objects.empty());
}

}  // namespace
}  // namespace weir::objstore
