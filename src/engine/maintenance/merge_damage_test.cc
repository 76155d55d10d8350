// Merges where objects of flushes are lost, damaged, or refused by the store.
#include <gtest/gtest.h>

#include <map>

#include "engine/maintenance/merge_job.h"
#include "engine/segment.h"
#include "engine/testing/cluster_fixture.h"
#include "objstore/decorator_impl.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;

/// Refuses to give some objects, and counts how often a merge asked for them.
class RefusingStore final : public objstore::Decorator<RefusingStore> {
 public:
  explicit RefusingStore(objstore::ObjectStore& inner) : Decorator(inner) {}
  template <class T>
  rt::Task<Result<T>> around(objstore::Request request) {
    auto found = refused.find(request.name);
    if (found != refused.end() && !objstore::is_write(request.verb)) {
      // The scrubber gets whole objects.
      if (request.verb == objstore::Verb::get_range) ++found->second;
      co_return fail(ErrorCode::configuration, "the object is archived");
    }
    co_return co_await objstore::send<T>(inner(), std::move(request));
  }
  std::map<std::string, int> refused;
};

class MergeDamageTest : public testing::ClusterFixture {
 protected:
  void SetUp() override {
    Options options = testing::quick_options("a");
    options.inline_bytes = 0;
    MaintenanceOptions& m = options.maintenance;
    m.clock_interval = m.merge_interval = 500ms;
    m.merge_after = 1s;
    m.merge_spans_min = 4;
    rt::sim::SimNode& n = world_.start_node({.host = "a"});
    constexpr std::size_t kNoCache = 1;
    a_ = &n.make<EngineNode>(n, testing::SharedStores{refusing_, log_}, options, kNoCache);
    ASSERT_TRUE(get(n, (*a_)->start(n.loop().now() + 10s)).has_value());
    std::vector<NewTopic> topics{{"t", 2, 1, {{"retention.ms", "-1"}}}};
    topic_ = get(n, (*a_)->create_topics(std::move(topics), soon("a"))).front().id;
  }
  /// As many flushes with a record for both partitions.
  void fill(int flushes) {
    for (int i = 0; i < flushes; ++i) {
      std::vector<ProduceItem> items;
      for (int p = 0; p < 2; ++p) items.push_back(batch_of({topic_, PartitionIndex(p)}, {"x"}));
      for (auto& outcome : get(node("a"), (*a_)->produce(std::move(items), soon("a"))))
        ASSERT_TRUE(outcome.ok());
    }
  }
  /// "f" for a span of a flush, "M" for a merged one.
  std::string spans(int partition = 0) {
    std::string found;
    (*a_)->follower().state().visit_spans({topic_, PartitionIndex(partition)}, Offset(0),
                                          [&](const state::SpanInfo& span) {
                                            found += span.object.is_final ? 'M' : 'f';
                                            return true;
                                          });
    return found;
  }
  std::string segment_of(int offset) {
    std::string name;
    (*a_)->follower().state().visit_spans({topic_, PartitionIndex(0)}, Offset(offset),
                                          [&](const state::SpanInfo& span) {
                                            name = segment_name(span.object);
                                            return false;
                                          });
    return name;
  }

  RefusingStore refusing_{store_};
  EngineNode* a_ = nullptr;
  TopicId topic_;
};

TEST_F(MergeDamageTest, what_lies_around_a_lost_object_is_merged) {
  fill(10);
  ASSERT_TRUE(get(node("a"), store_.remove({segment_of(4)})).has_value());
  world_.run_for(5s);
  EXPECT_EQ(spans(0), "MfM");
  EXPECT_EQ(spans(1), "MfM");
  fill(5);
  world_.run_for(5s);
  EXPECT_EQ(spans(0), "MfMM");
}

TEST_F(MergeDamageTest, an_object_that_the_store_refuses_holds_up_nothing_and_is_rarely_asked_for) {
  fill(10);
  int& asked = refusing_.refused[segment_of(0)];
  world_.run_for(60s);
  EXPECT_EQ(spans(), "fM");
  EXPECT_EQ(asked, 1);
  world_.run_for(11min);
  fill(5);
  world_.run_for(5s);
  EXPECT_EQ(spans(), "fMM");
  EXPECT_EQ(asked, 2);
  refusing_.refused.clear();
  world_.run_for(11min);
  fill(5);
  world_.run_for(5s);
  EXPECT_EQ(spans().find('f'), std::string::npos);
}

TEST_F(MergeDamageTest, a_pass_of_refused_objects_alone_is_no_reason_to_stop) {
  fill(4);
  for (int i = 0; i < 4; ++i) refusing_.refused[segment_of(i)];
  world_.run_for(60s);
  EXPECT_EQ(spans(), "ffff");
  for (const auto& [name, asked] : refusing_.refused) EXPECT_EQ(asked, 1) << name;
  fill(5);
  world_.run_for(5s);
  EXPECT_EQ(spans(), "ffffM");
}

TEST_F(MergeDamageTest, a_store_that_refuses_everything_is_reported_and_damages_nothing) {
  fill(20);
  for (int i = 0; i < 20; ++i) refusing_.refused[segment_of(i)];
  world_.run_for(5s);
  EXPECT_EQ(spans(), std::string(20, 'f'));
  MergeJob merge((*a_)->maintenance().context(), (*a_)->maintenance().digests());
  ASSERT_TRUE(get(node("a"), merge.run_once()).has_value()) << "it is too early for the first look";
  world_.run_for(2s);
  auto failed = get(node("a"), merge.run_once());
  ASSERT_FALSE(failed.has_value());
  EXPECT_NE(failed.error().message.find("archived"), std::string::npos);
  refusing_.refused.clear();
  world_.run_for(5s);
  EXPECT_EQ(spans(), "M");
}

}  // namespace
}  // namespace weir::engine
