// What merges cost where topics of different rates share the segments of flushes.
#include <gtest/gtest.h>

#include <map>

#include "engine/segment.h"
#include "engine/testing/cluster_fixture.h"
#include "objstore/decorator_impl.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;

/// Counts the reads of each segment that a flush wrote.
class FlushReads final : public objstore::Decorator<FlushReads> {
 public:
  explicit FlushReads(objstore::ObjectStore& inner) : Decorator(inner) {}
  template <class T>
  rt::Task<Result<T>> around(objstore::Request request) {
    if (objstore::is_write(request.verb)) {
      auto segment = decode_segment(request.body.flatten().view());
      if (segment && !segment->regions.front().final_region) reads[request.name] = 0;
    } else if (auto found = reads.find(request.name); found != reads.end()) {
      ++found->second;
    }
    co_return co_await objstore::send<T>(inner(), std::move(request));
  }
  std::map<std::string, int> reads;
};

constexpr std::size_t kFast = 4;
constexpr std::size_t kSlow = 40;
constexpr std::size_t kRounds = 200;

/// Fast topics have a record in each flush, slow ones in each fortieth.
std::vector<ProduceItem> flush_of(const std::vector<CreateTopicOutcome>& topics,
                                  std::size_t round) {
  std::vector<ProduceItem> items;
  for (std::size_t i = 0; i < kFast; ++i)
    items.push_back(batch_of({topics[i].id, PartitionIndex(0)}, {"fast"}));
  items.push_back(batch_of({topics[kFast + round % kSlow].id, PartitionIndex(0)}, {"slow"}));
  return items;
}

class MergeRequests : public testing::ClusterFixture {};

TEST_F(MergeRequests, a_segment_of_a_flush_is_read_once_whoever_shares_it) {
  FlushReads counted(store_);
  Options options = testing::quick_options("a");
  options.inline_bytes = 0;
  options.maintenance.clock_interval = 500ms;
  options.maintenance.merge_interval = 500ms;
  options.maintenance.merge_after = 1s;
  rt::sim::SimNode& n = world_.start_node({.host = "a"});
  constexpr std::size_t kNoCache = 1;
  EngineNode& engine =
      n.make<EngineNode>(n, testing::SharedStores{counted, log_}, options, kNoCache);
  ASSERT_TRUE(get(n, engine->start(n.loop().now() + 10s)).has_value());
  std::vector<NewTopic> wanted;
  for (std::size_t i = 0; i < kFast + kSlow; ++i)
    wanted.push_back({"t" + std::to_string(i), 1, 1, {{"retention.ms", "-1"}}});
  auto topics = get(n, engine->create_topics(std::move(wanted), soon("a")));
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (const auto& outcome : get(n, engine->produce(flush_of(topics, round), soon("a"))))
      ASSERT_TRUE(outcome.ok());
    world_.run_for(100ms);
  }
  world_.run_for(10s);
  ASSERT_GE(counted.reads.size(), kRounds);
  std::size_t read = 0;
  for (const auto& [name, times] : counted.reads) {
    EXPECT_LE(times, 1) << name;
    read += times > 0 ? 1 : 0;
  }
  EXPECT_GE(read, kRounds * 9 / 10) << "they are merged while records arrive";
}

TEST_F(MergeRequests, compacted_topics_lie_side_by_side_in_what_a_merge_writes) {
  Options options = testing::quick_options("a");
  options.inline_bytes = 0;
  options.maintenance.clock_interval = 500ms;
  options.maintenance.merge_interval = 500ms;
  options.maintenance.merge_after = 1s;
  options.maintenance.merge_spans_min = 4;
  options.maintenance.compaction_interval = 1h;
  EngineNode& engine = start("a", options);
  std::vector<NewTopic> wanted;
  for (int i = 0; i < 10; ++i)
    wanted.push_back({"t" + std::to_string(i),
                      1,
                      1,
                      {{"retention.ms", "-1"}, {"cleanup.policy", i % 2 ? "compact" : "delete"}}});
  auto topics = get(node("a"), engine->create_topics(std::move(wanted), soon("a")));
  for (int round = 0; round < 4; ++round) {
    std::vector<ProduceItem> items;
    for (const auto& topic : topics)
      items.push_back(batch_of({topic.id, PartitionIndex(0)}, {"value"}));
    for (const auto& outcome : get(node("a"), engine->produce(std::move(items), soon("a"))))
      ASSERT_TRUE(outcome.ok());
  }
  world_.run_for(5s);
  std::size_t merged = 0;
  for (const auto& object : get(node("a"), store_.list("data/", ""))->objects) {
    auto segment = decode_segment(get(node("a"), store_.get(object.name))->view());
    ASSERT_TRUE(segment.has_value());
    if (!segment->regions.front().final_region) continue;
    ++merged;
    std::string kinds;
    for (const SegmentRegion& region : segment->regions)
      kinds += (region.topic_name.back() - '0') % 2 ? 'c' : 'd';
    EXPECT_EQ(kinds, "cccccddddd");
  }
  EXPECT_EQ(merged, 1u);
}

}  // namespace
}  // namespace weir::engine
