// Segments that are damaged or are not the ones that the log means, as a broker that has not seen
// them before reads them.
#include "engine/segment_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/limits.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;
using testing::quick_options;
using testing::values_of;

class SegmentReaderTest : public testing::ClusterFixture {
 protected:
  static constexpr int kPartitions = 5;

  /// One segment for each call, with a batch of `bytes` in each partition.
  void write(EngineNode& a, TopicId topic, std::size_t bytes, char fill) {
    std::vector<ProduceItem> items;
    for (int p = 0; p < kPartitions; ++p)
      items.push_back(batch_of({topic, PartitionIndex(p)}, {std::string(bytes, fill)}));
    for (const ProduceOutcome& o : get(node("a"), a->produce(std::move(items), soon("a"))))
      ASSERT_TRUE(o.ok());
  }
  EngineNode& start_writer() {
    Options options = quick_options("a");
    options.inline_bytes = 0;
    options.segment_bytes = 64u << 20;
    return start("a", options);
  }
  std::vector<std::string> segments() {
    std::vector<std::string> names;
    for (const auto& object : get(node("a"), store_.list("data/", ""))->objects)
      names.push_back(object.name);
    return names;
  }
  std::string content(const std::string& name) {
    return std::string(as_text(get(node("a"), store_.get(name))->view()));
  }
  void replace(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(
        get(node("a"), store_.put(name, BytesChain(SharedBytes::copy_of(as_bytes(bytes))))));
  }
  /// "ok", "corrupt", …: what a broker that starts now says of each partition.
  std::vector<std::string> read_all(TopicId topic, std::size_t bytes) {
    std::string host = "reader " + std::to_string(++readers_);
    EngineNode& b = start(host);
    std::vector<std::string> answers;
    for (int p = 0; p < kPartitions; ++p) {
      FetchedPartition got = fetch(host, b, {topic, PartitionIndex(p)}, Offset(0), 64u << 20);
      if (got.failure)
        answers.emplace_back(to_string(got.failure->code));
      else
        answers.emplace_back(values_of(got.records).at(0).size() == bytes ? "ok" : "other bytes");
    }
    requests_ = b.metrics().counter("weir_reader_loads_total", "").value();
    node(host).kill();
    return answers;
  }

  const std::vector<std::string> all_ok_ = std::vector<std::string>(kPartitions, "ok");
  const std::vector<std::string> all_corrupt_ = std::vector<std::string>(kPartitions, "corrupt");
  int readers_ = 0;
  std::uint64_t requests_ = 0;
};

TEST_F(SegmentReaderTest, damage_of_header_footer_or_trailer_is_noticed) {
  EngineNode& a = start_writer();
  TopicId topic = create_topic("a", a, "t", kPartitions);
  write(a, topic, 600, 'x');
  std::string name = segments().at(0);
  std::string good = content(name);
  EXPECT_EQ(read_all(topic, 600), all_ok_);
  for (std::size_t at :
       {std::size_t{0}, std::size_t{33}, good.size() - 40, good.size() - 20, good.size() - 1}) {
    SCOPED_TRACE(at);
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    replace(name, bad);
    EXPECT_EQ(read_all(topic, 600), all_corrupt_);
  }
  replace(name, good.substr(0, good.size() - 1));
  EXPECT_EQ(read_all(topic, 600), all_corrupt_);
}

TEST_F(SegmentReaderTest, damage_of_a_region_concerns_its_partition_alone) {
  EngineNode& a = start_writer();
  TopicId topic = create_topic("a", a, "t", kPartitions);
  write(a, topic, 600, 'x');
  std::string bad = content(segments().at(0));
  // The base offset of the first batch: no checksum but the footer's covers it.
  bad[kSegmentHeaderBytes] = static_cast<char>(bad[kSegmentHeaderBytes] ^ 1);
  replace(segments().at(0), bad);
  std::vector<std::string> answers = read_all(topic, 600);
  EXPECT_EQ(std::ranges::count(answers, "corrupt"), 1);
  EXPECT_EQ(std::ranges::count(answers, "ok"), kPartitions - 1);
}

TEST_F(SegmentReaderTest, another_segment_of_the_same_layout_is_not_served) {
  EngineNode& a = start_writer();
  TopicId first = create_topic("a", a, "one", kPartitions);
  TopicId second = create_topic("a", a, "two", kPartitions);
  write(a, first, 600, 'x');
  std::string name = segments().at(0);
  write(a, second, 600, 'y');
  std::vector<std::string> names = segments();
  ASSERT_EQ(names.size(), 2u);
  std::string other = names[0] == name ? names[1] : names[0];
  std::string x = content(name), y = content(other);
  ASSERT_EQ(x.size(), y.size());
  replace(name, y);
  replace(other, x);
  EXPECT_EQ(read_all(first, 600), all_corrupt_);
  EXPECT_EQ(read_all(second, 600), all_corrupt_);
  // The right regions below the header of another broker.
  replace(other, y.substr(0, kSegmentHeaderBytes) + x.substr(kSegmentHeaderBytes));
  replace(name, x);
  EXPECT_EQ(read_all(first, 600), all_ok_);
  SegmentView view = decode_segment(as_bytes(x)).value();
  view.header.writer = Incarnation{};
  BytesChain data(SharedBytes::copy_of(as_bytes(x).subspan(
      kSegmentHeaderBytes,
      view.regions.back().first_byte + view.regions.back().stored_bytes - kSegmentHeaderBytes)));
  replace(name,
          std::string(as_text(encode_segment(view.header, view.regions, data).flatten().view())));
  ASSERT_EQ(content(name).size(), x.size());
  EXPECT_EQ(read_all(first, 600), all_corrupt_);
}

TEST_F(SegmentReaderTest, a_small_segment_costs_one_request_a_region_and_a_large_one_two_more) {
  EngineNode& a = start_writer();
  TopicId small = create_topic("a", a, "small", kPartitions);
  write(a, small, 600, 'x');
  EXPECT_EQ(read_all(small, 600), all_ok_);
  EXPECT_EQ(requests_, std::uint64_t{kPartitions});
  TopicId large = create_topic("a", a, "large", kPartitions);
  write(a, large, 900'000, 'x');
  EXPECT_EQ(read_all(large, 900'000), all_ok_);
  EXPECT_GE(requests_, std::uint64_t{kPartitions} + 1);
  EXPECT_LE(requests_, std::uint64_t{kPartitions} + 2);
}

TEST_F(SegmentReaderTest, a_footer_longer_than_the_first_read_is_read_whole) {
  EngineNode& a = start_writer();
  int partitions = 4'000;
  TopicId topic = create_topic("a", a, "t", partitions);
  std::vector<ProduceItem> items;
  for (int p = 0; p < partitions; ++p)
    items.push_back(batch_of({topic, PartitionIndex(p)}, {std::string(600, 'x')}));
  for (const ProduceOutcome& o : get(node("a"), a->produce(std::move(items), soon("a"))))
    ASSERT_TRUE(o.ok());
  ASSERT_EQ(segments().size(), 1u);
  std::string bytes = content(segments().at(0));
  ASSERT_GT(segment_footer_bytes(as_bytes(bytes).last(kSegmentTrailerBytes), bytes.size()).value(),
            kSegmentTailBytes);
  EngineNode& b = start("b");
  for (int p : {0, 1, 2'000, 3'999}) {
    FetchedPartition got = fetch("b", b, {topic, PartitionIndex(p)}, Offset(0));
    ASSERT_TRUE(got.ok()) << got.failure->message;
    EXPECT_EQ(values_of(got.records).size(), 1u);
  }
}

TEST(SegmentFooters, the_least_recently_used_segments_leave_and_one_always_stays) {
  SegmentFooters footers(10);
  state::ObjectRef a, b, c;
  a.counter = 1;
  b.counter = 2;
  c.counter = 3;
  footers.insert(a, std::vector<KnownRegion>(4));
  footers.insert(b, std::vector<KnownRegion>(4));
  EXPECT_NE(footers.find(a), nullptr);
  footers.insert(c, std::vector<KnownRegion>(4));
  EXPECT_EQ(footers.find(b), nullptr);
  EXPECT_NE(footers.find(a), nullptr);
  EXPECT_EQ(footers.regions(), 8u);
  footers.insert(b, std::vector<KnownRegion>(100));
  EXPECT_EQ(footers.regions(), 100u);
  EXPECT_NE(footers.find(b), nullptr);
}

}  // namespace
}  // namespace weir::engine
