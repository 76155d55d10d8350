// What the sources of a merge cost in requests, and what is left of them where a segment is cut.
#include "engine/maintenance/span_source.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/testing/cluster_fixture.h"
#include "objstore/decorator_impl.h"
#include "rt/random.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;

/// As many topics as make a footer of several tens of kilobytes, like that of a flush of many.
constexpr int kTopics = 1'000;

class CountedReads final : public objstore::Decorator<CountedReads> {
 public:
  explicit CountedReads(objstore::ObjectStore& inner) : Decorator(inner) {}
  template <class T>
  rt::Task<Result<T>> around(objstore::Request request) {
    if (request.name.starts_with("data/") && !objstore::is_write(request.verb)) ++count;
    co_return co_await objstore::send<T>(inner(), std::move(request));
  }
  int count = 0;
};

class SpanSourceTest : public testing::ClusterFixture {
 protected:
  void SetUp() override {
    Options options = testing::quick_options("a");
    options.inline_bytes = 0;
    options.maintenance.enabled = false;
    options.flush_interval_min = options.flush_interval_max = 100ms;
    rt::sim::SimNode& n = world_.start_node({.host = "a"});
    engine_ = &n.make<EngineNode>(n, testing::SharedStores{counted_, log_}, options);
    ASSERT_TRUE(get(n, (*engine_)->start(n.loop().now() + 10s)).has_value());
    spans_ = write(std::vector<std::string>(kTopics, "x"));
    ASSERT_EQ(spans_.size(), std::size_t{kTopics});
    ASSERT_EQ(segment_name(spans_.front().object), segment_name(spans_.back().object));
  }
  /// A span with such a value in each of as many new topics, by one flush.
  std::vector<state::SpanInfo> write(const std::vector<std::string>& values,
                                     const state::ConfigMap& configs = {}) {
    std::vector<NewTopic> topics;
    for (std::size_t i = 0; i < values.size(); ++i)
      topics.push_back({"topic-" + std::to_string(++topics_), 1, 1, configs});
    auto made = get(node("a"), (*engine_)->create_topics(std::move(topics), soon("a")));
    std::vector<ProduceItem> items;
    for (std::size_t i = 0; i < values.size(); ++i)
      items.push_back(batch_of({made[i].id, PartitionIndex(0)}, {values[i]}));
    for (const auto& outcome : get(node("a"), (*engine_)->produce(std::move(items), soon("a"))))
      EXPECT_TRUE(outcome.ok());
    std::vector<state::SpanInfo> spans;
    for (const auto& topic : made)
      (*engine_)->follower().state().visit_spans({topic.id, PartitionIndex(0)}, Offset(0),
                                                 [&](const state::SpanInfo& span) {
                                                   spans.push_back(span);
                                                   return true;
                                                 });
    return spans;
  }
  /// How many of the spans were had.
  std::size_t load(const std::vector<state::SpanInfo>& spans) {
    JobContext context = (*engine_)->maintenance().context();
    context.cache = nullptr;
    SpanSource source(context);
    counted_.count = 0;
    EXPECT_TRUE(get(node("a"), source.load(spans)).has_value());
    std::size_t found = 0;
    for (const state::SpanInfo& span : spans) found += source.find(span) == nullptr ? 0 : 1;
    return found;
  }

  /// Requests for a small span that a megabyte of noise keeps from its segment's footer.
  int load_far_from_the_footer(const state::ConfigMap& configs) {
    rt::SeededRandom random(1);
    std::string noise(1u << 20, '\0');
    for (char& each : noise) each = static_cast<char>(random.below(256));
    std::vector<std::string> values(8, std::string(3'000, 'x'));
    values.push_back(noise);
    std::vector<state::SpanInfo> spans = write(values, configs);
    auto first = std::ranges::min_element(spans, {}, &state::SpanInfo::first_byte);
    EXPECT_LT(first->bytes, noise.size()) << "the noise comes first: choose other topics";
    EXPECT_EQ(load({*first}), 1u);
    return counted_.count;
  }

  CountedReads counted_{store_};
  int topics_ = 0;
  EngineNode* engine_ = nullptr;
  std::vector<state::SpanInfo> spans_;
};

TEST_F(SpanSourceTest, a_segment_of_a_flush_is_read_with_one_request) {
  EXPECT_EQ(load(spans_), spans_.size());
  EXPECT_EQ(counted_.count, 1);
}

TEST_F(SpanSourceTest, a_footer_that_lies_far_is_read_only_where_regions_are_compressed) {
  EXPECT_EQ(load_far_from_the_footer({}), 1);
  EXPECT_EQ(load_far_from_the_footer({{"weir.storage.compression", "zstd"}}), 2);
}

TEST_F(SpanSourceTest, spans_of_a_segment_that_has_lost_its_end_are_still_had) {
  std::string name = segment_name(spans_.front().object);
  SharedBytes whole = get(node("a"), store_.get(name)).value();
  SharedBytes cut = SharedBytes::copy_of(whole.view().first(whole.size() - 10));
  ASSERT_TRUE(get(node("a"), store_.put(name, BytesChain(cut))).has_value());
  EXPECT_EQ(load(spans_), spans_.size());
}

}  // namespace
}  // namespace weir::engine
