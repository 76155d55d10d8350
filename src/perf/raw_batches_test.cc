#include "perf/raw_batches.h"

#include <gtest/gtest.h>

#include "record/reader.h"
#include "record/validate.h"

namespace weir::perf {
namespace {

constexpr WallMillis kNow{1'700'000'000'000};

RawBatches made(RawBatchOptions options) {
  options.timestamp = kNow;
  Result<RawBatches> batches = RawBatches::make(options);
  EXPECT_TRUE(batches);
  return std::move(*batches);
}

record::BatchInfo validated(const BytesChain& batch) {
  SharedBytes bytes = batch.flatten();
  auto info = record::validate_batch(bytes.view(), {.timestamps = {.now = kNow}});
  EXPECT_TRUE(info) << "a broker would refuse it";
  return info ? *info : record::BatchInfo();
}

TEST(RawBatches, HoldAsManyRecordsAsFit) {
  RawBatches batches = made({.payload = {.value_bytes = 100}, .batch_bytes = 4096});
  EXPECT_GT(batches.size(), 1u);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    EXPECT_LE(batches.bytes(i), 4096u);
    EXPECT_GT(batches.bytes(i) + 115, 4096u);
    record::BatchInfo info = validated(batches.plain(i));
    EXPECT_EQ(info.records, batches.records(i));
    EXPECT_FALSE(info.idempotent());
    EXPECT_EQ(batches.payload_bytes(i), static_cast<std::size_t>(info.records) * 100);
  }
  EXPECT_NE(batches.plain(0), batches.plain(1));
}

TEST(RawBatches, ARecordThatIsLargerThanTheBatchGoesAlone) {
  RawBatches batches = made({.payload = {.value_bytes = 1000}, .batch_bytes = 1});
  EXPECT_EQ(batches.records(0), 1);
}

TEST(RawBatches, AStampedBatchHasItsSequenceAndAGoodChecksum) {
  RawBatches batches = made({.batch_bytes = 64 << 10});
  const Sequence sequence{ProducerId(4711), ProducerEpoch(3), 1'000'000};
  for (std::size_t i = 0; i < batches.size(); ++i) {
    BytesChain stamped = batches.stamped(i, sequence);
    record::BatchInfo info = validated(stamped);
    EXPECT_EQ(info.producer, sequence.producer);
    EXPECT_EQ(info.epoch, sequence.epoch);
    EXPECT_EQ(info.base_sequence, sequence.first);
    EXPECT_EQ(info.records, batches.records(i));
    // The encoded batch itself is as it was.
    EXPECT_FALSE(validated(batches.plain(i)).idempotent());
  }
}

TEST(RawBatches, RecordsCanBeReadBack) {
  RawBatches batches =
      made({.payload = {.value_bytes = 50, .keys = KeyKind::uniform, .key_count = 3},
            .batch_bytes = 2048,
            .codec = codec::Codec::zstd});
  SharedBytes bytes = batches.plain(0).flatten();
  auto view = record::BatchView::front_of(bytes.view());
  ASSERT_TRUE(view);
  auto reader = record::RecordReader::open(*view);
  ASSERT_TRUE(reader);
  int records = 0;
  for (auto record = reader->next(); record && *record; record = reader->next()) {
    EXPECT_EQ((*record)->value->size(), 50u);
    EXPECT_TRUE(as_text(*(*record)->key).starts_with("key-"));
    ++records;
  }
  EXPECT_EQ(records, batches.records(0));
}

TEST(RawBatches, SequencesStartAgainAfterTheLast) {
  EXPECT_EQ(advance_sequence(5, 3), 8);
  EXPECT_EQ(advance_sequence(INT32_MAX, 1), 0);
  EXPECT_EQ(advance_sequence(INT32_MAX - 1, 5), 3);
}

}  // namespace
}  // namespace weir::perf
