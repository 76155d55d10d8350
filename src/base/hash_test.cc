// The values are part of a contract: digests and rendezvous choices must agree between brokers of
// any build.
#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weir {
namespace {

TEST(Hash, its_values_never_change) {
  EXPECT_EQ(hash64(as_bytes("")), 0x51ab2661b74c8e11u);
  EXPECT_EQ(hash64(as_bytes("weir")), 0xb4b3758c1439f89cu);
  EXPECT_EQ(hash64(as_bytes("a longer text, of more than one word")), 0xb2774fe7da3875d9u);
  EXPECT_EQ(hash64(as_bytes("weir"), 7), 0x3ddd6311c3b901b0u);
}

TEST(Hash, a_digest_does_not_depend_on_order_and_forgets_what_is_taken_away) {
  std::vector<Hash128> items;
  for (int i = 0; i < 100; ++i) items.push_back(hash128(as_bytes(std::to_string(i))));
  Hash128 forward, backward;
  for (const Hash128& item : items) forward += item;
  for (auto item = items.rbegin(); item != items.rend(); ++item) backward += *item;
  EXPECT_EQ(forward, backward);
  for (const Hash128& item : items) forward -= item;
  EXPECT_EQ(forward, Hash128{});
}

TEST(Hash, sums_carry_into_the_high_half) {
  Hash128 sum{~0ull, 1};
  sum += Hash128{1, 1};
  EXPECT_EQ(sum, (Hash128{0, 3}));
  sum -= Hash128{1, 1};
  EXPECT_EQ(sum, (Hash128{~0ull, 1}));
}

TEST(Hash, trailing_zeros_count) {
  EXPECT_NE(hash64(as_bytes(std::string_view("a\0", 2))), hash64(as_bytes("a")));
}

TEST(Rendezvous, a_candidate_that_leaves_moves_only_its_own_keys) {
  std::vector<std::string> brokers = {"a", "b", "c", "d"};
  auto owner = [](const std::string& key, const std::vector<std::string>& among) {
    std::string best;
    std::uint64_t weight = 0;
    for (const std::string& b : among) {
      std::uint64_t w = rendezvous_weight(as_bytes(key), as_bytes(b));
      if (best.empty() || w > weight) best = b, weight = w;
    }
    return best;
  };
  std::vector<std::string> fewer = {"a", "b", "d"};
  int moved = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string key = std::to_string(i);
    std::string before = owner(key, brokers);
    if (before == "c")
      ++moved;
    else
      EXPECT_EQ(owner(key, fewer), before);
  }
  EXPECT_GT(moved, 150);
  EXPECT_LT(moved, 350);
}

}  // namespace
}  // namespace weir
