// Topics whose regions are stored compressed: what is read is what was produced, by every reader.
#include <gtest/gtest.h>

#include "codec/crc32c.h"
#include "engine/audit/object_check.h"
#include "engine/region_transform.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;
using testing::quick_options;
using testing::values_of;

class CompressionTest : public testing::ClusterFixture {
 protected:
  EngineNode& start_writer() {
    Options options = quick_options("a");
    options.inline_bytes = 0;
    options.maintenance.merge_spans_min = 2;
    options.maintenance.merge_after = 1s;
    options.maintenance.merge_interval = 2s;
    options.maintenance.horizon_interval = 1s;
    options.maintenance.deletion_delay = 1s;
    options.maintenance.deletion_interval = 1s;
    return start("a", options);
  }
  TopicId create(EngineNode& engine) {
    auto made = get(
        node("a"),
        engine->create_topics({{"t", 2, 1, {{"weir.storage.compression", "zstd"}}}}, soon("a")));
    EXPECT_TRUE(made.front().ok());
    return made.front().id;
  }
  std::string value(int i) { return std::to_string(i) + std::string(3'000, 'v'); }
  /// The one segment that is there, or the last by name.
  std::string segment() { return get(node("a"), store_.list("data/", ""))->objects.back().name; }
  SegmentView view_of(const std::string& name) {
    return decode_segment(get(node("a"), store_.get(name))->view()).value();
  }
};

TEST_F(CompressionTest, a_region_is_stored_compressed_and_read_as_produced) {
  EngineNode& a = start_writer();
  PartitionRef at{create(a), PartitionIndex(0)};
  ASSERT_TRUE(produce("a", a, batch_of(at, {value(1), value(2)})).ok());
  SegmentView view = view_of(segment());
  ASSERT_EQ(view.regions.size(), 1u);
  EXPECT_EQ(view.regions[0].transform, RegionTransform::zstd);
  EXPECT_LT(view.regions[0].stored_bytes, view.regions[0].raw_bytes / 2);
  EXPECT_EQ(a.metrics().counter("weir_flush_bytes_total", "").value(), view.regions[0].raw_bytes);
  EngineNode& b = start("b");  // Its cache is empty.
  std::vector<std::int64_t> offsets;
  EXPECT_EQ(values_of(fetch("b", b, at, Offset(0)).records, &offsets),
            (std::vector<std::string>{value(1), value(2)}));
  EXPECT_EQ(offsets, (std::vector<std::int64_t>{0, 1}));
}

TEST_F(CompressionTest, topics_without_the_setting_and_compressed_batches_stay_as_they_are) {
  EngineNode& a = start_writer();
  PartitionRef at{create_topic("a", a, "plain"), PartitionIndex(0)};
  ASSERT_TRUE(produce("a", a, batch_of(at, {value(1)})).ok());
  EXPECT_EQ(view_of(segment()).regions[0].transform, RegionTransform::none);
}

TEST_F(CompressionTest, merges_keep_the_compression_and_the_records) {
  EngineNode& a = start_writer();
  TopicId topic = create(a);
  std::vector<std::string> written;
  for (int i = 0; i < 12; ++i) {
    written.push_back(value(i));
    ASSERT_TRUE(produce("a", a, batch_of({topic, PartitionIndex(0)}, {value(i)})).ok());
    ASSERT_TRUE(produce("a", a, batch_of({topic, PartitionIndex(1)}, {value(i)})).ok());
  }
  world_.run_for(30s);
  std::size_t merged = 0;
  for (const auto& object : get(node("a"), store_.list("data/", ""))->objects)
    for (const SegmentRegion& region : view_of(object.name).regions)
      if (region.final_region) {
        ++merged;
        EXPECT_EQ(region.transform, RegionTransform::zstd);
      }
  EXPECT_GE(merged, 2u);
  EngineNode& b = start("b");
  for (int p = 0; p < 2; ++p)
    EXPECT_EQ(values_of(fetch("b", b, {topic, PartitionIndex(p)}, Offset(0)).records), written);
}

TEST_F(CompressionTest, a_damaged_region_is_corrupt_and_named_and_the_audit_finds_it) {
  EngineNode& a = start_writer();
  TopicId topic = create(a);
  PartitionRef at{topic, PartitionIndex(0)};
  ASSERT_TRUE(produce("a", a, batch_of(at, {value(1)})).ok());
  std::string name = segment();
  SegmentRegion region = view_of(name).regions[0];
  SharedBytes bytes = SharedBytes::copy_of(get(node("a"), store_.get(name))->view());
  bytes.mutable_view()[region.first_byte + region.stored_bytes / 2] ^= std::byte{1};
  ASSERT_TRUE(get(node("a"), store_.put(name, bytes)).has_value());
  EngineNode& b = start("b");
  FetchedPartition got = fetch("b", b, at, Offset(0));
  ASSERT_TRUE(got.failure.has_value());
  EXPECT_EQ(got.failure->code, ErrorCode::corrupt) << got.failure->message;
  audit::Findings findings;
  audit::CheckCounts counts;
  audit::check_segment(name, bytes.view(), {a->follower().state(), nullptr}, findings, counts);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, audit::FindingKind::damaged_region);
}

TEST_F(CompressionTest, the_audit_reads_through_the_compression) {
  EngineNode& a = start_writer();
  PartitionRef at{create(a), PartitionIndex(0)};
  ASSERT_TRUE(produce("a", a, batch_of(at, {value(1)})).ok());
  std::string name = segment();
  SharedBytes good = *get(node("a"), store_.get(name));
  audit::Findings findings;
  audit::CheckCounts counts;
  audit::check_segment(name, good.view(), {a->follower().state(), nullptr}, findings, counts);
  EXPECT_TRUE(findings.empty());
  // A frame that is whole, with other records than the footer says, is noticed behind it.
  SegmentView view = decode_segment(good.view()).value();
  SegmentRegion region = view.regions[0];
  SharedBytes other = *compress_region(
      BytesChain(SharedBytes::copy_of(batch_of(at, {value(2), value(3), value(4)}).batch.view())));
  region.stored_bytes = static_cast<std::uint32_t>(other.size());
  region.crc32c = codec::crc32c(other.view());
  SharedBytes forged = encode_segment(view.header, {region}, BytesChain(other)).flatten();
  audit::check_segment(name, forged.view(), {a->follower().state(), nullptr}, findings, counts);
  EXPECT_FALSE(findings.empty());
}

}  // namespace
}  // namespace weir::engine
