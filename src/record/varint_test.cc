#include "record/varint.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "record/test_batches.h"

namespace weir::record {
namespace {

using Limits32 = std::numeric_limits<std::int32_t>;
using Limits64 = std::numeric_limits<std::int64_t>;

std::string encoded(std::int64_t value) {
  std::vector<std::byte> out;
  append_varint(out, value);
  return to_hex(out);
}

TEST(Varint, IsZigzagLowestBitsFirst) {
  EXPECT_EQ(encoded(0), "00");
  EXPECT_EQ(encoded(-1), "01");
  EXPECT_EQ(encoded(63), "7e");
  EXPECT_EQ(encoded(-64), "7f");
  EXPECT_EQ(encoded(64), "8001");
  EXPECT_EQ(encoded(Limits32::max()), "feffffff0f");
  EXPECT_EQ(encoded(Limits32::min()), "ffffffff0f");
  EXPECT_EQ(encoded(Limits64::max()), "feffffffffffffffff01");
  EXPECT_EQ(encoded(Limits64::min()), "ffffffffffffffffff01");
}

TEST(Varint, RoundTripsAndKnowsItsSize) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 5000; ++round) {
    auto value = static_cast<std::int64_t>(random() >> random() % 64);
    if (round % 2) value = -value;
    std::vector<std::byte> out;
    append_varint(out, value);
    EXPECT_EQ(out.size(), varint_size(value));
    Cursor cursor(out);
    std::int64_t back = 0;
    ASSERT_TRUE(cursor.read_varlong(back));
    EXPECT_EQ(back, value);
    EXPECT_EQ(cursor.remaining(), 0u);
    Cursor narrow_cursor(out);
    std::int32_t narrow_back = 0;
    bool fits = value >= Limits32::min() && value <= Limits32::max();
    EXPECT_EQ(narrow_cursor.read_varint(narrow_back), fits);
    if (fits) {
      EXPECT_EQ(narrow_back, value);
    }
  }
}

TEST(Varint, EveryTruncationFails) {
  std::vector<std::byte> out;
  append_varint(out, Limits64::min());
  for (std::size_t size = 0; size < out.size(); ++size) {
    Cursor cursor(Bytes(out).first(size));
    std::int64_t value = 0;
    EXPECT_FALSE(cursor.read_varlong(value));
  }
}

TEST(Varint, AcceptsPaddingButNoOverflow) {
  std::int64_t value = 0;
  auto padded = test::bytes_of({0x82, 0x80, 0x00});
  EXPECT_TRUE(Cursor(padded).read_varlong(value));
  EXPECT_EQ(value, 1);
  auto overflow = test::bytes_of({255, 255, 255, 255, 255, 255, 255, 255, 255, 2});
  EXPECT_FALSE(Cursor(overflow).read_varlong(value));
  auto endless = test::bytes_of({128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0});
  EXPECT_FALSE(Cursor(endless).read_varlong(value));
}

TEST(Cursor, TakesOnlyWhatIsThere) {
  auto bytes = test::bytes_of({1, 2, 3});
  Cursor cursor(bytes);
  Bytes taken;
  EXPECT_FALSE(cursor.take(4, taken));
  EXPECT_TRUE(cursor.take(3, taken));
  EXPECT_EQ(taken.size(), 3u);
  std::int8_t byte = 0;
  EXPECT_FALSE(cursor.read_byte(byte));
  EXPECT_TRUE(cursor.take(0, taken));
}

}  // namespace
}  // namespace weir::record
