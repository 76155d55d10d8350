#include "record/search.h"

#include <gtest/gtest.h>

#include "record/batch_edit.h"
#include "record/test_batches.h"

namespace weir::record {
namespace {

using codec::Codec;

std::vector<std::byte> batch_of(Offset base, std::initializer_list<std::int64_t> timestamps,
                                Codec codec = Codec::none) {
  BatchBuilder builder({.base_offset = base, .leader_epoch = LeaderEpoch(3), .codec = codec});
  for (std::int64_t timestamp : timestamps) builder.append({.timestamp = WallMillis(timestamp)});
  return test::finished(std::move(builder));
}

std::vector<std::byte> join(std::initializer_list<std::vector<std::byte>> batches) {
  std::vector<std::byte> region;
  for (const auto& batch : batches) region.insert(region.end(), batch.begin(), batch.end());
  return region;
}

// Timestamps by offset, from 10: 100 300 200 | 250 400 | 400 50.
std::vector<std::byte> region() {
  return join({batch_of(Offset(10), {100, 300, 200}), batch_of(Offset(13), {250, 400}, Codec::zstd),
               batch_of(Offset(15), {400, 50}, Codec::lz4)});
}

// "offset@timestamp", "none", or the error.
std::string text_of(const Checked<std::optional<TimestampMatch>>& match) {
  if (!match) return std::string(describe(match.error()));
  if (!*match) return "none";
  EXPECT_EQ((*match)->leader_epoch, LeaderEpoch(3));
  return std::to_string((*match)->offset.value) + "@" + std::to_string((*match)->timestamp.value);
}

std::string find(Bytes bytes, std::int64_t target, std::int64_t offset_min = 0) {
  return text_of(
      find_timestamp(bytes, {.target = WallMillis(target), .offset_min = Offset(offset_min)}));
}

std::string find_max(Bytes bytes, std::int64_t offset_min = 0) {
  return text_of(find_max_timestamp(bytes, {.offset_min = Offset(offset_min)}));
}

TEST(FindTimestamp, GivesTheFirstRecordThatReachesTheTarget) {
  auto bytes = region();
  EXPECT_EQ(find(bytes, 0), "10@100");
  EXPECT_EQ(find(bytes, 100), "10@100");
  EXPECT_EQ(find(bytes, 101), "11@300");
  EXPECT_EQ(find(bytes, 301), "14@400");
  EXPECT_EQ(find(bytes, 401), "none");
  EXPECT_EQ(find(Bytes(), 0), "none");
}

TEST(FindTimestamp, LeavesOutRecordsBelowTheStart) {
  auto bytes = region();
  EXPECT_EQ(find(bytes, 0, 12), "12@200");
  EXPECT_EQ(find(bytes, 300, 12), "14@400");
  EXPECT_EQ(find(bytes, 0, 17), "none");
}

TEST(FindTimestamp, GoesOnWhereAHeaderPromisesTooMuch) {
  auto lying = batch_of(Offset(10), {100, 200});
  store_be<std::int64_t>(lying, at::max_timestamp, 9999);
  EXPECT_EQ(find(join({lying, batch_of(Offset(12), {500})}), 300), "12@500");
}

TEST(FindTimestamp, FindsABaseTimestampAboveTheMaxTimestamp) {
  auto lying = batch_of(Offset(10), {500, 200});
  store_be<std::int64_t>(lying, at::max_timestamp, 200);
  EXPECT_EQ(find(lying, 300), "10@500");
}

TEST(FindTimestamp, LogAppendTimeBelongsToTheFirstRecord) {
  auto bytes = batch_of(Offset(10), {900, 950});
  set_log_append_time(bytes, WallMillis(300));
  EXPECT_EQ(find(bytes, 200), "10@300");
  EXPECT_EQ(find(bytes, 301), "none");
  EXPECT_EQ(find_max(bytes), "10@300");
}

TEST(FindMaxTimestamp, GivesTheFirstOfTheGreatest) {
  auto bytes = region();
  EXPECT_EQ(find_max(bytes), "14@400");
  EXPECT_EQ(find_max(bytes, 15), "15@400");
  EXPECT_EQ(find_max(bytes, 16), "16@50");
  EXPECT_EQ(find_max(bytes, 17), "none");
  EXPECT_EQ(find_max(Bytes()), "none");
}

TEST(FindMaxTimestamp, RecordsWithoutTimestampDoNotCount) {
  EXPECT_EQ(find_max(batch_of(Offset(0), {-1, -1})), "none");
  EXPECT_EQ(find_max(join({batch_of(Offset(0), {-1}), batch_of(Offset(1), {0, 7})})), "2@7");
}

TEST(FindMaxTimestamp, ALyingHeaderDoesNotWin) {
  auto lying = batch_of(Offset(10), {100});
  store_be<std::int64_t>(lying, at::max_timestamp, 9999);
  EXPECT_EQ(find_max(join({lying, batch_of(Offset(11), {500})})), "11@500");
}

TEST(Search, PassesOverBatchesThatCompactionEmptied) {
  auto empty = test::finished(BatchBuilder({.base_offset = Offset(5), .last_offset_delta_min = 4}));
  auto bytes = join({empty, batch_of(Offset(10), {100})});
  EXPECT_EQ(find(bytes, 0), "10@100");
  EXPECT_EQ(find_max(bytes), "10@100");
}

TEST(Search, ReportsMalformedRegionsAndRecords) {
  auto cut = region();
  cut.pop_back();
  EXPECT_EQ(find(cut, 401), describe(BatchError::cut_off));
  EXPECT_EQ(find_max(cut), describe(BatchError::cut_off));
  auto bad = test::raw_batch({.records = test::bytes_of({2, 2})});
  EXPECT_EQ(find(bad, 0), describe(BatchError::malformed_record));
  EXPECT_EQ(find_max(bad), describe(BatchError::malformed_record));
}

}  // namespace
}  // namespace weir::record
