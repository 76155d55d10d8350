// Merges of transactional data and markers. Transactions have no commands yet, so the batches are
// made by hand: what a merge must do is to keep them as they are, and in their places.
#include <gtest/gtest.h>

#include "engine/audit/auditor.h"
#include "engine/testing/cluster_fixture.h"
#include "record/marker.h"

namespace weir::engine {
namespace {

using testing::EngineNode;

class MergeTransactionsTest : public testing::ClusterFixture {
 protected:
  EngineNode& begin() {
    Options options = testing::quick_options("a");
    MaintenanceOptions& m = options.maintenance;
    m.clock_interval = m.merge_interval = 500ms;
    m.merge_after = m.horizon_interval = m.deletion_delay = 1s;
    m.merge_spans_min = 4;
    options.inline_bytes = 0;
    return start("a", options);
  }
  void put(EngineNode& a, SharedBytes batch) {
    record::BatchBuilder plain({});
    plain.append({.timestamp = WallMillis(1'000), .value = as_bytes("x")});
    Buffer one = std::move(plain).finish().value();
    ProduceItem item;
    item.at = at_;
    // As of one plain record, which is what it is to the log.
    item.info = record::validate_batch(one.data(), {}).value();
    item.info.bytes = static_cast<std::uint32_t>(batch.size());
    item.batch = std::move(batch);
    EXPECT_TRUE(produce("a", a, std::move(item)).ok());
  }
  void put_data(EngineNode& a, std::int64_t producer, const std::string& value) {
    record::BatchBuilder builder({.producer_id = ProducerId(producer),
                                  .producer_epoch = ProducerEpoch(0),
                                  .base_sequence = 0,
                                  .transactional = true});
    builder.append({.timestamp = WallMillis(1'000), .value = as_bytes(value)});
    put(a, std::move(builder).finish().value());
  }
  void put_marker(EngineNode& a, record::MarkerType type, std::int64_t producer) {
    put(a, record::build_marker({.type = type,
                                 .offset = Offset(0),
                                 .timestamp = WallMillis(1'000),
                                 .producer_id = ProducerId(producer),
                                 .producer_epoch = ProducerEpoch(0)}));
  }
  /// "offset:producer:value", or the marker, of each batch that a reader gets.
  std::vector<std::string> read(EngineNode& a) {
    std::vector<std::string> out;
    FetchedPartition fetched = fetch("a", a, at_, Offset(0));
    for (const SharedBytes& part : fetched.records.parts()) {
      record::BatchIterator batches(part.view());
      for (auto batch = batches.next(); batch && *batch; batch = batches.next()) {
        EXPECT_TRUE((*batch)->transactional());
        EXPECT_TRUE((*batch)->checksum_ok());
        std::string text = std::to_string((*batch)->base_offset().value) + ":" +
                           std::to_string((*batch)->producer_id().value) + ":";
        auto marker = record::read_marker(**batch);
        if (marker && *marker) {
          text += (*marker)->type == record::MarkerType::abort ? "abort" : "commit";
        } else {
          auto reader = record::RecordReader::open(**batch);
          text += as_text(*(*reader->next())->value);
        }
        out.push_back(text);
      }
    }
    return out;
  }

  PartitionRef at_;
};

TEST_F(MergeTransactionsTest, data_and_markers_stay_as_they_are_and_in_their_places) {
  EngineNode& a = begin();
  std::vector<NewTopic> topics{{"t", 1, 1, {{"retention.ms", "-1"}}}};
  at_ = {get(node("a"), a->create_topics(std::move(topics), soon("a"))).front().id,
         PartitionIndex(0)};
  put_data(a, 7, "kept");
  put_data(a, 8, "aborted");
  put_marker(a, record::MarkerType::commit, 7);
  put_data(a, 8, "aborted, too");
  put_marker(a, record::MarkerType::abort, 8);
  put_data(a, 7, "next");
  std::vector<std::string> expected = read(a);
  EXPECT_EQ(expected, (std::vector<std::string>{"0:7:kept", "1:8:aborted", "2:7:commit",
                                                "3:8:aborted, too", "4:8:abort", "5:7:next"}));
  world_.run_for(15s);
  std::size_t spans = 0;
  a->follower().state().visit_spans(at_, Offset(0), [&](const state::SpanInfo& span) {
    EXPECT_TRUE(span.object.is_final);
    return ++spans > 0;
  });
  EXPECT_EQ(spans, 1u);
  EXPECT_EQ(read(a), expected);
  node("a").kill();
  EngineNode& again = begin();
  EXPECT_EQ(read(again), expected) << "from the store alone, too";
  audit::Auditor auditor({store_, log_});
  auto report = get(node("a"), auditor.run());
  ASSERT_TRUE(report.has_value());
  for (const audit::Finding& finding : report->findings) ADD_FAILURE() << finding.sentence;
}

}  // namespace
}  // namespace weir::engine
