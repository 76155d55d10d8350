#include "base/bytes.h"

#include <gtest/gtest.h>

#include "base/memory_pool.h"

namespace weir {
namespace {

TEST(Buffer, a_block_gives_its_reservation_back_when_the_last_slice_is_gone) {
  MemoryPool pool("in", 100);
  ASSERT_TRUE(pool.try_reserve(40));
  SharedBytes slice;
  {
    SharedBytes whole = Buffer::make(40, &pool);
    slice = whole.slice(10, 5);
  }
  EXPECT_EQ(pool.used(), 40u);
  slice = {};
  EXPECT_EQ(pool.used(), 0u);
}

TEST(Buffer, a_block_that_moves_counts_in_the_new_pool_once) {
  MemoryPool in("in", 100), cache("cache", 100);
  ASSERT_TRUE(in.try_reserve(60));
  SharedBytes whole = Buffer::make(60, &in);
  SharedBytes slice = whole.slice(0, 10);
  slice.move_to(cache);
  whole.move_to(cache);
  EXPECT_EQ(in.used(), 0u);
  EXPECT_EQ(cache.used(), 60u);
  whole = {};
  slice = {};
  EXPECT_EQ(cache.used(), 0u);
}

TEST(MemoryPool, one_request_above_the_limit_fits_an_empty_pool_only) {
  MemoryPool pool("in", 100);
  ASSERT_TRUE(pool.try_reserve(150));
  EXPECT_FALSE(pool.try_reserve(1));
  pool.release(150);
  ASSERT_TRUE(pool.try_reserve(1));
  EXPECT_FALSE(pool.try_reserve(150));
  EXPECT_TRUE(pool.try_reserve(99));
  EXPECT_FALSE(pool.try_reserve(1));
}

TEST(BytesChain, leaves_empty_parts_out_and_flattens_in_order) {
  BytesChain chain;
  chain.append(SharedBytes());
  EXPECT_TRUE(chain.empty());
  chain.append(SharedBytes::copy_of(as_bytes("ab")));
  chain.append(SharedBytes::copy_of(as_bytes("c")));
  EXPECT_EQ(chain.size(), 3u);
  EXPECT_EQ(chain.parts().size(), 2u);
  EXPECT_EQ(as_text(chain.flatten().view()), "abc");
}

TEST(Bytes, hexadecimal_is_lower_case) { EXPECT_EQ(to_hex(as_bytes("\x01\xab")), "01ab"); }

}  // namespace
}  // namespace weir
