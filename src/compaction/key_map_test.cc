#include "compaction/key_map.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "compaction/limits.h"

namespace weir::compaction {
namespace {

KeyHash hash(int n) { return KeyHasher()(as_bytes("key " + std::to_string(n))); }

TEST(KeyMap, finds_the_last_offset_of_each_key) {
  KeyMap map(1u << 20);
  map.reset(Offset(1'000), 500);
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(map.put(hash(i % 100), Offset(1'000 + i)));
  EXPECT_EQ(map.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(map.find(hash(i)), Offset(1'400 + i));
  EXPECT_EQ(map.find(hash(100)), std::nullopt);
}

TEST(KeyMap, refuses_new_keys_when_it_is_full_but_not_known_ones) {
  KeyMap map(20 * 100);
  map.reset(Offset(0), 1'000'000);
  int put = 0;
  while (map.put(hash(put), Offset(put))) ++put;
  EXPECT_EQ(put, static_cast<int>(limits::key_map_load_percent));
  EXPECT_TRUE(map.put(hash(0), Offset(put)));
  EXPECT_FALSE(map.put(hash(put), Offset(put + 1)));
  EXPECT_EQ(map.find(hash(put)), std::nullopt);
  for (int i = 1; i < put; ++i) EXPECT_EQ(map.find(hash(i)), Offset(i));
}

TEST(KeyMap, never_takes_more_memory_than_its_budget) {
  KeyMap map(1u << 20);
  for (std::uint64_t keys : {10u, 5'000u, 100'000'000u, 7u}) {
    map.reset(Offset(0), keys);
    EXPECT_LE(map.memory_bytes(), std::size_t{1} << 20);
    EXPECT_GE(map.keys_max(), std::min<std::uint64_t>(keys, 44'000));
  }
}

TEST(KeyMap, takes_at_least_one_key_whatever_the_budget) {
  KeyMap map(0);
  map.reset(Offset(5), 0);
  EXPECT_TRUE(map.put(hash(1), Offset(5)));
  EXPECT_FALSE(map.put(hash(2), Offset(6)));
  EXPECT_EQ(map.find(hash(1)), Offset(5));
  EXPECT_EQ(map.find(hash(2)), std::nullopt);
}

TEST(KeyMap, forgets_everything_at_a_reset) {
  KeyMap map(1u << 16);
  map.reset(Offset(0), 10);
  ASSERT_TRUE(map.put(hash(1), Offset(3)));
  map.reset(Offset(0), 100);
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.find(hash(1)), std::nullopt);
  map.reset(Offset(0), 5);
  EXPECT_EQ(map.find(hash(1)), std::nullopt);
}

}  // namespace
}  // namespace weir::compaction
