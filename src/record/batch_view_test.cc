#include "record/batch_view.h"

#include <gtest/gtest.h>

#include "record/test_batches.h"

namespace weir::record {
namespace {

using test::simple;

std::vector<std::byte> operator+(std::vector<std::byte> a, const std::vector<std::byte>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(BatchView, ReadsEveryFieldOfTheHeader) {
  auto bytes = simple({.base_offset = Offset(100),
                       .leader_epoch = LeaderEpoch(5),
                       .codec = codec::Codec::lz4,
                       .producer_id = ProducerId(8),
                       .producer_epoch = ProducerEpoch(2),
                       .base_sequence = 30,
                       .transactional = true,
                       .control = true});
  auto batch = BatchView::front_of(bytes);
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->base_offset(), Offset(100));
  EXPECT_EQ(batch->last_offset(), Offset(101));
  EXPECT_EQ(batch->last_offset_delta(), 1);
  EXPECT_EQ(batch->leader_epoch(), LeaderEpoch(5));
  EXPECT_EQ(batch->codec(), codec::Codec::lz4);
  EXPECT_EQ(batch->timestamp_type(), TimestampType::create_time);
  EXPECT_TRUE(batch->transactional());
  EXPECT_TRUE(batch->control());
  EXPECT_FALSE(batch->has_delete_horizon());
  EXPECT_EQ(batch->base_timestamp(), WallMillis(test::kT0));
  EXPECT_EQ(batch->max_timestamp(), WallMillis(test::kT0 + 5));
  EXPECT_EQ(batch->producer_id(), ProducerId(8));
  EXPECT_EQ(batch->producer_epoch(), ProducerEpoch(2));
  EXPECT_EQ(batch->base_sequence(), 30);
  EXPECT_EQ(batch->record_count(), 2);
  EXPECT_TRUE(batch->checksum_ok());
}

TEST(BatchView, EveryTruncationIsRefused) {
  auto bytes = simple();
  EXPECT_EQ(BatchView::front_of(Bytes()).error(), BatchError::empty);
  for (std::size_t size = 1; size < bytes.size(); ++size)
    EXPECT_EQ(BatchView::front_of(Bytes(bytes).first(size)).error(), BatchError::cut_off) << size;
}

TEST(BatchView, RefusesOtherFormatsAndLengths) {
  for (int magic : {0, 1, 3, -1}) {
    auto bytes = simple();
    store_be<std::int8_t>(bytes, at::magic, static_cast<std::int8_t>(magic));
    EXPECT_EQ(BatchView::front_of(bytes).error(), BatchError::bad_magic);
  }
  for (int length : {-1, 0, 48, -2147483647}) {
    auto bytes = simple();
    store_be<std::int32_t>(bytes, at::batch_length, length);
    EXPECT_EQ(BatchView::front_of(bytes).error(), BatchError::bad_length);
  }
  auto bytes = simple();
  store_be<std::int32_t>(bytes, at::batch_length, 2147483647);
  EXPECT_EQ(BatchView::front_of(bytes).error(), BatchError::cut_off);
}

TEST(BatchView, AnyFlippedBitBehindTheChecksumIsFound) {
  const auto original = test::mixed(codec::Codec::none);
  for (std::size_t bit = at::crc * 8; bit < original.size() * 8; ++bit) {
    auto bytes = original;
    bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    auto batch = BatchView::front_of(bytes);
    ASSERT_TRUE(batch.has_value());
    EXPECT_FALSE(batch->checksum_ok()) << "bit " << bit;
  }
}

TEST(BatchView, TheChecksumBehindOtherBytesIsThatOfReadingItAll) {
  for (std::size_t value : {1u, 15'000u, 16'384u, 70'000u, 1'000'003u}) {
    std::string filling(value, 'v');
    BatchBuilder builder({.leader_epoch = LeaderEpoch(7)});
    builder.append({.timestamp = WallMillis(test::kT0), .value = as_bytes(filling)});
    std::vector<std::byte> bytes = test::finished(std::move(builder));
    for (std::uint32_t previous : {0u, codec::crc32c(as_bytes("what stands before"))})
      EXPECT_EQ(BatchView::front_of(bytes)->checksum_after(previous),
                codec::crc32c(bytes, previous))
          << value;
  }
}

TEST(BatchView, OverflowingOffsetsDoNoHarm) {
  auto bytes = simple({.base_offset = Offset(std::numeric_limits<std::int64_t>::max() - 1)});
  store_be<std::int32_t>(bytes, at::last_offset_delta, 2147483647);
  EXPECT_LT(BatchView::front_of(bytes)->last_offset().value, 0);
}

TEST(BatchIterator, WalksARegionAndSaysWhereItIs) {
  auto first = simple(), second = test::mixed(codec::Codec::zstd);
  auto region = first + second;
  BatchIterator batches(region);
  EXPECT_EQ(batches.position(), 0u);
  EXPECT_EQ((*batches.next())->record_count(), 2);
  EXPECT_EQ(batches.position(), first.size());
  EXPECT_EQ((*batches.next())->record_count(), 20);
  EXPECT_EQ(batches.position(), region.size());
  EXPECT_FALSE(batches.next()->has_value());
  EXPECT_FALSE(batches.next()->has_value());
}

TEST(BatchIterator, StaysAtAnError) {
  auto first = simple();
  auto region = first + test::bytes_of({1, 2, 3});
  BatchIterator batches(region);
  EXPECT_TRUE(batches.next()->has_value());
  for (int i = 0; i < 2; ++i) {
    auto next = batches.next();
    ASSERT_FALSE(next.has_value());
    EXPECT_EQ(next.error(), BatchError::cut_off);
  }
  EXPECT_EQ(batches.position(), first.size());
}

TEST(BatchIterator, AnEmptyRegionHasNoBatches) {
  EXPECT_FALSE(BatchIterator(Bytes()).next()->has_value());
}

TEST(BatchError, EachHasItsOwnSentence) {
  std::vector<std::string_view> seen;
  for (std::uint8_t i = 0; i < batch_error_count; ++i) {
    auto error = static_cast<BatchError>(i);
    EXPECT_NE(describe(error), "unknown");
    for (std::string_view other : seen) EXPECT_NE(describe(error), other);
    seen.push_back(describe(error));
    EXPECT_EQ(to_error(error).message, describe(error));
  }
  EXPECT_EQ(describe(static_cast<BatchError>(batch_error_count)), "unknown");
}

}  // namespace
}  // namespace weir::record
