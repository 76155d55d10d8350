#include "engine/audit/scrub_job.h"
#include "commitlog/forwarding_log_for_test.h"

#include "engine/segment.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

class ScrubJobTest : public testing::ClusterFixture {
 protected:
  testing::EngineNode& begin() {
    Options options = testing::quick_options("a");
    options.inline_bytes = 0;
    options.maintenance.scrub_pause = 500ms;
    options.maintenance.scrub_interval = 20s;
    options.maintenance.scrub_bytes_per_second = 10'000;
    testing::EngineNode& a = start("a", options);
    TopicId topic = create_topic("a", a, "orders", 1);
    for (int i = 0; i < 10; ++i)
      EXPECT_TRUE(
          produce("a", a, testing::batch_of({topic, PartitionIndex(0)}, {std::string(5'000, 'x')}))
              .ok());
    return a;
  }
  std::string first_segment() {
    return get(node("a"), store_.list("data/", "")).value().objects.front().name;
  }
  std::uint64_t counter(testing::EngineNode& a, const char* name) {
    return a.metrics().counter(name, "").value();
  }
};

TEST_F(ScrubJobTest, reads_every_segment_at_its_rate_again_and_again) {
  testing::EngineNode& a = begin();
  world_.run_for(3s);
  EXPECT_GE(counter(a, "weir_scrub_objects_total"), 2u);
  EXPECT_LE(counter(a, "weir_scrub_objects_total"), 8u) << "10 KB/s";
  world_.run_for(10s);
  EXPECT_EQ(counter(a, "weir_scrub_cycles_total"), 1u);
  EXPECT_EQ(counter(a, "weir_scrub_objects_total"), 10u);
  world_.run_for(20s);
  EXPECT_EQ(counter(a, "weir_scrub_cycles_total"), 2u);
  EXPECT_EQ(counter(a, "weir_scrub_findings_total"), 0u);
}

TEST_F(ScrubJobTest, reports_damage_and_a_missing_object) {
  testing::EngineNode& a = begin();
  std::string damaged = first_segment();
  SharedBytes bytes = get(node("a"), store_.get(damaged)).value();
  SharedBytes copy = SharedBytes::copy_of(bytes.view());
  copy.mutable_view()[kSegmentHeaderBytes + 80] ^= std::byte{4};
  ASSERT_TRUE(get(node("a"), store_.put(damaged, BytesChain(copy))).has_value());
  world_.run_for(15s);
  EXPECT_EQ(counter(a, "weir_scrub_findings_total"), 1u);
  EXPECT_EQ(a.metrics().gauge("weir_scrub_cycle_findings", "").value(), 1);
  std::vector<std::string> names{damaged};
  ASSERT_TRUE(get(node("a"), store_.remove(names)).has_value());
  world_.run_for(25s);
  EXPECT_EQ(counter(a, "weir_scrub_findings_total"), 2u);
}

/// Answers one entry with a wrong last byte, which is one of its inline section.
class FlippingLog final : public commitlog::ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  rt::Task<Result<std::optional<SharedBytes>>> read(Position at) override {
    auto entry = co_await inner_.read(at);
    if (at != flipped || !entry || !*entry) co_return entry;
    SharedBytes copy = SharedBytes::copy_of((*entry)->view());
    copy.mutable_view().back() ^= std::byte{1};
    co_return copy;
  }
  bool guards_floor() const override { return true; }
  std::string describe() const override { return "flipping"; }
  std::optional<Position> flipped;
};

TEST_F(ScrubJobTest, reads_inline_data_and_reports_what_is_damaged_in_it) {
  Options options = testing::quick_options("a");
  options.maintenance.scrub_pause = 500ms;
  options.maintenance.scrub_interval = 5s;
  FlippingLog log(log_);
  rt::sim::SimNode& n = world_.start_node({.host = "a"});
  auto& a = n.make<testing::EngineNode>(n, testing::SharedStores{store_, log}, options);
  ASSERT_TRUE(get(n, a->start(n.loop().now() + 10s)).has_value());
  TopicId topic = create_topic("a", a, "orders", 1);
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(
        produce("a", a, testing::batch_of({topic, PartitionIndex(0)}, {std::string(500, 'x')}))
            .ok());
  ASSERT_EQ(get(node("a"), store_.list("data/", "")).value().objects.size(), 0u);
  world_.run_for(4s);
  EXPECT_GE(counter(a, "weir_scrub_objects_total"), 4u);
  EXPECT_EQ(counter(a, "weir_scrub_findings_total"), 0u);
  log.flipped = a->follower().state().oldest_inline();
  ASSERT_TRUE(log.flipped);
  world_.run_for(10s);
  EXPECT_GE(counter(a, "weir_scrub_findings_total"), 1u);
}

}  // namespace
}  // namespace weir::engine
