// Two brokers that compact, merge, truncate and delete at high speed while they are killed and
// paused: what a reader sees always agrees with a model that knows every record that was written.
#include <algorithm>
#include <map>

#include "engine/audit/auditor.h"
#include "engine/testing/cluster_fixture.h"

namespace weir::engine {
namespace {

struct Written {
  std::string key;
  std::optional<std::string> value;
  MonoTime at;
};

constexpr Duration kDeleteRetention = 3s;

Options fast(const std::string& host) {
  Options options = testing::quick_options(host);
  MaintenanceOptions& m = options.maintenance;
  m.clock_interval = m.merge_interval = m.deletion_interval = m.truncate_interval = 400ms;
  m.compaction_interval = 500ms;
  m.compaction_dirty_bytes_min = 1;
  m.merge_after = m.horizon_interval = m.deletion_delay = 1s;
  m.orphans_interval = 5s;
  m.merge_spans_min = 3;
  m.truncate_entries_min = 10;
  m.log_grace = 4s;
  m.rewrite_bytes_min = 500;
  // Small, so that runs end early, are cut, and leave spans where they are.
  m.compaction_memory_bytes = 20 * 16;
  m.merge_leave_bytes = 600;
  m.merge_region_bytes = 900;
  m.merge_segment_bytes = 2'500;
  options.inline_bytes = 300;
  options.session_timeout = 2s;
  options.snapshot_entries = 20;
  return options;
}

class CompactionModelTest : public testing::ClusterFixture {
 protected:
  void run_seed(std::uint64_t seed) {
    rt::SeededRandom random(seed);
    for (const char* host : {"a", "b"}) engines_[host] = &start(host, fast(host));
    std::vector<NewTopic> topics{{"t",
                                  2,
                                  1,
                                  {{"cleanup.policy", "compact"},
                                   {"delete.retention.ms", std::to_string(kDeleteRetention / 1ms)},
                                   {"min.cleanable.dirty.ratio", "0.01"}}}};
    auto made = get(node("a"), (*engines_["a"])->create_topics(std::move(topics), soon("a")));
    ASSERT_TRUE(made.front().ok());
    topic_ = made.front().id;
    for (int step = 0; step < 150; ++step) {
      act(random);
      world_.run_for(Duration(1ms) * static_cast<std::int64_t>(random.below(300)));
      if (step % 30 == 29) check(random.below(2) == 0 ? "a" : "b");
    }
    world_.run_for(30s);
    check("a");
    check("b");
    for (int p = 0; p < 2; ++p)
      EXPECT_EQ((*engines_["a"])->catalog().partition({topic_, PartitionIndex(p)})->compacted_to,
                (*engines_["a"])->catalog().partition({topic_, PartitionIndex(p)})->end);
    audit::Auditor auditor({store_, log_});
    auto report = get(node("a"), auditor.run());
    ASSERT_TRUE(report.has_value());
    for (const audit::Finding& finding : report->findings) ADD_FAILURE() << finding.sentence;
  }

 private:
  void act(rt::Random& random) {
    std::string host = random.below(2) == 0 ? "a" : "b";
    switch (random.below(20)) {
      case 0:
        node(host).kill();
        engines_[host] = &start(host, fast(host));
        break;
      case 1:
        node(host).pause();
        world_.run_for(Duration(1ms) * static_cast<std::int64_t>(random.below(6'000)));
        node(host).resume();
        world_.run_for(1s);
        break;
      default: write(host, random); break;
    }
  }

  void write(const std::string& host, rt::Random& random) {
    PartitionRef at{topic_, PartitionIndex(static_cast<std::int32_t>(random.below(2)))};
    record::BatchBuilder builder(
        {.codec = random.below(2) == 0 ? codec::Codec::none : codec::Codec::zstd});
    std::vector<Written> records;
    for (std::uint64_t i = 1 + random.below(5); i > 0; --i) {
      Written record{"k" + std::to_string(random.below(30)), std::nullopt, {}};
      if (random.below(4) != 0)
        record.value = std::to_string(random.next()) + std::string(random.below(60), '.');
      record::NewRecord out{.timestamp = WallMillis(1'000), .key = as_bytes(record.key)};
      if (record.value) out.value = as_bytes(*record.value);
      builder.append(out);
      records.push_back(std::move(record));
    }
    ProduceItem item;
    item.at = at;
    item.batch = std::move(builder).finish().value();
    item.info = record::validate_batch(item.batch.view(), {}).value();
    ProduceOutcome outcome = produce(host, *engines_[host], std::move(item));
    ASSERT_TRUE(outcome.ok());
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i].at = world_.now();
      history_[at.partition.value][outcome.base_offset.value + static_cast<std::int64_t>(i)] =
          records[i];
    }
  }

  void check(const std::string& host) {
    ASSERT_TRUE(get(node(host), (*engines_[host])->barrier(soon(host))).has_value());
    for (std::int32_t p = 0; p < 2; ++p) check_partition(host, {topic_, PartitionIndex(p)});
  }

  void check_partition(const std::string& host, PartitionRef at) {
    testing::EngineNode& engine = *engines_[host];
    const auto& history = history_[at.partition.value];
    state::PartitionInfo info = *engine->catalog().partition(at);
    MonoTime begun = world_.now();
    std::map<std::string, std::int64_t> last_seen;
    std::set<std::int64_t> seen;
    Offset next(0);
    while (next < info.end) {
      FetchedPartition fetched = fetch(host, engine, at, next, 2'000);
      ASSERT_TRUE(fetched.ok());
      Offset before = next;
      for (const SharedBytes& part : fetched.records.parts()) {
        record::BatchIterator batches(part.view());
        for (auto batch = batches.next(); batch && *batch; batch = batches.next()) {
          ASSERT_GE((*batch)->base_offset(), next);
          next = (*batch)->last_offset().next();
          auto reader = record::RecordReader::open(**batch);
          for (auto r = reader->next(); r && *r; r = reader->next()) {
            std::int64_t offset = (*r)->offset.value;
            ASSERT_TRUE(history.contains(offset)) << "offset " << offset << " was never written";
            const Written& written = history.at(offset);
            ASSERT_EQ(as_text(*(*r)->key), written.key) << "at offset " << offset;
            ASSERT_EQ((*r)->value.has_value(), written.value.has_value());
            if (written.value) ASSERT_EQ(as_text(*(*r)->value), *written.value);
            auto [place, fresh] = last_seen.insert_or_assign(written.key, offset);
            if (!fresh)
              ASSERT_GE(offset, info.compacted_to.value)
                  << written.key << " twice in the compacted part";
            seen.insert(offset);
          }
        }
      }
      ASSERT_GT(next, before) << "a reader is stuck at offset " << before.value;
    }
    std::map<std::string, std::int64_t> latest;
    for (const auto& [offset, written] : history) latest[written.key] = offset;
    for (const auto& [key, offset] : latest) {
      if (seen.contains(offset)) continue;
      const Written& written = history.at(offset);
      ASSERT_FALSE(written.value.has_value())
          << "the last value of " << key << ", offset " << offset << ", is lost";
      ASSERT_GE(begun - written.at, kDeleteRetention) << "a tombstone went too early";
    }
  }

  TopicId topic_;
  std::map<std::string, testing::EngineNode*> engines_;
  std::map<std::int32_t, std::map<std::int64_t, Written>> history_;
};

class CompactionModelSeeds : public CompactionModelTest,
                             public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(CompactionModelSeeds, what_a_reader_sees_agrees_with_the_model) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  run_seed(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Seeds, CompactionModelSeeds, ::testing::Range<std::uint64_t>(1, 13));

}  // namespace
}  // namespace weir::engine
