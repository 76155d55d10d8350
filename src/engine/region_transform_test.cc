#include "engine/region_transform.h"

#include <gtest/gtest.h>

#include "codec/codec.h"
#include "record/builder.h"
#include "rt/sim/world.h"

namespace weir::engine {
namespace {

SharedBytes batch_of(std::vector<std::string> values, codec::Codec codec = codec::Codec::none) {
  record::BatchOptions options;
  options.codec = codec;
  record::BatchBuilder builder(options);
  for (const std::string& value : values)
    builder.append({.timestamp = WallMillis(1), .value = as_bytes(value)});
  return std::move(builder).finish().value();
}

std::string text_of(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i)
    text += "{\"id\":" + std::to_string(i * 7919 % 10'007) + ",\"name\":\"x" + std::to_string(i) +
            "\"}";
  return text;
}

BytesChain region_of(std::vector<SharedBytes> batches) {
  BytesChain region;
  for (SharedBytes& batch : batches) region.append(std::move(batch));
  return region;
}

TEST(RegionTransformTest, restores_what_was_produced_byte_by_byte) {
  BytesChain raw =
      region_of({batch_of({text_of(5'000)}), batch_of({text_of(300), text_of(9'000)})});
  auto stored = compress_region(raw);
  ASSERT_TRUE(stored.has_value());
  EXPECT_LT(stored->size(), raw.size() / 2);
  auto back = restore_region(*stored, RegionTransform::zstd, raw.size());
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(BytesChain(*back), raw);
}

TEST(RegionTransformTest, leaves_alone_what_is_not_worth_it) {
  EXPECT_FALSE(compress_region(region_of({batch_of({"small"})})).has_value());
  EXPECT_FALSE(
      compress_region(region_of({batch_of({text_of(20'000)}, codec::Codec::lz4)})).has_value())
      << "the producer has compressed it";
  EXPECT_FALSE(compress_region(region_of({batch_of({text_of(20'000)}),
                                          batch_of({text_of(2'000)}, codec::Codec::zstd)}))
                   .has_value());
  rt::SeededRandom random(7);
  std::string noise;
  for (int i = 0; i < 20'000; ++i) noise.push_back(static_cast<char>(random.below(256)));
  EXPECT_FALSE(compress_region(region_of({batch_of({noise})})).has_value());
}

TEST(RegionTransformTest, nothing_shrinks_below_an_eighth_so_that_memory_is_bounded) {
  BytesChain raw = region_of({batch_of({std::string(1 << 20, 'a')})});
  auto stored = compress_region(raw);
  ASSERT_TRUE(stored.has_value());
  EXPECT_GE(stored->size() * kTransformRatioMax, raw.size());
  EXPECT_LE(stored->size(), raw.size() / 7);
  auto back = restore_region(*stored, RegionTransform::zstd, raw.size());
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(BytesChain(*back), raw);
}

TEST(RegionTransformTest, a_frame_just_below_the_bound_is_filled_up_too) {
  for (std::size_t size = 4'000; size < 4'300; ++size) {
    BytesChain raw = region_of({batch_of({std::string(size, 'b') + text_of(size / 6)})});
    auto stored = compress_region(raw);
    if (!stored) continue;
    EXPECT_GE(stored->size() * kTransformRatioMax, raw.size());
    EXPECT_TRUE(restore_region(*stored, RegionTransform::zstd, raw.size()).has_value());
  }
}

TEST(RegionTransformTest, damage_and_lies_are_corrupt_and_allocate_nothing_large) {
  BytesChain raw = region_of({batch_of({text_of(50'000)})});
  SharedBytes stored = *compress_region(raw);
  auto size = static_cast<std::uint32_t>(raw.size());
  for (std::uint32_t lie : {size - 1, size + 1, 0u, 0xffff'ffffu}) {
    auto got = restore_region(stored, RegionTransform::zstd, lie);
    ASSERT_FALSE(got.has_value()) << lie;
    EXPECT_EQ(got.error().code, ErrorCode::corrupt);
  }
  for (std::size_t cut = 0; cut < stored.size(); cut += 97)
    EXPECT_FALSE(restore_region(stored.slice(0, cut), RegionTransform::zstd, size).has_value());
  for (std::size_t at = 0; at < stored.size(); at += 31) {
    SharedBytes bad = SharedBytes::copy_of(stored.view());
    bad.mutable_view()[at] ^= std::byte{0x10};
    auto got = restore_region(bad, RegionTransform::zstd, size);
    // A flip in a literal gives other bytes of the same length; checksums of the footer see that.
    if (!got) {
      EXPECT_EQ(got.error().code, ErrorCode::corrupt);
    }
  }
  EXPECT_EQ(restore_region(stored, RegionTransform::sealed, size).error().code,
            ErrorCode::unsupported);
}

}  // namespace
}  // namespace weir::engine
