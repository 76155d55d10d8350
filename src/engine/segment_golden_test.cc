// Pins the bytes of docs/formats/segment.md.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codec/crc32c.h"
#include "engine/region_transform.h"
#include "engine/segment.h"

namespace weir::engine {
namespace {

template <class Id>
Id id_of(std::uint8_t first) {
  Id id;
  for (std::size_t i = 0; i < 16; ++i) id.bytes[i] = static_cast<std::uint8_t>(first + i);
  return id;
}

SegmentHeader sample_header() {
  return {{0x0123456789abcdef, 0xfedcba9876543210}, 0, id_of<Incarnation>(0xa0), FeatureLevel(1)};
}

BytesChain sample_data() {
  BytesChain data;
  data.append(SharedBytes::copy_of(as_bytes("batches of orders-0")));
  data.append(SharedBytes::copy_of(as_bytes("and of ")));
  data.append(SharedBytes::copy_of(as_bytes("payments-7")));
  return data;
}

std::vector<SegmentRegion> sample_regions() {
  SegmentRegion orders;
  orders.at = {id_of<TopicId>(0x10), PartitionIndex(0)};
  orders.topic_name = "orders";
  orders.stored_bytes = orders.raw_bytes = 19;
  orders.crc32c = codec::crc32c(as_bytes("batches of orders-0"));
  orders.records = 300;
  orders.batches = 2;
  orders.min_timestamp_ms = 1'700'000'000'000;
  orders.max_timestamp_ms = 1'700'000'000'250;
  SegmentRegion payments = orders;
  payments.at = {id_of<TopicId>(0x20), PartitionIndex(7)};
  payments.topic_name = "payments";
  payments.stored_bytes = payments.raw_bytes = 17;
  payments.crc32c = codec::crc32c(as_bytes("and of payments-7"));
  payments.records = payments.batches = 1;
  payments.max_timestamp_ms = payments.min_timestamp_ms = 1'699'999'999'000;
  payments.run = state::ProducerRun{ProducerId(4'711), ProducerEpoch(3), 2'147'483'647};
  return {orders, payments};
}

std::string path_of(const char* name) { return std::string(WEIR_ENGINE_TESTDATA) + "/" + name; }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SegmentGolden, the_bytes_are_those_of_format_1) {
  SharedBytes made = encode_segment(sample_header(), sample_regions(), sample_data()).flatten();
  std::string path = path_of("segment_v1.bin");
  if (std::getenv("WEIR_WRITE_GOLDENS"))
    std::ofstream(path, std::ios::binary) << as_text(made.view());
  EXPECT_EQ(to_hex(made.view()), to_hex(as_bytes(read_file(path))));
}

TEST(SegmentGolden, reads_back_what_was_written) {
  std::string bytes = read_file(path_of("segment_v1.bin"));
  auto view = decode_segment(as_bytes(bytes));
  ASSERT_TRUE(view.has_value()) << view.error().message;
  EXPECT_EQ(view->header, sample_header());
  ASSERT_EQ(view->regions.size(), 2u);
  std::vector<SegmentRegion> expected = sample_regions();
  for (std::size_t i = 0; i < 2; ++i) {
    expected[i].first_byte = view->regions[i].first_byte;
    EXPECT_EQ(view->regions[i], expected[i]);
    EXPECT_TRUE(check_region(as_bytes(bytes), view->regions[i]).has_value());
  }
  EXPECT_EQ(view->regions[0].first_byte, kSegmentHeaderBytes);
  EXPECT_EQ(view->regions[1].first_byte, kSegmentHeaderBytes + 19);
}

std::vector<SegmentRegion> merged_regions() {
  std::vector<SegmentRegion> regions = sample_regions();
  regions[1].run.reset();
  for (SegmentRegion& region : regions) region.final_region.emplace();
  FinalRegion& orders = *regions[0].final_region;
  orders.base = Offset(5'000'000'000);
  orders.epochs = {{LeaderEpoch(3), orders.base}, {LeaderEpoch(7), Offset(5'000'000'100)}};
  orders.index = {{Offset(5'000'000'090), 7, 1'700'000'000'100},
                  {Offset(5'000'000'200), 12, 1'700'000'000'050}};
  regions[1].final_region->base = Offset(0);
  return regions;
}

TEST(SegmentGolden, of_a_merge_says_its_offsets_and_epochs) {
  SharedBytes made = encode_segment(sample_header(), merged_regions(), sample_data()).flatten();
  std::string path = path_of("segment_merged_v1.bin");
  if (std::getenv("WEIR_WRITE_GOLDENS"))
    std::ofstream(path, std::ios::binary) << as_text(made.view());
  std::string bytes = read_file(path);
  EXPECT_EQ(to_hex(made.view()), to_hex(as_bytes(bytes)));
  auto view = decode_segment(as_bytes(bytes));
  ASSERT_TRUE(view.has_value()) << view.error().message;
  ASSERT_EQ(view->regions.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(view->regions[i].final_region, merged_regions()[i].final_region);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_segment(as_bytes(std::string_view(bytes).substr(0, size))).has_value());
}

/// One frame with a block as it is, and a skippable frame of three zeros (RFC 8878).
TEST(SegmentGolden, of_a_compressed_region_says_both_lengths) {
  std::string raw = "batches of orders-0";
  std::string stored("\x28\xb5\x2f\xfd\x20\x13\x99\x00\x00", 9);
  stored += raw + std::string("\x50\x2a\x4d\x18\x03\x00\x00\x00\x00\x00\x00", 11);
  BytesChain data;
  data.append(SharedBytes::copy_of(as_bytes(stored)));
  data.append(SharedBytes::copy_of(as_bytes("and of payments-7")));
  std::vector<SegmentRegion> regions = sample_regions();
  regions[0].stored_bytes = static_cast<std::uint32_t>(stored.size());
  regions[0].transform = RegionTransform::zstd;
  regions[0].crc32c = codec::crc32c(as_bytes(stored));
  SharedBytes made = encode_segment(sample_header(), regions, data).flatten();
  std::string path = path_of("segment_zstd_v1.bin");
  if (std::getenv("WEIR_WRITE_GOLDENS"))
    std::ofstream(path, std::ios::binary) << as_text(made.view());
  std::string bytes = read_file(path);
  EXPECT_EQ(to_hex(made.view()), to_hex(as_bytes(bytes)));
  auto view = decode_segment(as_bytes(bytes));
  ASSERT_TRUE(view.has_value()) << view.error().message;
  const SegmentRegion& region = view->regions[0];
  EXPECT_EQ(region.raw_bytes, 19u);
  auto restored = restore_region(
      SharedBytes::copy_of(as_bytes(bytes).subspan(region.first_byte, region.stored_bytes)),
      region.transform, region.raw_bytes);
  ASSERT_TRUE(restored.has_value()) << restored.error().message;
  EXPECT_EQ(as_text(restored->view()), raw);
  EXPECT_EQ(view->regions[1].first_byte, kSegmentHeaderBytes + stored.size());
}

TEST(SegmentGolden, every_flipped_bit_is_noticed) {
  const std::string good = read_file(path_of("segment_v1.bin"));
  for (std::size_t i = 0; i < good.size() * 8; ++i) {
    std::string bad = good;
    bad[i / 8] = static_cast<char>(bad[i / 8] ^ (1 << (i % 8)));
    auto view = decode_segment(as_bytes(bad));
    bool noticed = !view;
    if (view)
      for (const SegmentRegion& region : view->regions)
        noticed |= !check_region(as_bytes(bad), region);
    // The reserved words of the trailer mean nothing yet.
    std::size_t from_end = good.size() - i / 8;
    bool reserved = from_end <= 16 && from_end > 8;
    EXPECT_TRUE(noticed || reserved) << "bit " << i;
  }
}

TEST(SegmentGolden, a_segment_cut_at_any_byte_is_damaged) {
  std::string good = read_file(path_of("segment_v1.bin"));
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(decode_segment(as_bytes(std::string_view(good).substr(0, size))).has_value())
        << size;
}

TEST(SegmentGolden, names_sort_by_position_and_spread_by_hash) {
  std::string name = segment_name(Position(42), id_of<Incarnation>(0xa0), 7);
  EXPECT_EQ(name.substr(0, 5), "data/");
  EXPECT_EQ(name.substr(7), "/00000000000000000042-a0a1a2a3a4a5a6a7a8a9aaabacadaeaf-7");
  EXPECT_NE(segment_name(Position(42), id_of<Incarnation>(0xa0), 8).substr(5, 2),
            name.substr(5, 2));
}

}  // namespace
}  // namespace weir::engine
