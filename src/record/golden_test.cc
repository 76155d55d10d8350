// Batches that Apache Kafka's client wrote, against ours of the same records.
#include <gtest/gtest.h>

#include <array>

#include "record/marker.h"
#include "record/reader.h"
#include "record/test_batches.h"
#include "record/validate.h"

namespace weir::record {
namespace {

using codec::Codec;
using test::golden;

constexpr std::array kCodecs = {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd};

std::string text_of(const std::optional<Bytes>& bytes) {
  return bytes ? "'" + std::string(as_text(*bytes)) + "'" : "null";
}

// All records as text, or the error.
std::vector<std::string> records_of(Bytes bytes) {
  auto batch = BatchView::front_of(bytes);
  if (!batch) return {std::string(describe(batch.error()))};
  auto reader = RecordReader::open(*batch);
  if (!reader) return {std::string(describe(reader.error()))};
  std::vector<std::string> lines;
  while (true) {
    auto record = reader->next();
    if (!record) return {std::string(describe(record.error()))};
    if (!*record) return lines;
    RecordView& view = **record;
    std::string line = std::to_string(view.offset.value) + " @" +
                       std::to_string(view.timestamp.value) + " " + text_of(view.key) + " " +
                       text_of(view.value);
    while (auto header = view.headers.next())
      line += " " + std::string(header->key) + "=" + text_of(header->value);
    lines.push_back(line);
  }
}

// Header bytes that do not depend on how the compression library chose to pack the records.
std::string header_without_size_and_crc(Bytes batch) {
  return to_hex(batch.first(at::batch_length)) +
         to_hex(batch.subspan(at::leader_epoch, at::crc - at::leader_epoch)) +
         to_hex(batch.subspan(at::attributes, at::records - at::attributes));
}

TEST(Golden, UncompressedBatchesAreEqualByteForByte) {
  EXPECT_EQ(to_hex(test::mixed(Codec::none)), to_hex(golden("mixed_none")));
  EXPECT_EQ(to_hex(test::simple({.leader_epoch = LeaderEpoch(7),
                                 .timestamp_type = TimestampType::log_append_time,
                                 .log_append_time = WallMillis(test::kT0 + 99)})),
            to_hex(golden("log_append_time")));
  EXPECT_EQ(to_hex(test::simple({.leader_epoch = LeaderEpoch(7),
                                 .producer_id = ProducerId(9),
                                 .producer_epoch = ProducerEpoch(1),
                                 .base_sequence = 0,
                                 .transactional = true})),
            to_hex(golden("transactional")));
  EXPECT_EQ(to_hex(test::simple({.leader_epoch = LeaderEpoch(7),
                                 .delete_horizon = WallMillis(test::kT0 + 86'400'000)})),
            to_hex(golden("delete_horizon")));
}

TEST(Golden, CompressedBatchesHoldTheSameRecordsAndHeaders) {
  for (Codec codec : kCodecs) {
    SCOPED_TRACE(to_string(codec));
    auto theirs = golden("mixed_" + std::string(to_string(codec)));
    auto ours = test::mixed(codec);
    ASSERT_FALSE(theirs.empty());
    EXPECT_TRUE(BatchView::front_of(theirs)->checksum_ok());
    EXPECT_EQ(records_of(theirs).size(), 20u);
    EXPECT_EQ(records_of(theirs), records_of(ours));
    EXPECT_EQ(header_without_size_and_crc(theirs), header_without_size_and_crc(ours));
  }
}

TEST(Golden, BatchesOfManyBlocksAreRead) {
  for (Codec codec : kCodecs) {
    if (codec == Codec::none) continue;
    auto theirs = golden("large_" + std::string(to_string(codec)));
    EXPECT_EQ(records_of(theirs).size(), 100u) << to_string(codec);
    EXPECT_TRUE(records_of(theirs) == records_of(test::large(codec))) << to_string(codec);
  }
}

TEST(Golden, ProducedBatchesPassValidation) {
  BatchRules rules{.timestamps = {.now = WallMillis(test::kT0)}};
  for (Codec codec : kCodecs) {
    auto info = validate_batch(golden("mixed_" + std::string(to_string(codec))), rules);
    ASSERT_TRUE(info.has_value()) << describe(info.error());
    EXPECT_EQ(info->records, 20);
    EXPECT_EQ(info->producer.value, 4711);
    EXPECT_EQ(info->epoch.value, 3);
    EXPECT_EQ(info->base_sequence, 17);
    EXPECT_EQ(info->codec, codec);
    EXPECT_EQ(info->base_timestamp_ms, test::kT0);
    EXPECT_EQ(info->max_timestamp_ms, test::kT0 + 6000);
  }
}

TEST(Golden, LogAppendTimeIsTheTimeOfEveryRecord) {
  EXPECT_EQ(records_of(golden("log_append_time")),
            (std::vector<std::string>{"0 @1700000000099 'k' 'v'", "1 @1700000000099 'k' null"}));
}

TEST(Golden, ADeleteHorizonDoesNotMoveTimestamps) {
  EXPECT_EQ(records_of(golden("delete_horizon")),
            (std::vector<std::string>{"0 @1700000000000 'k' 'v'", "1 @1700000000005 'k' null"}));
}

TEST(Golden, MarkersAreEqualByteForByteAndRead) {
  for (MarkerType type : {MarkerType::commit, MarkerType::abort}) {
    Marker marker{.type = type,
                  .offset = Offset(1234),
                  .leader_epoch = LeaderEpoch(7),
                  .timestamp = WallMillis(test::kT0),
                  .producer_id = ProducerId(4711),
                  .producer_epoch = ProducerEpoch(3),
                  .coordinator_epoch = 42};
    auto theirs = golden(type == MarkerType::commit ? "marker_commit" : "marker_abort");
    EXPECT_EQ(to_hex(build_marker(marker).data()), to_hex(theirs));
    auto read = read_marker(*BatchView::front_of(theirs));
    ASSERT_TRUE(read.has_value() && read->has_value());
    EXPECT_EQ(**read, marker);
  }
}

TEST(Golden, OrdinaryBatchesAreNoMarkers) {
  auto read = read_marker(*BatchView::front_of(golden("transactional")));
  ASSERT_TRUE(read.has_value());
  EXPECT_FALSE(read->has_value());
}

}  // namespace
}  // namespace weir::record
