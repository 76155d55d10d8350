#include "record/batch_edit.h"

#include <gtest/gtest.h>

#include "record/test_batches.h"
#include "record/validate_records.h"

namespace weir::record {
namespace {

using codec::Codec;

TEST(StampBatch, LeavesTheChecksumGood) {
  auto bytes = test::mixed(Codec::gzip);
  stamp_batch(bytes, {Offset(1'000'000'000'000), LeaderEpoch(12)});
  auto batch = BatchView::front_of(bytes);
  EXPECT_EQ(batch->base_offset(), Offset(1'000'000'000'000));
  EXPECT_EQ(batch->leader_epoch(), LeaderEpoch(12));
  EXPECT_TRUE(batch->checksum_ok());
}

TEST(StampRegion, GivesDenseOffsets) {
  auto region = test::simple();
  auto second = test::mixed(Codec::none), third = test::simple();
  region.insert(region.end(), second.begin(), second.end());
  region.insert(region.end(), third.begin(), third.end());
  auto next = stamp_region(region, {Offset(50), LeaderEpoch(4)});
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(*next, Offset(74));
  BatchIterator batches(region);
  for (std::int64_t expected : {50, 52, 72}) {
    auto batch = **batches.next();
    EXPECT_EQ(batch.base_offset(), Offset(expected));
    EXPECT_EQ(batch.leader_epoch(), LeaderEpoch(4));
    EXPECT_TRUE(batch.checksum_ok());
  }
  EXPECT_EQ(stamp_region(MutableBytes(), {Offset(50), LeaderEpoch(4)}), Offset(50));
}

TEST(StampRegion, RefusesWhatItCannotWalk) {
  auto region = test::simple();
  region.push_back(std::byte{1});
  EXPECT_EQ(stamp_region(region, {}).error(), BatchError::cut_off);
  auto negative = test::simple();
  store_be<std::int32_t>(negative, at::last_offset_delta, -5);
  EXPECT_EQ(stamp_region(negative, {}).error(), BatchError::bad_count);
  auto last = test::simple();
  Offset end(std::numeric_limits<std::int64_t>::max() - 1);
  EXPECT_EQ(stamp_region(last, {end, LeaderEpoch(0)}).error(), BatchError::bad_count);
}

TEST(SetLogAppendTime, GivesWhatKafkaWrites) {
  auto bytes = test::simple({.leader_epoch = LeaderEpoch(7)});
  set_log_append_time(bytes, WallMillis(test::kT0 + 99));
  EXPECT_EQ(to_hex(bytes), to_hex(test::golden("log_append_time")));
}

TEST(RecompressBatch, GivesTheBatchOfTheOtherCodec) {
  for (Codec from : {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd})
    for (Codec to : {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
      auto source = test::mixed(from);
      auto outcome = recompress_batch(*BatchView::front_of(source), {.codec = to});
      ASSERT_TRUE(outcome.has_value()) << describe(outcome.error());
      EXPECT_EQ(to_hex(outcome->data()), to_hex(test::mixed(to)));
    }
}

TEST(RecompressBatch, ReportsWhatItCannotDo) {
  auto good = test::large(Codec::zstd);
  auto bounded =
      recompress_batch(*BatchView::front_of(good), {.codec = Codec::lz4, .records_bytes_max = 10});
  EXPECT_TRUE(bounded.error().is(ErrorCode::too_large));
  auto level = recompress_batch(*BatchView::front_of(good), {.codec = Codec::lz4, .level = 99});
  EXPECT_TRUE(level.error().is(ErrorCode::invalid_argument));
  auto damaged = test::raw_batch({.records = test::bytes_of({1, 2}), .attributes = 4});
  auto corrupt = recompress_batch(*BatchView::front_of(damaged), {.codec = Codec::lz4});
  EXPECT_TRUE(corrupt.error().is(ErrorCode::corrupt));
}

}  // namespace
}  // namespace weir::record
