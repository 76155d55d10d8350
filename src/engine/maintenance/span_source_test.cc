// What the sources of a merge cost in requests, and what is left of them where a segment is cut.
#include "engine/maintenance/span_source.h"

#include <gtest/gtest.h>

#include "engine/testing/cluster_fixture.h"
#include "objstore/decorator_impl.h"

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
    std::vector<NewTopic> topics;
    for (int i = 0; i < kTopics; ++i) topics.push_back({"topic-" + std::to_string(i), 1, 1, {}});
    auto made = get(n, (*engine_)->create_topics(std::move(topics), soon("a")));
    std::vector<ProduceItem> items;
    for (const auto& topic : made) items.push_back(batch_of({topic.id, PartitionIndex(0)}, {"x"}));
    for (const auto& outcome : get(n, (*engine_)->produce(std::move(items), soon("a"))))
      ASSERT_TRUE(outcome.ok());
    for (const auto& topic : made)
      (*engine_)->follower().state().visit_spans({topic.id, PartitionIndex(0)}, Offset(0),
                                                 [&](const state::SpanInfo& span) {
                                                   spans_.push_back(span);
                                                   return true;
                                                 });
    ASSERT_EQ(spans_.size(), std::size_t{kTopics});
    ASSERT_EQ(segment_name(spans_.front().object), segment_name(spans_.back().object));
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

  CountedReads counted_{store_};
  EngineNode* engine_ = nullptr;
  std::vector<state::SpanInfo> spans_;
};

TEST_F(SpanSourceTest, a_segment_of_a_flush_is_read_with_one_request) {
  EXPECT_EQ(load(spans_), spans_.size());
  EXPECT_EQ(counted_.count, 1);
}

TEST_F(SpanSourceTest, what_lies_far_from_the_footer_is_read_beside_it) {
  state::SpanInfo first = spans_.front();
  for (const state::SpanInfo& span : spans_)
    if (span.first_byte < first.first_byte) first = span;
  // As if the segment went on for long behind it.
  ASSERT_EQ(load({first}), 1u);
  int near = counted_.count;
  std::string name = segment_name(first.object);
  BytesChain longer(get(node("a"), store_.get(name)).value());
  longer.append(SharedBytes::copy_of(Bytes(std::vector<std::byte>(1u << 20))));
  ASSERT_TRUE(get(node("a"), store_.put(name, longer)).has_value());
  first.object.bytes = longer.size();
  EXPECT_EQ(load({first}), 1u);
  EXPECT_EQ(near, 1);
  EXPECT_EQ(counted_.count, 2);
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
