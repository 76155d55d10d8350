// Two at the same job, and a store that does not do all that it is asked.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "engine/audit/auditor.h"
#include "engine/compaction/compaction_job.h"
#include "engine/maintenance/deletion_job.h"
#include "engine/maintenance/merge_job.h"
#include "engine/segment.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

using testing::batch_of;
using testing::EngineNode;
using testing::values_of;

/// Refuses to delete some objects: per name, in an answer that is else a success, as S3 does.
class PickyStore final : public objstore::ObjectStore {
 public:
  explicit PickyStore(objstore::ObjectStore& inner) : inner_(inner) {}
  rt::Task<Result<std::string>> put(std::string name, BytesChain body) override {
    return inner_.put(std::move(name), std::move(body));
  }
  rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) override {
    return inner_.put_if_absent(std::move(name), std::move(body));
  }
  rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                             std::string etag) override {
    return inner_.put_if_match(std::move(name), std::move(body), std::move(etag));
  }
  rt::Task<Result<SharedBytes>> get(std::string name) override {
    return inner_.get(std::move(name));
  }
  rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                          std::uint64_t length) override {
    return inner_.get_range(std::move(name), offset, length);
  }
  rt::Task<Result<objstore::ObjectInfo>> head(std::string name) override {
    return inner_.head(std::move(name));
  }
  rt::Task<Result<Page>> list(std::string prefix, std::string continuation) override {
    return inner_.list(std::move(prefix), std::move(continuation));
  }
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) override {
    RemoveFailures refused;
    for (const std::string& name : names)
      if (kept.contains(name))
        refused.emplace_back(name, Error{ErrorCode::configuration, "AccessDenied"});
    std::erase_if(names, [&](const std::string& name) { return kept.contains(name); });
    auto failures = co_await inner_.remove(std::move(names));
    if (failures) failures->insert(failures->end(), refused.begin(), refused.end());
    co_return failures;
  }
  std::string describe() const override { return inner_.describe(); }

  std::set<std::string> kept;

 private:
  objstore::ObjectStore& inner_;
};

class SharedWorkTest : public testing::ClusterFixture {
 protected:
  static Options options() {
    Options options = testing::quick_options("a");
    MaintenanceOptions& m = options.maintenance;
    m.clock_interval = m.clock_interval_idle = m.deletion_interval = 500ms;
    m.merge_after = m.horizon_interval = m.deletion_delay = 1s;
    m.merge_spans_min = 4;
    m.compaction_dirty_bytes_min = 1;
    // What is tried here runs when the test says so.
    m.merge_interval = m.compaction_interval = m.orphans_interval = 1h;
    options.inline_bytes = 0;
    return options;
  }
  EngineNode& begin() {
    rt::sim::SimNode& n = world_.start_node({.host = "a"});
    EngineNode& a = n.make<EngineNode>(n, testing::SharedStores{picky_, log_}, options());
    EXPECT_TRUE(get(n, a->start(n.loop().now() + 10s)).has_value());
    return a;
  }
  PartitionRef make_topic(EngineNode& a, const std::string& name, const std::string& policy) {
    std::vector<NewTopic> topics{
        {name,
         1,
         1,
         {{"cleanup.policy", policy}, {"min.cleanable.dirty.ratio", "0"}, {"retention.ms", "-1"}}}};
    auto made = get(node("a"), a->create_topics(std::move(topics), soon("a")));
    return {made.front().id, PartitionIndex(0)};
  }
  ProduceItem keyed(PartitionRef at, const std::string& key, const std::string& value) {
    record::BatchBuilder builder({});
    builder.append(
        {.timestamp = WallMillis(1'000), .key = as_bytes(key), .value = as_bytes(value)});
    ProduceItem item;
    item.at = at;
    item.batch = std::move(builder).finish().value();
    item.info = record::validate_batch(item.batch.view(), {}).value();
    return item;
  }
  /// For whom it is always its turn.
  JobContext of_another_broker(EngineNode& a) {
    JobContext context = a->maintenance().context();
    context.turn = &other_turn_.emplace(context.loop);
    return context;
  }
  /// Two of a job at the same time, as two brokers that both believe that it is theirs.
  void run_twice(Job& first, Job& second) {
    bool done = false;
    node("a").spawn([](Job& job, bool* flag) -> rt::Task<void> {
      EXPECT_TRUE((co_await job.run_once()).has_value());
      *flag = true;
    }(first, &done));
    EXPECT_TRUE(get(node("a"), second.run_once()).has_value());
    EXPECT_TRUE(world_.run_while([&] { return !done; }, 60s));
  }
  std::uint64_t counted(EngineNode& a, const char* name) {
    return a.metrics().counter(name, "").value();
  }
  std::set<std::string> segments() {
    std::set<std::string> names;
    for (auto& object : get(node("a"), store_.list("data/", "")).value().objects)
      names.insert(object.name);
    return names;
  }
  void expect_clean_bucket() {
    audit::Auditor auditor({store_, log_});
    auto report = get(node("a"), auditor.run());
    ASSERT_TRUE(report.has_value());
    for (const audit::Finding& finding : report->findings) ADD_FAILURE() << finding.sentence;
  }

  PickyStore picky_{store_};
  std::optional<rt::Turn> other_turn_;
};

TEST_F(SharedWorkTest, two_merges_of_the_same_spans_waste_effort_and_break_nothing) {
  EngineNode& a = begin();
  PartitionRef at = make_topic(a, "t", "delete");
  std::vector<std::string> expected;
  for (int i = 0; i < 20; ++i) {
    expected.push_back("v" + std::to_string(i));
    EXPECT_TRUE(produce("a", a, batch_of(at, {expected.back()})).ok());
  }
  Maintenance& maintenance = a->maintenance();
  JobContext other = of_another_broker(a);
  MergeJob first(maintenance.context(), maintenance.digests());
  MergeJob second(other, maintenance.digests());
  run_twice(first, second);
  world_.run_for(3s);
  run_twice(first, second);
  EXPECT_EQ(counted(a, "weir_merge_refused_runs_total"), 1u);
  EXPECT_EQ(counted(a, "weir_merge_spans_total"), 20u);
  EXPECT_EQ(values_of(fetch("a", a, at, Offset(0)).records), expected);
  world_.run_for(15s);
  EXPECT_EQ(segments().size(), 1u) << "what the second one wrote is gone, too";
  expect_clean_bucket();
}

TEST_F(SharedWorkTest, two_compactions_of_one_partition_break_nothing) {
  EngineNode& a = begin();
  PartitionRef at = make_topic(a, "t", "compact");
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(
        produce("a", a, keyed(at, "k" + std::to_string(i % 2), "v" + std::to_string(i))).ok());
  world_.run_for(8s);
  JobContext other = of_another_broker(a);
  CompactionJob first(a->maintenance().context()), second(other);
  run_twice(first, second);
  EXPECT_EQ(counted(a, "weir_compaction_refused_runs_total"), 1u);
  EXPECT_EQ(values_of(fetch("a", a, at, Offset(0)).records),
            (std::vector<std::string>{"v18", "v19"}));
  world_.run_for(15s);
  EXPECT_EQ(segments().size(), 1u);
  expect_clean_bucket();
}

TEST_F(SharedWorkTest, two_deletions_of_the_same_objects_break_nothing) {
  EngineNode& a = begin();
  PartitionRef at = make_topic(a, "t", "delete");
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(produce("a", a, batch_of(at, {"x"})).ok());
  DeletionJob second(a->maintenance().context());
  ASSERT_TRUE(get(node("a"), a->delete_records({{at, Offset(-1)}}, soon("a"))).front().ok());
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(get(node("a"), second.run_once()).has_value());
    world_.run_for(300ms);
  }
  EXPECT_TRUE(segments().empty());
  EXPECT_EQ(a->follower().state().counts().segments, 0u);
  expect_clean_bucket();
}

TEST_F(SharedWorkTest, what_the_store_will_not_delete_stays_known_and_is_tried_again) {
  EngineNode& a = begin();
  PartitionRef at = make_topic(a, "t", "delete");
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(produce("a", a, batch_of(at, {"x"})).ok());
  std::set<std::string> all = segments();
  ASSERT_EQ(all.size(), 5u);
  picky_.kept = {*all.begin(), *all.rbegin()};
  ASSERT_TRUE(get(node("a"), a->delete_records({{at, Offset(-1)}}, soon("a"))).front().ok());
  world_.run_for(10s);
  EXPECT_EQ(segments(), picky_.kept) << "the others went";
  EXPECT_EQ(a->follower().state().counts().segments, 2u) << "forgotten only when they are gone";
  EXPECT_GE(counted(a, "weir_segment_deletions_refused_total"), 2u);
  EXPECT_EQ(a.metrics().gauge("weir_segments_awaiting_deletion", "").value(), 2);
  picky_.kept.clear();
  world_.run_for(5s);
  EXPECT_TRUE(segments().empty());
  EXPECT_EQ(a->follower().state().counts().segments, 0u);
}

}  // namespace
}  // namespace weir::engine
