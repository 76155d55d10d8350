#include "record/builder.h"

#include <gtest/gtest.h>

#include <random>

#include "record/reader.h"
#include "record/test_batches.h"

namespace weir::record {
namespace {

using codec::Codec;

struct Owned {
  std::int64_t offset, timestamp;
  std::optional<std::string> key, value;
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;
  friend bool operator==(const Owned&, const Owned&) = default;
};

std::optional<std::string> owned(const std::optional<Bytes>& bytes) {
  if (!bytes) return std::nullopt;
  return std::string(as_text(*bytes));
}

std::optional<Bytes> borrowed(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return as_bytes(*text);
}

std::optional<std::string> random_text(std::mt19937_64& random) {
  if (random() % 4 == 0) return std::nullopt;
  return std::string(random() % 200, static_cast<char>(random()));
}

std::vector<Owned> random_records(std::mt19937_64& random) {
  std::vector<Owned> records;
  std::int64_t offset = 1000 + static_cast<std::int64_t>(random() % 3);
  for (std::size_t i = 0, n = 1 + random() % 60; i < n; ++i) {
    Owned record{.offset = offset,
                 // Any 64-bit value: deltas wrap around.
                 .timestamp = static_cast<std::int64_t>(random()),
                 .key = random_text(random),
                 .value = random_text(random)};
    for (std::size_t h = random() % 4; h > 0; --h)
      record.headers.emplace_back("h" + std::to_string(h), random_text(random));
    records.push_back(record);
    offset += 1 + static_cast<std::int64_t>(random() % 3);
  }
  return records;
}

std::vector<Owned> read_all(Bytes bytes) {
  std::vector<Owned> records;
  auto reader = RecordReader::open(*BatchView::front_of(bytes));
  EXPECT_TRUE(reader.has_value());
  while (true) {
    auto record = reader->next();
    EXPECT_TRUE(record.has_value());
    if (!record || !*record) return records;
    RecordView& view = **record;
    Owned out{.offset = view.offset.value,
              .timestamp = view.timestamp.value,
              .key = owned(view.key),
              .value = owned(view.value)};
    while (auto header = view.headers.next())
      out.headers.emplace_back(std::string(header->key), owned(header->value));
    records.push_back(out);
  }
}

TEST(BatchBuilder, WhatIsBuiltIsRead) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 100; ++round) {
    auto records = random_records(random);
    BatchOptions options{.base_offset = Offset(1000), .codec = static_cast<Codec>(round % 5)};
    if (round % 3 == 0) options.delete_horizon = WallMillis(static_cast<std::int64_t>(random()));
    BatchBuilder builder(options);
    for (const Owned& record : records) {
      std::vector<NewHeader> headers;
      for (const auto& [key, value] : record.headers) headers.push_back({key, borrowed(value)});
      builder.append_at(Offset(record.offset), {.timestamp = WallMillis(record.timestamp),
                                                .key = borrowed(record.key),
                                                .value = borrowed(record.value),
                                                .headers = headers});
    }
    EXPECT_EQ(builder.records(), static_cast<std::int32_t>(records.size()));
    auto bytes = test::finished(std::move(builder));
    auto batch = BatchView::front_of(bytes);
    ASSERT_TRUE(batch.has_value());
    EXPECT_TRUE(batch->checksum_ok());
    EXPECT_EQ(batch->last_offset().value, records.back().offset);
    EXPECT_EQ(read_all(bytes), records);
  }
}

TEST(BatchBuilder, KnowsItsSizeBeforeCompression) {
  BatchBuilder builder({});
  builder.append({.timestamp = WallMillis(1), .key = as_bytes("key")});
  std::size_t size = builder.bytes_uncompressed();
  EXPECT_EQ(test::finished(std::move(builder)).size(), size);
}

TEST(BatchBuilder, KeepsTheRangeOfACompactedBatch) {
  BatchBuilder builder({.base_offset = Offset(100), .last_offset_delta_min = 9});
  builder.append_at(Offset(103), {.timestamp = WallMillis(1)});
  auto bytes = test::finished(std::move(builder));
  EXPECT_EQ(BatchView::front_of(bytes)->last_offset(), Offset(109));
  EXPECT_EQ(BatchView::front_of(bytes)->record_count(), 1);
}

TEST(BatchBuilder, ReportsABadLevel) {
  BatchBuilder builder({.codec = Codec::gzip, .level = 77});
  builder.append({});
  auto outcome = std::move(builder).finish();
  ASSERT_FALSE(outcome.has_value());
  EXPECT_TRUE(outcome.error().is(ErrorCode::invalid_argument));
}

TEST(BatchBuilder, ReportsABatchBeyondItsLimit) {
  std::string value(100, 'x');
  auto outcome_with = [&](std::size_t limit) {
    BatchBuilder builder({.batch_bytes_max = limit});
    builder.append({.value = as_bytes(value)});
    builder.append({.value = as_bytes(value)});
    return std::move(builder).finish();
  };
  std::size_t exact = outcome_with(1000)->size();
  EXPECT_TRUE(outcome_with(exact).has_value());
  EXPECT_TRUE(outcome_with(exact - 1).error().is(ErrorCode::too_large));
  EXPECT_TRUE(outcome_with(0).error().is(ErrorCode::too_large));
}

}  // namespace
}  // namespace weir::record
