#include "state/spans.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "state/limits.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::id_of;

/// A flush as a broker makes it: sorted by topic and partition, batches of some KiB.
std::vector<NewSpan> flush_of(std::size_t count, bool runs, std::mt19937_64& random) {
  std::vector<NewSpan> spans(count);
  for (std::size_t i = 0; i < count; ++i) {
    NewSpan& span = spans[i];
    span.at = {id_of<TopicId>(i / 60), PartitionIndex(static_cast<std::int32_t>(i % 60 * 3))};
    span.bytes = static_cast<std::uint32_t>(200 + random() % 60'000);
    span.records = static_cast<std::int32_t>(1 + random() % 2'000);
    span.batches = static_cast<std::int32_t>(
        1 + random() % static_cast<std::uint64_t>(std::min(span.records, 40)));
    span.max_timestamp_ms = 1'700'000'000'000 + static_cast<std::int64_t>(random() % 500);
    if (runs) {
      span.run = ProducerRun{ProducerId(static_cast<std::int64_t>(random() % 1'000'000)),
                             ProducerEpoch(static_cast<std::int16_t>(random() % 20)),
                             static_cast<std::int32_t>(random() % 2'000'000'000)};
    }
  }
  return spans;
}

TEST(Spans, of_a_large_flush_take_twelve_bytes_each) {
  std::mt19937_64 random(1);
  std::vector<NewSpan> spans = flush_of(3'000, false, random);
  EXPECT_LE(encode_spans(spans).size(), spans.size() * 12);
}

TEST(Spans, with_producer_runs_take_twenty_four_bytes_each) {
  std::mt19937_64 random(2);
  std::vector<NewSpan> spans = flush_of(3'000, true, random);
  EXPECT_LE(encode_spans(spans).size(), spans.size() * 24);
}

TEST(Spans, are_read_as_they_were_written) {
  std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<NewSpan> spans = flush_of(random() % 50, false, random);
    for (NewSpan& span : spans) {
      if (random() % 2 == 0) span.at.topic = id_of<TopicId>(random() % 3);
      if (random() % 3 == 0)
        span.run = testing::run_of(static_cast<std::int64_t>(random() >> 1), 3, 9);
      if (random() % 5 == 0) span.max_timestamp_ms = static_cast<std::int64_t>(random());
    }
    std::vector<NewSpan> read;
    ASSERT_TRUE(decode_spans(encode_spans(spans).view(), read));
    EXPECT_EQ(read, spans);
  }
}

TEST(Spans, extreme_values_survive) {
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  std::vector<NewSpan> spans(2);
  spans[0] = {{id_of<TopicId>(1), PartitionIndex(kMax)},
              static_cast<std::uint32_t>(kMax),
              kMax,
              kMax,
              std::numeric_limits<std::int64_t>::min(),
              testing::run_of(std::numeric_limits<std::int64_t>::max(), 32767, kMax)};
  spans[1] = {{id_of<TopicId>(1), PartitionIndex(0)},
              1,
              1,
              1,
              std::numeric_limits<std::int64_t>::max(),
              testing::run_of(0, 0, 0)};
  std::vector<NewSpan> read;
  ASSERT_TRUE(decode_spans(encode_spans(spans).view(), read));
  EXPECT_EQ(read, spans);
}

TEST(Spans, what_is_cut_off_or_goes_on_is_refused) {
  std::mt19937_64 random(3);
  SharedBytes good = encode_spans(flush_of(20, true, random));
  std::vector<NewSpan> read;
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(decode_spans(good.view().first(size), read)) << size;
  std::vector<std::byte> longer(good.view().begin(), good.view().end());
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_spans(longer, read));
}

TEST(Spans, a_count_beyond_the_input_takes_no_memory) {
  std::vector<std::byte> bomb = {std::byte{0xff}, std::byte{0xff}, std::byte{0x03}};
  std::vector<NewSpan> read;
  EXPECT_FALSE(decode_spans(bomb, read));
  EXPECT_LE(read.capacity(), 100u);
}

TEST(Spans, damaged_columns_give_valid_spans_or_none) {
  std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  SharedBytes good = encode_spans(flush_of(20, true, random));
  for (int round = 0; round < 5'000; ++round) {
    SharedBytes bad = SharedBytes::copy_of(good.view());
    bad.mutable_view()[random() % bad.size()] = static_cast<std::byte>(random());
    std::vector<NewSpan> read;
    if (!decode_spans(bad.view(), read)) continue;
    for (const NewSpan& span : read) {
      EXPECT_GT(span.bytes, 0u);
      EXPECT_GT(span.batches, 0);
      EXPECT_LE(span.batches, span.records);
      EXPECT_GE(span.at.partition.value, 0);
    }
  }
}

}  // namespace
}  // namespace weir::state
