#include "engine/cache.h"

#include <gtest/gtest.h>

namespace weir::engine {
namespace {

RegionKey key(std::uint64_t n) { return {n, 0, 0, 0}; }

class CacheTest : public ::testing::Test {
 protected:
  Metrics metrics_;
  MemoryPool in_{"in", 1'000};
  MemoryPool pool_{"cache", 100};
  Cache cache_{pool_, metrics_};

  BytesChain region(std::size_t size) { return SharedBytes(Buffer::make(size)); }
};

TEST_F(CacheTest, the_oldest_leaves_when_the_budget_is_spent) {
  for (std::uint64_t i = 0; i < 4; ++i) cache_.insert(key(i), region(30), Cache::Age::tail);
  EXPECT_EQ(cache_.find(key(0)), nullptr);
  for (std::uint64_t i = 1; i < 4; ++i) ASSERT_NE(cache_.find(key(i)), nullptr);
  EXPECT_LE(pool_.used(), 100u);
}

TEST_F(CacheTest, memory_moves_from_the_pool_it_was_read_into) {
  ASSERT_TRUE(in_.try_reserve(40));
  cache_.insert(key(1), SharedBytes(Buffer::make(40, &in_)), Cache::Age::tail);
  EXPECT_EQ(in_.used(), 0u);
  EXPECT_EQ(pool_.used(), 40u);
}

TEST_F(CacheTest, a_block_that_several_regions_share_counts_once) {
  SharedBytes block = Buffer::make(60);
  cache_.insert(key(1), block.slice(0, 30), Cache::Age::tail);
  cache_.insert(key(2), block.slice(30, 30), Cache::Age::tail);
  EXPECT_EQ(pool_.used(), 60u);
}

TEST_F(CacheTest, a_catch_up_reader_does_not_push_the_tail_out) {
  for (std::uint64_t i = 0; i < 3; ++i) cache_.insert(key(i), region(25), Cache::Age::tail);
  for (std::uint64_t i = 10; i < 30; ++i) cache_.insert(key(i), region(12), Cache::Age::catch_up);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_NE(cache_.find(key(i)), nullptr);
}

TEST_F(CacheTest, a_catch_up_reader_keeps_its_share_while_the_tail_grows) {
  for (std::uint64_t i = 50; i < 52; ++i) cache_.insert(key(i), region(12), Cache::Age::catch_up);
  for (std::uint64_t i = 0; i < 20; ++i) cache_.insert(key(i), region(25), Cache::Age::tail);
  for (std::uint64_t i = 50; i < 52; ++i) EXPECT_NE(cache_.find(key(i)), nullptr);
}

TEST_F(CacheTest, a_catch_up_reader_uses_what_the_tail_leaves) {
  for (std::uint64_t i = 10; i < 18; ++i) cache_.insert(key(i), region(12), Cache::Age::catch_up);
  for (std::uint64_t i = 10; i < 18; ++i) EXPECT_NE(cache_.find(key(i)), nullptr);
}

TEST_F(CacheTest, a_region_that_is_inserted_again_counts_once_and_changes_its_queue) {
  cache_.insert(key(1), region(25), Cache::Age::catch_up);
  cache_.insert(key(1), region(25), Cache::Age::tail);
  EXPECT_EQ(cache_.regions(), 1u);
  EXPECT_EQ(pool_.used(), 25u);
  for (std::uint64_t i = 10; i < 30; ++i) cache_.insert(key(i), region(25), Cache::Age::catch_up);
  EXPECT_NE(cache_.find(key(1)), nullptr);
}

TEST_F(CacheTest, what_is_sent_stays_alive_after_it_was_evicted) {
  cache_.insert(key(1), region(60), Cache::Age::tail);
  BytesChain sending = *cache_.find(key(1));
  cache_.insert(key(2), region(60), Cache::Age::tail);
  EXPECT_EQ(cache_.find(key(1)), nullptr);
  EXPECT_EQ(sending.size(), 60u);
  EXPECT_EQ(pool_.used(), 120u);
  sending = {};
  EXPECT_EQ(pool_.used(), 60u);
}

}  // namespace
}  // namespace weir::engine
