#include "record/reader.h"

#include <gtest/gtest.h>

#include <random>

#include "record/test_batches.h"

namespace weir::record {
namespace {

using codec::Codec;
using test::bytes_of;

// Reads everything; nothing if that worked.
std::optional<BatchError> failure(Bytes bytes, std::size_t limit = limits::records_bytes_max) {
  auto batch = BatchView::front_of(bytes);
  if (!batch) return batch.error();
  auto reader = RecordReader::open(*batch, limit);
  if (!reader) return reader.error();
  while (true) {
    auto record = reader->next();
    if (!record) {
      EXPECT_EQ(reader->next().error(), BatchError::malformed_record);
      return record.error();
    }
    if (!*record) return std::nullopt;
    while ((*record)->headers.next()) {
    }
  }
}

std::optional<BatchError> failure_of_records(std::initializer_list<int> records, int count = 1) {
  return failure(test::raw_batch({.records = bytes_of(records), .count = count}));
}

// Length 6 (zigzag 12): attributes, timestamp delta, offset delta, null key, null value, 0 headers.
TEST(RecordReader, ReadsTheSmallestRecord) {
  EXPECT_EQ(failure_of_records({12, 0, 0, 0, 1, 1, 0}), std::nullopt);
}

TEST(RecordReader, RefusesRecordsThatDoNotFit) {
  const auto malformed = BatchError::malformed_record;
  EXPECT_EQ(failure_of_records({}), malformed);                                // no record at all
  EXPECT_EQ(failure_of_records({12, 0, 0, 0, 1, 1, 0}, 2), malformed);         // one is missing
  EXPECT_EQ(failure_of_records({12, 0, 0, 0, 1, 1, 0, 0}), malformed);         // a byte is left
  EXPECT_EQ(failure_of_records({14, 0, 0, 0, 1, 1, 0}), malformed);            // length too great
  EXPECT_EQ(failure_of_records({10, 0, 0, 0, 1, 1, 0}), malformed);            // length too small
  EXPECT_EQ(failure_of_records({14, 0, 0, 0, 1, 1, 0, 9}), malformed);         // behind the headers
  EXPECT_EQ(failure_of_records({11, 0, 0, 0, 1, 1, 0}), malformed);            // length negative
  EXPECT_EQ(failure_of_records({12, 0, 0, 0, 3, 1, 0}), malformed);            // key length -2
  EXPECT_EQ(failure_of_records({12, 0, 0, 0, 40, 1, 0}), malformed);           // key too long
  EXPECT_EQ(failure_of_records({12, 0, 0, 0, 1, 1, 1}), malformed);            // -1 headers
  EXPECT_EQ(failure_of_records({12, 0, 0, 0, 1, 1, 2}), malformed);            // header is missing
  EXPECT_EQ(failure_of_records({16, 0, 0, 0, 1, 1, 2, 1, 1}), malformed);      // header key null
  EXPECT_EQ(failure_of_records({18, 0, 0, 0, 1, 1, 2, 2, 97, 3}), malformed);  // header value -2
}

TEST(RecordReader, RefusesAHostileHeaderCountAtOnce) {
  // 2^30 headers in a record of ten bytes.
  EXPECT_EQ(failure_of_records({20, 0, 0, 0, 1, 1, 128, 128, 128, 128, 8}),
            BatchError::malformed_record);
}

TEST(RecordReader, RefusesOffsetsThatDoNotRiseInsideTheRange) {
  const auto refused = BatchError::bad_offset_delta;
  EXPECT_EQ(failure_of_records({12, 0, 0, 1, 1, 1, 0}), refused);  // -1
  EXPECT_EQ(failure_of_records({12, 0, 0, 2, 1, 1, 0}), refused);  // 1, where 0 is the last
  EXPECT_EQ(failure_of_records({12, 0, 0, 2, 1, 1, 0, 12, 0, 0, 2, 1, 1, 0}, 2), refused);
  EXPECT_EQ(failure_of_records({12, 0, 0, 0, 1, 1, 0, 12, 0, 0, 2, 1, 1, 0}, 2), std::nullopt);
}

TEST(RecordReader, TakesABatchThatCompactionEmptied) {
  for (Codec codec : {Codec::none, Codec::zstd}) {
    BatchBuilder builder({.codec = codec, .last_offset_delta_min = 9});
    auto bytes = test::finished(std::move(builder));
    EXPECT_EQ(failure(bytes), std::nullopt);
    EXPECT_EQ(BatchView::front_of(bytes)->last_offset(), Offset(9));
  }
}

TEST(RecordReader, BoundsWhatIsDecompressed) {
  for (Codec codec : {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
    auto bytes = test::large(codec);
    auto reader = RecordReader::open(*BatchView::front_of(bytes));
    std::size_t exact = reader->records_bytes();
    EXPECT_EQ(failure(bytes, exact), std::nullopt);
    EXPECT_EQ(failure(bytes, exact - 1), BatchError::records_too_large) << to_string(codec);
  }
}

TEST(RecordReader, NamesWhatItCannotDecompress) {
  for (std::uint16_t codec : {1, 2, 3, 4})
    EXPECT_EQ(failure(test::raw_batch({.records = bytes_of({9, 9, 9}), .attributes = codec})),
              BatchError::undecodable);
  EXPECT_EQ(failure(test::raw_batch({.attributes = 5})), BatchError::unknown_codec);
  EXPECT_EQ(failure(test::raw_batch({.count = -1})), BatchError::bad_count);
}

TEST(RecordReader, AbsurdTimestampsWrapAround) {
  auto bytes = test::simple();
  store_be<std::int64_t>(bytes, at::base_timestamp, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(failure(bytes), std::nullopt);
}

TEST(RecordReader, EveryTruncationOfTheRecordsIsRefused) {
  const auto whole = test::mixed(Codec::none);
  auto records = BatchView::front_of(whole)->records();
  for (std::size_t size = 0; size < records.size(); ++size)
    EXPECT_EQ(failure(test::raw_batch({.records = test::copy(records.first(size)), .count = 20})),
              BatchError::malformed_record);
}

TEST(RecordReader, DamageBehindAGoodChecksumNeverCrashes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (Codec codec : {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
    const auto original = test::mixed(codec);
    int refused = 0;
    for (int round = 0; round < 400; ++round) {
      auto bytes = original;
      for (int i = 0; i < 3; ++i) {
        std::size_t place = at::attributes + random() % (bytes.size() - at::attributes);
        bytes[place] = static_cast<std::byte>(random());
      }
      test::fix_checksum(bytes);
      if (failure(bytes, 1 << 20)) ++refused;
    }
    EXPECT_GT(refused, 0);
  }
}

}  // namespace
}  // namespace weir::record
