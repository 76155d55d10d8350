// Compaction of a small cluster in the simulated world, at high speed.
#include "engine/compaction/compaction_job.h"

#include "engine/audit/auditor.h"
#include "engine/segment.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

using testing::EngineNode;

class CompactionJobTest : public testing::ClusterFixture {
 protected:
  static Options options() {
    Options options = testing::quick_options("a");
    MaintenanceOptions& fast = options.maintenance;
    fast.clock_interval = fast.merge_interval = fast.deletion_interval = 500ms;
    fast.compaction_interval = 700ms;
    fast.clock_interval_idle = 500ms;
    fast.compaction_dirty_bytes_min = 1;
    fast.merge_after = fast.horizon_interval = fast.deletion_delay = 1s;
    fast.merge_spans_min = 4;
    options.inline_bytes = 0;
    return options;
  }
  EngineNode& begin(Options with = options()) { return start("a", std::move(with)); }

  PartitionRef make_topic(EngineNode& a, const std::string& name,
                          std::vector<std::pair<std::string, std::string>> configs = {}) {
    configs.emplace_back("cleanup.policy", "compact");
    configs.emplace_back("min.cleanable.dirty.ratio", "0.01");
    std::vector<NewTopic> topics{{name, 1, 1, std::move(configs)}};
    auto made = get(node("a"), a->create_topics(std::move(topics), soon("a")));
    EXPECT_TRUE(made.front().ok());
    return {made.front().id, PartitionIndex(0)};
  }
  void set_policy(EngineNode& a, const std::string& name, const std::string& policy) {
    AlterConfig change;
    change.name = name;
    change.changes.emplace_back("cleanup.policy", policy);
    ASSERT_TRUE(get(node("a"), a->alter_configs({change}, soon("a"))).front().ok());
  }
  using Pair = std::pair<std::optional<std::string>, std::optional<std::string>>;
  void put(EngineNode& a, PartitionRef at, const std::vector<Pair>& records) {
    record::BatchBuilder builder({.codec = codec::Codec::lz4});
    for (const auto& [key, value] : records) {
      record::NewRecord record{.timestamp = WallMillis(1'000)};
      if (key) record.key = as_bytes(*key);
      if (value) record.value = as_bytes(*value);
      builder.append(record);
    }
    ProduceItem item;
    item.at = at;
    item.batch = std::move(builder).finish().value();
    item.info = record::validate_batch(item.batch.view(), {}).value();
    EXPECT_TRUE(produce("a", a, std::move(item)).ok());
  }
  /// `rounds` values for each of `keys` keys.
  void fill(EngineNode& a, PartitionRef at, int keys, int rounds, std::size_t value_bytes = 20) {
    for (int round = 0; round < rounds; ++round) {
      std::vector<Pair> records;
      for (int key = 0; key < keys; ++key)
        records.emplace_back("k" + std::to_string(key),
                             std::to_string(round) + std::string(value_bytes, 'v'));
      put(a, at, records);
    }
  }
  /// How far a topic of flushes that no merge wants yet is clean after a while.
  Offset clean_of_young_flushes(bool merge_first) {
    Options with = options();
    with.maintenance.merge_after = 1h;
    with.maintenance.merge_before_compaction = merge_first;
    EngineNode& a = begin(with);
    PartitionRef at = make_topic(a, "t");
    fill(a, at, 3, 10);
    world_.run_for(20s);
    return a->catalog().partition(at)->compacted_to;
  }
  /// "key=value@offset …" as a consumer sees it, from the beginning to the end of the partition.
  std::string text(EngineNode& a, PartitionRef at, std::size_t value_chars = 1) {
    std::string out;
    Offset next = a->catalog().partition(at)->start;
    while (next < a->catalog().partition(at)->end) {
      FetchedPartition fetched = fetch("a", a, at, next);
      EXPECT_TRUE(fetched.ok());
      Offset before = next;
      for (const SharedBytes& part : fetched.records.parts()) {
        record::BatchIterator batches(part.view());
        for (auto batch = batches.next(); batch && *batch; batch = batches.next()) {
          next = (*batch)->last_offset().next();
          auto reader = record::RecordReader::open(**batch);
          for (auto r = reader->next(); r && *r; r = reader->next())
            out += (out.empty() ? "" : " ") + std::string(as_text((*r)->key.value_or(Bytes()))) +
                   "=" +
                   ((*r)->value ? std::string(as_text(*(*r)->value)).substr(0, value_chars) : "-") +
                   "@" + std::to_string((*r)->offset.value);
        }
      }
      EXPECT_GT(next, before) << "a reader is stuck at offset " << before.value;
      if (next <= before) break;
    }
    return out;
  }
  std::uint64_t counted(EngineNode& a, std::string_view name) {
    return a.metrics().counter(name, "").value();
  }
  std::size_t segments() { return get(node("a"), store_.list("data/", "")).value().objects.size(); }
  void expect_clean_bucket() {
    audit::Auditor auditor({store_, log_});
    auto report = get(node("a"), auditor.run());
    ASSERT_TRUE(report.has_value());
    for (const audit::Finding& finding : report->findings) ADD_FAILURE() << finding.sentence;
  }
};

TEST_F(CompactionJobTest, a_reader_sees_the_last_value_of_each_key_and_gets_to_the_end) {
  EngineNode& a = begin();
  PartitionRef at = make_topic(a, "t");
  fill(a, at, 3, 10);
  put(a, at, {{"gone", std::nullopt}, {"last", "1"}});
  world_.run_for(10s);
  std::string expected = "k0=9@27 k1=9@28 k2=9@29 gone=-@30 last=1@31";
  EXPECT_EQ(text(a, at), expected);
  EXPECT_EQ(a->catalog().partition(at)->compacted_to, Offset(32));
  EXPECT_EQ(a->catalog().partition(at)->start, Offset(0)) << "the log start does not move";
  EXPECT_LE(segments(), 2u);
  expect_clean_bucket();
  node("a").kill();
  EngineNode& again = begin();
  EXPECT_EQ(text(again, at), expected) << "from the store alone, too";
}

TEST_F(CompactionJobTest, runs_only_when_something_is_dirty) {
  EngineNode& a = begin();
  PartitionRef at = make_topic(a, "t");
  fill(a, at, 3, 10);
  world_.run_for(10s);
  std::uint64_t before = counted(a, "weir_compaction_partitions_total");
  EXPECT_GE(before, 1u);
  world_.run_for(20s);
  EXPECT_EQ(counted(a, "weir_compaction_partitions_total"), before);
  fill(a, at, 1, 1);
  world_.run_for(10s);
  EXPECT_EQ(counted(a, "weir_compaction_partitions_total"), before + 1);
  EXPECT_EQ(text(a, at), "k1=9@28 k2=9@29 k0=0@30");
}

TEST_F(CompactionJobTest, young_flushes_wait_for_a_merge_where_that_saves_requests) {
  EXPECT_EQ(clean_of_young_flushes(true), Offset(-1));
}

TEST_F(CompactionJobTest, young_flushes_do_not_wait_where_requests_are_free) {
  EXPECT_EQ(clean_of_young_flushes(false), Offset(30));
}

TEST_F(CompactionJobTest, tombstones_go_and_offsets_of_which_nothing_is_left_are_passed) {
  Options with = options();
  // Flushes are too few to be merged, and are old at once.
  with.maintenance.merge_after = 100ms;
  EngineNode& a = begin(with);
  PartitionRef at = make_topic(a, "t", {{"delete.retention.ms", "2000"}});
  put(a, at, {{"a", "1"}, {"b", "1"}});
  put(a, at, {{"a", std::nullopt}, {"b", std::nullopt}});
  world_.run_for(4s);
  EXPECT_EQ(text(a, at), "a=-@2 b=-@3");
  world_.run_for(5s);
  put(a, at, {{"c", "1"}, {"c", std::nullopt}});
  world_.run_for(2s);
  EXPECT_EQ(text(a, at), "c=-@5");
  world_.run_for(10s);
  put(a, at, {{"d", "1"}});
  world_.run_for(10s);
  EXPECT_EQ(text(a, at), "d=1@6");
  EXPECT_EQ(a->catalog().partition(at)->start, Offset(0));
  expect_clean_bucket();
}

TEST_F(CompactionJobTest, many_small_topics_share_segments) {
  EngineNode& a = begin();
  std::vector<PartitionRef> topics;
  for (int i = 0; i < 40; ++i) topics.push_back(make_topic(a, "t" + std::to_string(i)));
  for (PartitionRef at : topics) fill(a, at, 2, 6);
  world_.run_for(30s);
  for (PartitionRef at : topics) ASSERT_EQ(text(a, at), "k0=5@10 k1=5@11");
  EXPECT_LE(segments(), 8u);
  expect_clean_bucket();
}

TEST_F(CompactionJobTest, keys_that_do_not_fit_into_memory_take_several_runs) {
  Options with = options();
  with.maintenance.compaction_memory_bytes = 20 * 8;
  EngineNode& a = begin(with);
  PartitionRef at = make_topic(a, "t");
  fill(a, at, 30, 4);
  world_.run_for(20s);
  std::string expected;
  for (int key = 0; key < 30; ++key)
    expected += (key ? " k" : "k") + std::to_string(key) + "=3@" + std::to_string(90 + key);
  EXPECT_EQ(text(a, at), expected);
  EXPECT_GE(counted(a, "weir_compaction_partitions_total"), 10u);
  EXPECT_EQ(a->catalog().partition(at)->compacted_to, Offset(120));
}

TEST_F(CompactionJobTest, a_large_partition_streams_through_in_several_segments) {
  Options with = options();
  with.maintenance.merge_region_bytes = 1u << 20;
  with.maintenance.merge_segment_bytes = 2u << 20;
  with.maintenance.merge_spans_min = 1'000;
  EngineNode& a = begin(with);
  PartitionRef at = make_topic(a, "t");
  rt::SeededRandom random(5);
  for (int i = 0; i < 60; ++i) {
    // Incompressible, so that the partition is larger than what is read at once.
    std::string value(400'000, '\0');
    for (char& c : value) c = static_cast<char>(random.next());
    put(a, at, {{"big" + std::to_string(i % 20), value}, {"small", std::to_string(i)}});
  }
  world_.run_for(30s);
  EXPECT_EQ(a->catalog().partition(at)->compacted_to, Offset(120));
  std::string seen = text(a, at, 0);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), '@'), 21);
  EXPECT_NE(seen.find("small=@119"), std::string::npos);
  EXPECT_LT(a->catalog().partition(at)->bytes, 9'000'000u);
  expect_clean_bucket();
}

TEST_F(CompactionJobTest, damage_in_one_partition_does_not_hold_up_the_others) {
  Options with = options();
  with.maintenance.merge_spans_min = 1'000;
  EngineNode& a = begin(with);
  PartitionRef bad = make_topic(a, "bad"), good = make_topic(a, "good");
  fill(a, bad, 2, 3);
  state::SpanInfo span;
  a->follower().state().visit_spans(bad, Offset(0), [&](const state::SpanInfo& found) {
    span = found;
    return false;
  });
  std::string name = segment_name(span.object);
  SharedBytes bytes = get(node("a"), store_.get(name)).value();
  SharedBytes copy = SharedBytes::copy_of(bytes.view());
  copy.mutable_view()[span.first_byte + span.bytes - 3] ^= std::byte{1};
  ASSERT_TRUE(get(node("a"), store_.put(name, BytesChain(copy))).has_value());
  fill(a, good, 2, 3);
  world_.run_for(10s);
  EXPECT_EQ(text(a, good), "k0=2@4 k1=2@5");
  EXPECT_EQ(a->catalog().partition(bad)->compacted_to, Offset(-1)) << "nothing was skipped";
  EXPECT_EQ(a.metrics().gauge("weir_compaction_failing_partitions", "").value(), 1);
}

TEST_F(CompactionJobTest, the_policy_may_change_in_both_directions) {
  EngineNode& a = begin();
  PartitionRef at = make_topic(a, "t");
  set_policy(a, "t", "delete");
  AlterConfig keep;
  keep.name = "t";
  keep.changes.emplace_back("retention.ms", "-1");
  ASSERT_TRUE(get(node("a"), a->alter_configs({keep}, soon("a"))).front().ok());
  put(a, at, {{std::nullopt, "unkeyed"}, {"a", "1"}});
  put(a, at, {{"a", "2"}});
  world_.run_for(5s);
  EXPECT_EQ(text(a, at), "=u@0 a=1@1 a=2@2") << "nothing is compacted";
  set_policy(a, "t", "compact");
  world_.run_for(5s);
  EXPECT_EQ(text(a, at), "a=2@2");
  EXPECT_EQ(counted(a, "weir_compaction_unkeyed_records_total"), 1u);
  set_policy(a, "t", "delete");
  put(a, at, {{"a", "3"}, {std::nullopt, "x"}});
  world_.run_for(10s);
  EXPECT_EQ(text(a, at), "a=2@2 a=3@3 =x@4");
}

TEST_F(CompactionJobTest, idempotent_producers_go_on_after_their_batches_were_compacted_away) {
  EngineNode& a = begin();
  PartitionRef at = make_topic(a, "t");
  auto id = get(node("a"), a->new_producer_id(soon("a")));
  ASSERT_TRUE(id.has_value());
  auto send = [&](std::int32_t sequence, const std::string& value) {
    record::BatchBuilder builder(
        {.producer_id = *id, .producer_epoch = ProducerEpoch(0), .base_sequence = sequence});
    builder.append(
        {.timestamp = WallMillis(1'000), .key = as_bytes("k"), .value = as_bytes(value)});
    ProduceItem item;
    item.at = at;
    item.batch = std::move(builder).finish().value();
    item.info = record::validate_batch(item.batch.view(), {}).value();
    return produce("a", a, std::move(item)).base_offset;
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(send(i, std::to_string(i)), Offset(i));
  put(a, at, {{"k", "last"}});
  world_.run_for(5s);
  EXPECT_EQ(text(a, at, 9), "k=last@3");
  EXPECT_EQ(send(2, "2"), Offset(2)) << "a retry is still a duplicate";
  EXPECT_EQ(send(3, "3"), Offset(4));
  world_.run_for(5s);
  EXPECT_EQ(text(a, at, 9), "k=3@4");
}

}  // namespace
}  // namespace weir::engine
