// Each kind of damage, done to a good bucket, is found; a good bucket has no findings.
#include "engine/audit/auditor.h"

#include "commitlog/object_log.h"
#include "engine/audit/explain.h"
#include "engine/segment.h"
#include "engine/testing/cluster_fixture.h"
#include "state/commands/advance_horizon.h"
#include "state/testing/log_builder.h"

namespace weir::engine::audit {
namespace {

class AuditTest : public testing::ClusterFixture {
 protected:
  /// A cluster of one broker has written inline spans, segments and snapshots, and is gone.
  void SetUp() override { fill({.enabled = false}); }
  void fill(MaintenanceOptions maintenance) {
    Options options = testing::quick_options("a");
    options.maintenance = maintenance;
    options.inline_bytes = 600;
    options.snapshot_entries = 20;
    rt::sim::SimNode& host = world_.start_node({.host = "a"});
    auto& engine = host.make<testing::EngineNode>(host, testing::SharedStores{store_, object_log_},
                                                  std::move(options));
    run(host, [](testing::EngineNode& e, rt::Loop& loop) -> rt::Task<void> {
      auto started = co_await e->start(loop.now() + 10s);
      EXPECT_TRUE(started.has_value());
    }(engine, host.loop()));
    TopicId topic = create_topic("a", engine, "orders", 2);
    for (int i = 0; i < 60; ++i) {
      PartitionIndex partition(i % 2);
      std::string value = i % 3 == 0 ? std::string(2'000, 'x') : "small " + std::to_string(i);
      EXPECT_TRUE(produce("a", engine, testing::batch_of({topic, partition}, {value, "b"})).ok());
      if (i % 10 == 9) world_.run_for(3s);
    }
    world_.run_for(5s);
    run(host, [](testing::EngineNode& e, rt::Loop& loop) -> rt::Task<void> {
      co_await e->stop(loop.now() + 10s);
    }(engine, host.loop()));
    world_.start_node({.host = "auditor"});
  }

  AuditReport audit(AuditOptions options = {}) {
    Auditor auditor({store_, object_log_}, options);
    auto report = get(node("auditor"), auditor.run());
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message);
    inventory_ = auditor.inventory();
    references_ = auditor.references();
    explanations_ = auditor.walk().complete()
                        ? explain(auditor.inventory(), auditor.walk(), auditor.references())
                        : std::vector<Explanation>{};
    return report.value_or(AuditReport{});
  }
  /// Exactly one kind of finding, at least once, with this in one of the sentences.
  void expect_only(const AuditReport& report, FindingKind kind, const std::string& part) {
    bool said = false;
    EXPECT_FALSE(report.findings.empty());
    for (const Finding& finding : report.findings) {
      EXPECT_EQ(to_string(finding.kind), to_string(kind)) << finding.sentence;
      EXPECT_NE(finding.sentence.find(finding.object), std::string::npos) << finding.sentence;
      said |= finding.sentence.find(part) != std::string::npos;
    }
    EXPECT_TRUE(said) << "no finding says: " << part << "; the first says "
                      << (report.findings.empty() ? "" : report.findings[0].sentence);
  }

  std::vector<std::string> names(ObjectKind kind) {
    audit();
    std::vector<std::string> found;
    for (const auto& [name, object] : inventory_.objects)
      if (object.identity.kind == kind) found.push_back(name);
    EXPECT_FALSE(found.empty());
    return found;
  }
  SharedBytes read(const std::string& name) {
    auto bytes = get(node("auditor"), store_.get(name));
    EXPECT_TRUE(bytes.has_value());
    return bytes.value_or(SharedBytes{});
  }
  void write(const std::string& name, Bytes bytes) {
    auto put = get(node("auditor"), store_.put(name, BytesChain(SharedBytes::copy_of(bytes))));
    EXPECT_TRUE(put.has_value());
  }
  void flip(const std::string& name, std::size_t at) {
    SharedBytes bytes = SharedBytes::copy_of(read(name).view());
    MutableBytes view = bytes.mutable_view();
    ASSERT_LT(at, view.size());
    view[at] ^= std::byte{0x10};
    write(name, bytes.view());
  }
  void remove(const std::string& name) {
    std::vector<std::string> one{name};
    EXPECT_TRUE(get(node("auditor"), store_.remove(std::move(one))).has_value());
  }
  const Explanation& explanation(const std::string& name) {
    for (const Explanation& e : explanations_)
      if (e.object == name) return e;
    ADD_FAILURE() << "no explanation of " << name;
    return explanations_.front();
  }

  rt::SeededRandom random_{7};
  commitlog::ObjectLog object_log_{store_, random_};
  Inventory inventory_;
  References references_;
  std::vector<Explanation> explanations_;
};

TEST_F(AuditTest, a_good_bucket_has_no_findings) {
  AuditReport report = audit();
  for (const Finding& finding : report.findings) ADD_FAILURE() << finding.sentence;
  EXPECT_TRUE(report.complete);
  EXPECT_GT(report.entries, 60u);
  EXPECT_GE(report.snapshots, 2u);
  EXPECT_GE(report.segments, 10u);
  EXPECT_GE(report.inline_objects, 20u);
  EXPECT_EQ(report.spans, 60u);
  EXPECT_EQ(report.checked.regions, 60u);
  EXPECT_TRUE(audit({.read_data = false}).findings.empty());
}

/// The same with merges, deletions and truncation.
class MergedAuditTest : public AuditTest {
 protected:
  void SetUp() override {
    MaintenanceOptions fast;
    fast.clock_interval = fast.merge_interval = fast.deletion_interval = 500ms;
    fast.merge_after = fast.horizon_interval = fast.deletion_delay = fast.truncate_interval = 1s;
    fast.merge_spans_min = 4;
    fast.truncate_entries_min = 10;
    fast.log_grace = 3s;
    fill(fast);
  }
};

TEST_F(MergedAuditTest, merged_segments_are_checked_as_well) {
  AuditReport report = audit();
  for (const Finding& finding : report.findings) ADD_FAILURE() << finding.sentence;
  EXPECT_TRUE(report.complete);
  EXPECT_GT(report.floor, Position(0));
  std::string merged;
  for (const auto& [name, used] : references_.segments)
    if (used.object.is_final) merged = name;
  ASSERT_FALSE(merged.empty());
  flip(merged, kSegmentHeaderBytes + 100);
  expect_only(audit(), FindingKind::damaged_region, "topic orders, partition ");
}

TEST_F(AuditTest, finds_a_damaged_region_and_names_its_offsets) {
  flip(names(ObjectKind::segment).front(), kSegmentHeaderBytes + 300);
  AuditReport report = audit();
  expect_only(report, FindingKind::damaged_region, "topic orders, partition ");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_TRUE(report.findings[0].offset.has_value());
  EXPECT_NE(report.findings[0].region.find("bytes 64 to "), std::string::npos);
}

TEST_F(AuditTest, finds_a_damaged_footer) {
  std::string name = names(ObjectKind::segment).front();
  flip(name, read(name).size() - kSegmentTrailerBytes - 3);
  expect_only(audit(), FindingKind::damaged_segment, "does not match its checksum");
}

TEST_F(AuditTest, finds_a_segment_that_was_cut) {
  std::string name = names(ObjectKind::segment).front();
  SharedBytes bytes = read(name);
  write(name, bytes.view().first(bytes.size() - 1));
  AuditReport report = audit();
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::wrong_size);
  EXPECT_EQ(report.findings[1].kind, FindingKind::damaged_segment);
  expect_only(audit({.read_data = false}), FindingKind::wrong_size, "instead of");
}

TEST_F(AuditTest, finds_a_segment_exchanged_for_another) {
  std::vector<std::string> segments = names(ObjectKind::segment);
  // Of partition 0 and of partition 1: the same layout.
  std::string other;
  for (const std::string& name : segments)
    if (references_.segments[name].spans[0].at.partition !=
        references_.segments[segments[0]].spans[0].at.partition)
      other = name;
  write(segments[0], read(other).view());
  AuditReport report = audit();
  bool named = false;
  for (const Finding& finding : report.findings)
    named |= finding.kind == FindingKind::span_without_region && finding.offset.has_value();
  EXPECT_TRUE(named);
}

TEST_F(AuditTest, finds_a_missing_segment) {
  std::string name = names(ObjectKind::segment).front();
  remove(name);
  expect_only(audit(), FindingKind::missing_object,
              "is missing though the log names it for topic orders");
  expect_only(audit({.read_data = false}), FindingKind::missing_object, name);
}

TEST_F(AuditTest, finds_damage_in_inline_records) {
  AuditReport good = audit();
  ASSERT_FALSE(references_.inlines.empty());
  Position position = references_.inlines.begin()->first;
  for (const std::string& name : names(ObjectKind::log_entry))
    if (inventory_.objects[name].identity.position == position) flip(name, read(name).size() - 5);
  AuditReport report = audit();
  expect_only(report, FindingKind::damaged_region, "(offsets ");
}

TEST_F(AuditTest, finds_a_damaged_entry_and_goes_on_behind_it) {
  std::string name = names(ObjectKind::log_entry)[4];
  flip(name, 50);
  AuditReport report = audit();
  EXPECT_TRUE(report.complete) << "a later snapshot leads over the damage";
  bool found = false;
  for (const Finding& finding : report.findings)
    found |= finding.kind == FindingKind::damaged_entry &&
             finding.sentence.find("position 4:") != std::string::npos;
  EXPECT_TRUE(found);
}

TEST_F(AuditTest, finds_a_gap_in_the_log) {
  remove(names(ObjectKind::log_entry)[3]);
  AuditReport report = audit();
  EXPECT_TRUE(report.complete);
  bool found = false;
  for (const Finding& finding : report.findings) found |= finding.kind == FindingKind::log_gap;
  EXPECT_TRUE(found);
}

TEST_F(AuditTest, a_gap_that_no_snapshot_bridges_is_the_end_of_the_audit) {
  std::vector<std::string> entries = names(ObjectKind::log_entry);
  for (const std::string& name : names(ObjectKind::snapshot)) remove(name);
  remove(entries[entries.size() - 3]);
  AuditReport report = audit();
  EXPECT_FALSE(report.complete);
  expect_only(report, FindingKind::log_gap, "the entry is missing");
}

TEST_F(AuditTest, finds_an_entry_of_another_history) {
  std::vector<std::string> entries = names(ObjectKind::log_entry);
  state::testing::Cluster other;
  while (other.log().next().value < entries.size())
    other.add_topic("t" + std::to_string(other.log().next().value), 1);
  write(entries.back(), other.entries().back().view());
  expect_only(audit(), FindingKind::broken_chain, "another cluster");
}

TEST_F(AuditTest, finds_a_damaged_snapshot) {
  flip(names(ObjectKind::snapshot).front(), 200);
  expect_only(audit(), FindingKind::damaged_snapshot, "brokers start from an older one");
}

TEST_F(AuditTest, finds_a_snapshot_that_is_not_what_the_log_folds_to) {
  std::string name = names(ObjectKind::snapshot).front();
  Position position = inventory_.objects[name].identity.position;
  state::testing::Cluster other;
  while (other.log().next() <= position)
    other.add_topic("t" + std::to_string(other.log().next().value), 1);
  state::SnapshotWriter writer(other.state());
  while (!writer.step(1'000)) {
  }
  write(name, writer.finish().flatten().view());
  expect_only(audit(), FindingKind::digest_mismatch, "the log folds to another state");
}

TEST_F(AuditTest, finds_that_the_newest_noted_snapshot_is_missing) {
  remove(names(ObjectKind::snapshot).back());
  expect_only(audit(), FindingKind::missing_snapshot, "is missing though the log notes it");
}

TEST_F(AuditTest, finds_that_nothing_reaches_the_floor) {
  for (const std::string& name : names(ObjectKind::snapshot)) remove(name);
  EXPECT_TRUE(get(node("auditor"), object_log_.raise_floor(Position(10))).has_value());
  AuditReport report = audit();
  EXPECT_FALSE(report.complete);
  expect_only(report, FindingKind::missing_snapshot, "the cluster cannot start");
}

TEST_F(AuditTest, finds_a_damaged_floor) {
  write("log/0/floor", as_bytes("what"));
  expect_only(audit(), FindingKind::damaged_floor, "is not a floor");
}

TEST_F(AuditTest, finds_foreign_objects_but_leaves_young_uploads_alone) {
  std::string upload = segment_name(Position(3), state::testing::broker_id(9), 1);
  write(upload, as_bytes("not yet committed"));
  AuditReport report = audit();
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.maybe_in_flight, 1u);
  EXPECT_EQ(explanation(upload).fate, Fate::waits);
  EXPECT_NE(explanation(upload).sentence.find("perhaps an orphan"), std::string::npos);
  write("data/notes.txt", as_bytes("hello"));
  expect_only(audit(), FindingKind::foreign_object, "data/notes.txt");
  EXPECT_EQ(explanation("data/notes.txt").fate, Fate::untouched);
}

TEST_F(AuditTest, explains_every_object) {
  EXPECT_TRUE(get(node("auditor"), object_log_.raise_floor(Position(5))).has_value());
  AuditReport report = audit();
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(explanations_.size(), inventory_.objects.size());
  for (const std::string& name : names(ObjectKind::segment)) {
    EXPECT_EQ(explanation(name).reason, "referenced");
    EXPECT_NE(explanation(name).sentence.find("topic orders"), std::string::npos);
  }
  std::vector<std::string> entries = names(ObjectKind::log_entry);
  EXPECT_EQ(explanation(entries[4]).reason, "below_floor");
  EXPECT_EQ(explanation(entries[4]).fate, Fate::deletable);
  EXPECT_EQ(explanation(entries[5]).fate, Fate::kept);
  for (const std::string& name : names(ObjectKind::snapshot))
    EXPECT_EQ(explanation(name).reason, "kept");
}

/// What brokers of this test cannot make: an orphan below the horizon, from a log by hand.
TEST(AuditOfABuiltLog, finds_orphans_below_the_horizon) {
  rt::sim::SimWorld world(1);
  rt::sim::SimNode& node = world.start_node({.host = "a"});
  objstore::MemoryStore store;
  commitlog::MemoryLog log;
  state::testing::Cluster cluster;
  state::command::AdvanceHorizon advance;
  advance.horizon = 1;
  EXPECT_EQ(cluster.propose(advance).status, state::CommandStatus::applied);
  std::optional<Result<AuditReport>> report;
  std::string old = segment_name(Position(0), state::testing::broker_id(1), 1);
  std::string young = segment_name(Position(1), state::testing::broker_id(1), 2);
  node.spawn([](objstore::MemoryStore& s, commitlog::MemoryLog& l, state::testing::Cluster& c,
                std::vector<std::string> names,
                std::optional<Result<AuditReport>>& out) -> rt::Task<void> {
    for (std::size_t i = 0; i < c.entries().size(); ++i)
      (void)co_await l.create(Position(i), BytesChain(c.entries()[i]));
    for (const std::string& name : names)
      (void)co_await s.put(name, BytesChain(SharedBytes::copy_of(as_bytes("x"))));
    Auditor auditor({s, l});
    out.emplace(co_await auditor.run());
  }(store, log, cluster, {old, young}, report));
  ASSERT_TRUE(world.run_while([&] { return !report.has_value(); }, 60s));
  ASSERT_TRUE(report->has_value());
  ASSERT_EQ((*report)->findings.size(), 1u);
  EXPECT_EQ((*report)->findings[0].kind, FindingKind::orphan);
  EXPECT_EQ((*report)->findings[0].object, old);
  EXPECT_EQ((*report)->maybe_in_flight, 1u);
}

/// References that contradict themselves, which no fold makes.
TEST(CheckState, finds_wrong_counts_of_live_bytes) {
  state::testing::Cluster cluster;
  References references;
  UsedObject& used = references.segments["data/x"];
  used.live_bytes = 5;
  Findings findings;
  check_state(cluster.state(), references, findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, FindingKind::wrong_live_bytes);
}

TEST(OffsetGaps, are_found_at_both_ends_and_in_between) {
  using Ranges = std::vector<OffsetRange>;
  auto gaps = [](std::int64_t start, std::int64_t end, const Ranges& spans) {
    return offset_gaps({Offset(start), Offset(end)}, spans);
  };
  OffsetRange a{Offset(0), Offset(10)}, b{Offset(10), Offset(20)}, c{Offset(25), Offset(30)};
  EXPECT_EQ(gaps(0, 20, {a, b}), Ranges{});
  EXPECT_EQ(gaps(5, 20, {a, b}), Ranges{}) << "a span may begin below the start";
  EXPECT_EQ(gaps(7, 7, {}), Ranges{});
  EXPECT_EQ(gaps(0, 30, {a, c}), (Ranges{{Offset(10), Offset(25)}}));
  EXPECT_EQ(gaps(0, 20, {b}), (Ranges{{Offset(0), Offset(10)}}));
  EXPECT_EQ(gaps(0, 20, {a}), (Ranges{{Offset(10), Offset(20)}}));
  EXPECT_EQ(gaps(0, 10, {a, a}), (Ranges{{Offset(10), Offset(0)}}));
}

TEST(FindingKind, all_have_names) {
  for (std::uint8_t i = 0; i <= kFindingKindLast; ++i)
    EXPECT_NE(to_string(static_cast<FindingKind>(i)), "unknown");
}

}  // namespace
}  // namespace weir::engine::audit
