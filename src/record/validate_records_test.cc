#include "record/validate_records.h"

#include <gtest/gtest.h>

#include "record/test_batches.h"

namespace weir::record {
namespace {

using codec::Codec;

Checked<RecordsReport> report_of(Bytes bytes, const RecordRules& rules) {
  return validate_records(*BatchView::front_of(bytes), rules);
}

const RecordRules kOpen{.timestamps = {.now = WallMillis(test::kT0)}};

TEST(ValidateRecords, AcceptsGoodRecordsOfEveryCodec) {
  for (Codec codec : {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
    auto report = report_of(test::mixed(codec), kOpen);
    ASSERT_TRUE(report.has_value()) << describe(report.error());
    EXPECT_TRUE(report->ok());
    EXPECT_EQ(report->max_timestamp.value, test::kT0 + 6000);
    EXPECT_EQ(report->records_bytes, report_of(test::mixed(Codec::none), kOpen)->records_bytes);
  }
}

TEST(ValidateRecords, ListsTheRecordsWithoutKey) {
  RecordRules rules = kOpen;
  rules.keys_required = true;
  auto report = report_of(test::mixed(Codec::lz4), rules);
  ASSERT_TRUE(report.has_value());
  std::vector<RecordError> expected;
  for (int i = 0; i < 20; i += 4) expected.push_back({i, BatchError::key_missing});
  EXPECT_EQ(report->errors, expected);
  EXPECT_EQ(report->errors_total, 5);
  EXPECT_EQ(report->summary(), BatchError::key_missing);
}

TEST(ValidateRecords, FindsTimestampsThatTheHeaderHides) {
  RecordRules rules{.keys_required = true,
                    .timestamps = {.now = WallMillis(test::kT0), .before_max_ms = 10'000}};
  auto report = report_of(test::mixed(Codec::none), rules);
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->errors_total, 6);
  EXPECT_EQ(report->errors[1], (RecordError{3, BatchError::bad_timestamp}));
  EXPECT_EQ(report->summary(), BatchError::bad_timestamp);
}

TEST(ValidateRecords, BoundsTheListButCountsAll) {
  BatchBuilder builder({});
  for (int i = 0; i < 1000; ++i) builder.append({.timestamp = WallMillis(test::kT0)});
  RecordRules rules = kOpen;
  rules.keys_required = true;
  auto report = report_of(test::finished(std::move(builder)), rules);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->errors.size(), limits::record_errors_max);
  EXPECT_EQ(report->errors_total, 1000);
}

TEST(ValidateRecords, WantsConsecutiveOffsets) {
  BatchBuilder builder({});
  builder.append({.timestamp = WallMillis(test::kT0)});
  builder.append_at(Offset(2), {.timestamp = WallMillis(test::kT0)});
  EXPECT_EQ(report_of(test::finished(std::move(builder)), kOpen).error(),
            BatchError::bad_offset_delta);
}

TEST(ValidateRecords, RefusesAMalformedBatchBehindAGoodChecksum) {
  auto bytes = test::raw_batch({.records = test::bytes_of({12, 0, 0, 0, 40, 1, 0})});
  ASSERT_TRUE(validate_batch(bytes, {.timestamps = kOpen.timestamps}).has_value());
  EXPECT_EQ(report_of(bytes, kOpen).error(), BatchError::malformed_record);
}

TEST(ValidateRecords, BoundsTheDecompression) {
  RecordRules rules = kOpen;
  rules.records_bytes_max = 1000;
  EXPECT_EQ(report_of(test::large(Codec::zstd), rules).error(), BatchError::records_too_large);
}

}  // namespace
}  // namespace weir::record
