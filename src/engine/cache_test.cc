#include "engine/cache.h"

#include <gtest/gtest.h>

namespace weir::engine {
namespace {

/// Of a region with one part.
constexpr std::size_t kHeld = Cache::kRegionBytes + Cache::kPartBytes;

RegionKey key(std::uint64_t n) { return {n, 0, 0, 0}; }

class CacheTest : public ::testing::Test {
 protected:
  Metrics metrics_;
  MemoryPool in_{"in", 1'000'000};
  MemoryPool pool_{"cache", 100'000};
  Cache cache_{pool_, metrics_};

  BytesChain region(std::size_t size) { return SharedBytes(Buffer::make(size)); }
};

TEST_F(CacheTest, the_oldest_leaves_when_the_budget_is_spent) {
  for (std::uint64_t i = 0; i < 4; ++i) cache_.insert(key(i), region(30'000), Cache::Age::tail);
  EXPECT_EQ(cache_.find(key(0)), nullptr);
  for (std::uint64_t i = 1; i < 4; ++i) ASSERT_NE(cache_.find(key(i)), nullptr);
  EXPECT_LE(pool_.used(), 100'000u);
}

TEST_F(CacheTest, memory_moves_from_the_pool_it_was_read_into) {
  ASSERT_TRUE(in_.try_reserve(40'000));
  cache_.insert(key(1), SharedBytes(Buffer::make(40'000, &in_)), Cache::Age::tail);
  EXPECT_EQ(in_.used(), 0u);
  EXPECT_EQ(pool_.used(), 40'000 + kHeld);
}

TEST_F(CacheTest, a_block_that_several_regions_share_counts_once) {
  SharedBytes block = Buffer::make(60'000);
  cache_.insert(key(1), block.slice(0, 30'000), Cache::Age::tail);
  cache_.insert(key(2), block.slice(30'000, 30'000), Cache::Age::tail);
  EXPECT_EQ(pool_.used(), 60'000 + 2 * kHeld);
}

// A record in each of many partitions: what holds them is more than they are.
TEST_F(CacheTest, what_holds_small_regions_counts_too) {
  for (std::uint64_t i = 0; i < 1'000; ++i) cache_.insert(key(i), region(10), Cache::Age::tail);
  EXPECT_LE(pool_.used(), 100'000u);
  EXPECT_EQ(cache_.regions(), 100'000 / (10 + kHeld));
}

TEST(CacheEndTest, the_pool_has_all_back_at_the_end) {
  Metrics metrics;
  MemoryPool pool("cache", 100'000);
  {
    Cache cache(pool, metrics);
    for (std::uint64_t i = 0; i < 5; ++i)
      cache.insert(key(i % 4), SharedBytes(Buffer::make(30)),
                   i % 2 == 0 ? Cache::Age::tail : Cache::Age::catch_up);
    EXPECT_EQ(pool.used(), 4 * (30 + kHeld));
  }
  EXPECT_EQ(pool.used(), 0u);
}

TEST_F(CacheTest, a_catch_up_reader_does_not_push_the_tail_out) {
  for (std::uint64_t i = 0; i < 3; ++i) cache_.insert(key(i), region(24'000), Cache::Age::tail);
  for (std::uint64_t i = 10; i < 30; ++i)
    cache_.insert(key(i), region(12'000), Cache::Age::catch_up);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_NE(cache_.find(key(i)), nullptr);
}

TEST_F(CacheTest, a_catch_up_reader_keeps_its_share_while_the_tail_grows) {
  for (std::uint64_t i = 50; i < 52; ++i)
    cache_.insert(key(i), region(12'000), Cache::Age::catch_up);
  for (std::uint64_t i = 0; i < 20; ++i) cache_.insert(key(i), region(25'000), Cache::Age::tail);
  for (std::uint64_t i = 50; i < 52; ++i) EXPECT_NE(cache_.find(key(i)), nullptr);
}

TEST_F(CacheTest, a_catch_up_reader_uses_what_the_tail_leaves) {
  for (std::uint64_t i = 10; i < 18; ++i)
    cache_.insert(key(i), region(12'000), Cache::Age::catch_up);
  for (std::uint64_t i = 10; i < 18; ++i) EXPECT_NE(cache_.find(key(i)), nullptr);
}

TEST_F(CacheTest, a_region_that_is_inserted_again_counts_once_and_changes_its_queue) {
  cache_.insert(key(1), region(25'000), Cache::Age::catch_up);
  cache_.insert(key(1), region(25'000), Cache::Age::tail);
  EXPECT_EQ(cache_.regions(), 1u);
  EXPECT_EQ(pool_.used(), 25'000 + kHeld);
  for (std::uint64_t i = 10; i < 30; ++i)
    cache_.insert(key(i), region(25'000), Cache::Age::catch_up);
  EXPECT_NE(cache_.find(key(1)), nullptr);
}

TEST_F(CacheTest, what_is_sent_stays_alive_after_it_was_evicted) {
  cache_.insert(key(1), region(60'000), Cache::Age::tail);
  BytesChain sending = *cache_.find(key(1));
  cache_.insert(key(2), region(60'000), Cache::Age::tail);
  EXPECT_EQ(cache_.find(key(1)), nullptr);
  EXPECT_EQ(sending.size(), 60'000u);
  EXPECT_EQ(pool_.used(), 120'000 + kHeld);
  sending = {};
  EXPECT_EQ(pool_.used(), 60'000 + kHeld);
}

}  // namespace
}  // namespace weir::engine
