#include "compaction/pass.h"

#include <random>

#include "compaction/edit.h"
#include "compaction/partition_for_test.h"
#include "record/batch_edit.h"

namespace weir::compaction {
namespace {

using test::TestPartition;
using Pair = TestPartition::Pair;

constexpr codec::Codec kCodecs[] = {codec::Codec::none, codec::Codec::gzip, codec::Codec::snappy,
                                    codec::Codec::lz4, codec::Codec::zstd};

class PassTest : public ::testing::Test {
 protected:
  KeyMap map_{1u << 16};
  TestPartition log_;
};

TEST_F(PassTest, keeps_the_last_value_of_each_key_at_its_offset_with_every_codec) {
  for (codec::Codec codec : kCodecs) {
    TestPartition log;
    log.add({{"a", "1"}, {"b", "1"}, {"a", "2"}}, {.leader_epoch = LeaderEpoch(4), .codec = codec});
    log.add({{"c", "1"}, {"b", "2"}}, {.leader_epoch = LeaderEpoch(5), .codec = codec});
    EXPECT_EQ(log.compact(map_, log.all()), Offset(5));
    EXPECT_EQ(log.text(), "a=2@2 c=1@3 b=2@4");
    ASSERT_EQ(log.batches().size(), 2u);
    EXPECT_EQ(TestPartition::view(log.batches()[0]).last_offset(), Offset(2));
  }
}

TEST_F(PassTest, keeps_batches_untouched_that_lose_nothing) {
  log_.add({{"a", "1"}}, {.codec = codec::Codec::zstd});
  auto before = log_.batches();
  log_.compact(map_, log_.all());
  EXPECT_EQ(log_.batches(), before);
}

TEST_F(PassTest, drops_batches_of_which_nothing_is_left) {
  log_.add({{"a", "1"}, {"b", "1"}});
  log_.add({{"a", "2"}, {"b", "2"}});
  log_.compact(map_, log_.all());
  EXPECT_EQ(log_.batches().size(), 1u);
  EXPECT_EQ(log_.stats().records_read, 4u);
  EXPECT_EQ(log_.stats().records_kept, 2u);
}

TEST_F(PassTest, a_batch_keeps_its_last_offset_when_its_last_record_goes) {
  log_.add({{"a", "1"}, {"b", "1"}},
           {.producer_id = ProducerId(7), .producer_epoch = ProducerEpoch(1), .base_sequence = 40});
  log_.add({{"b", "2"}});
  log_.compact(map_, log_.all());
  EXPECT_EQ(log_.text(), "a=1@0 b=2@2");
  record::BatchView first = TestPartition::view(log_.batches()[0]);
  EXPECT_EQ(first.last_offset(), Offset(1)) << "so sequences 40 and 41 stay known";
  EXPECT_EQ(first.base_sequence(), 40);
}

TEST_F(PassTest, the_max_timestamp_is_that_of_the_records_left) {
  log_.add({{"a", "1"}}, {}, 9'000);
  log_.batches().clear();
  TestPartition log;
  record::BatchBuilder builder({});
  builder.append({.timestamp = WallMillis(5), .key = as_bytes("a"), .value = as_bytes("1")});
  builder.append({.timestamp = WallMillis(99), .key = as_bytes("b"), .value = as_bytes("1")});
  auto batch = std::move(builder).finish().value();
  Pass pass({.dirty_end = Offset(3), .now = WallMillis(0)}, map_, {}, {});
  ASSERT_TRUE(map_.put(KeyHasher()(as_bytes("b")), Offset(2)));
  auto filtered = pass.filter(record::BatchView::front_of(batch.data()).value());
  ASSERT_TRUE(filtered.has_value());
  EXPECT_EQ(record::BatchView::front_of(filtered->batch.data())->max_timestamp(), WallMillis(5));
}

TEST_F(PassTest, only_the_dirty_range_decides_and_only_what_lies_below_its_end_goes) {
  log_.add({{"a", "1"}, {"b", "1"}});
  log_.add({{"a", "2"}});
  log_.add({{"a", "3"}, {"b", "3"}});
  PassOptions options = log_.all();
  options.dirty_begin = Offset(2);
  options.dirty_end = Offset(3);
  EXPECT_EQ(log_.compact(map_, options), Offset(3));
  EXPECT_EQ(log_.text(), "b=1@1 a=2@2 a=3@3 b=3@4");
}

TEST_F(PassTest, records_below_the_log_start_go) {
  log_.add({{"a", "1"}, {"b", "1"}});
  PassOptions options = log_.all();
  options.start = options.dirty_begin = Offset(1);
  log_.compact(map_, options);
  EXPECT_EQ(log_.text(), "b=1@1");
}

TEST_F(PassTest, records_without_key_go_and_are_counted) {
  log_.add({{std::nullopt, "1"}, {"b", "1"}, {"", "empty"}});
  log_.compact(map_, log_.all());
  EXPECT_EQ(log_.text(), "b=1@1 =empty@2");
  EXPECT_EQ(log_.stats().unkeyed_dropped, 1u);
}

TEST_F(PassTest, tombstones_stay_until_their_delete_horizon_and_then_go) {
  for (codec::Codec codec : kCodecs) {
    TestPartition log;
    log.add({{"a", "1"}, {"b", "1"}}, {.codec = codec}, 1'000);
    log.add({{"a", std::nullopt}, {"c", "1"}}, {.codec = codec}, 2'000);
    log.compact(map_, log.all(10'000));
    EXPECT_EQ(log.text(), "b=1@1 a=-@2 c=1@3");
    record::BatchView kept = TestPartition::view(log.batches()[1]);
    EXPECT_TRUE(kept.has_delete_horizon());
    EXPECT_EQ(kept.base_timestamp(), WallMillis(10'500));
    EXPECT_EQ(log.items()[1].timestamp, 2'000) << "the records keep their times";

    auto before = log.batches();
    log.compact(map_, log.all(10'499));
    EXPECT_EQ(log.batches(), before) << "the horizon is set once";
    log.compact(map_, log.all(10'500));
    EXPECT_EQ(log.text(), "b=1@1 c=1@3");
    EXPECT_EQ(log.items()[1].timestamp, 2'000);
    EXPECT_EQ(log.stats().tombstones_dropped, 1u);
  }
}

TEST_F(PassTest, a_horizon_counts_from_the_latest_that_it_may_be) {
  log_.add({{"a", std::nullopt}});
  PassOptions options = log_.all(10'000);
  options.now_latest = WallMillis(12'000);
  log_.compact(map_, options);
  EXPECT_EQ(TestPartition::view(log_.batches()[0]).base_timestamp(), WallMillis(12'500));
}

TEST_F(PassTest, a_tombstone_in_the_clean_part_goes_too) {
  log_.add({{"a", std::nullopt}});
  log_.compact(map_, log_.all(10'000));
  log_.add({{"b", "1"}});
  PassOptions options = log_.all(20'000);
  options.dirty_begin = Offset(1);
  log_.compact(map_, options);
  EXPECT_EQ(log_.text(), "b=1@1");
}

TEST_F(PassTest, log_append_time_survives_a_rewrite) {
  record::BatchOptions options{.timestamp_type = record::TimestampType::log_append_time,
                               .log_append_time = WallMillis(7'777)};
  log_.add({{"a", "1"}, {"b", std::nullopt}}, options);
  log_.add({{"a", "2"}}, options);
  log_.compact(map_, log_.all());
  ASSERT_EQ(log_.items().size(), 2u);
  for (const test::Item& item : log_.items()) EXPECT_EQ(item.timestamp, 7'777);
}

TEST_F(PassTest, the_last_batch_of_a_remembered_producer_stays_though_it_is_empty) {
  record::BatchOptions producer{.codec = codec::Codec::lz4,
                                .producer_id = ProducerId(7),
                                .producer_epoch = ProducerEpoch(1),
                                .base_sequence = 3};
  log_.add({{"a", "1"}}, producer);
  producer.base_sequence = 4;
  log_.add({{"a", "2"}}, producer);
  log_.add({{"a", "3"}});
  std::vector<ProducerEnd> producers{{ProducerId(7), ProducerEpoch(1), Offset(1)}};
  log_.compact(map_, log_.all(), {}, producers);
  EXPECT_EQ(log_.text(), "a=3@2");
  ASSERT_EQ(log_.batches().size(), 2u);
  record::BatchView kept = TestPartition::view(log_.batches()[0]);
  EXPECT_EQ(kept.record_count(), 0);
  EXPECT_EQ(kept.size(), record::batch_header_bytes);
  EXPECT_EQ(kept.base_sequence(), 4);
  auto before = log_.batches();
  log_.compact(map_, log_.all(), {}, producers);
  EXPECT_EQ(log_.batches(), before);
  log_.compact(map_, log_.all(), {}, {});
  EXPECT_EQ(log_.batches().size(), 1u) << "a forgotten producer needs it no more";
}

TEST_F(PassTest, aborted_data_neither_counts_nor_stays) {
  record::BatchOptions transaction{.producer_id = ProducerId(7),
                                   .producer_epoch = ProducerEpoch(0),
                                   .base_sequence = 0,
                                   .transactional = true};
  log_.add({{"a", "good"}});
  log_.add({{"a", "aborted"}, {"b", "aborted"}}, transaction);
  log_.add_marker(record::MarkerType::abort, 7);
  log_.add({{"c", "committed"}}, transaction);
  log_.add_marker(record::MarkerType::commit, 7);
  std::vector<AbortedTransaction> aborted{{ProducerId(7), Offset(1), Offset(3)}};
  log_.compact(map_, log_.all(), aborted);
  EXPECT_EQ(log_.text(), "a=good@0 c=committed@4");
  ASSERT_EQ(log_.batches().size(), 4u) << "both markers stay: their data was there";
  EXPECT_TRUE(TestPartition::view(log_.batches()[1]).control());
}

TEST_F(PassTest, a_marker_goes_after_its_data_and_its_delete_horizon) {
  record::BatchOptions transaction{.producer_id = ProducerId(7),
                                   .producer_epoch = ProducerEpoch(0),
                                   .base_sequence = 0,
                                   .transactional = true};
  log_.add({{"a", "aborted"}}, transaction);
  log_.add_marker(record::MarkerType::abort, 7);
  log_.add({{"a", "1"}}, transaction);
  log_.add_marker(record::MarkerType::commit, 7);
  log_.add({{"z", "1"}});
  std::vector<AbortedTransaction> aborted{{ProducerId(7), Offset(0), Offset(1)}};
  auto markers = [&] {
    std::size_t count = 0;
    for (const auto& batch : log_.batches()) count += TestPartition::view(batch).control();
    return count;
  };
  log_.compact(map_, log_.all(1'000), aborted);
  EXPECT_EQ(markers(), 2u);
  log_.compact(map_, log_.all(2'000), aborted);
  EXPECT_EQ(markers(), 2u) << "the first run without data sets the horizon";
  record::BatchView marker = TestPartition::view(log_.batches()[0]);
  EXPECT_EQ(marker.base_timestamp(), WallMillis(2'500));
  EXPECT_EQ((*record::read_marker(marker))->type, record::MarkerType::abort);
  log_.compact(map_, log_.all(2'499), aborted);
  EXPECT_EQ(markers(), 2u);
  log_.compact(map_, log_.all(2'500), aborted);
  EXPECT_EQ(markers(), 1u) << "the commit still has its data";
  EXPECT_EQ(log_.text(), "a=1@2 z=1@4");
  log_.add({{"a", "2"}});
  log_.compact(map_, log_.all(3'000));
  EXPECT_EQ(markers(), 1u);
  log_.compact(map_, log_.all(4'000));
  log_.compact(map_, log_.all(5'000));
  EXPECT_EQ(markers(), 0u);
}

TEST_F(PassTest, the_last_marker_of_a_remembered_producer_stays) {
  log_.add_marker(record::MarkerType::commit, 7);
  std::vector<ProducerEnd> producers{{ProducerId(7), ProducerEpoch(0), std::nullopt}};
  for (std::int64_t now : {1'000, 2'000, 3'000}) log_.compact(map_, log_.all(now), {}, producers);
  EXPECT_EQ(log_.batches().size(), 1u);
}

TEST_F(PassTest, a_full_map_ends_the_run_and_the_next_one_goes_on_there) {
  KeyMap small(20 * 5);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 20; ++i)
      log_.add({{"k" + std::to_string(i), std::to_string(round)}, {"same", std::to_string(i)}});
  PassOptions options = log_.all();
  int runs = 0;
  while (options.dirty_begin < log_.end()) {
    Offset end = log_.compact(small, options);
    ASSERT_GT(end, options.dirty_begin) << "every run gets on";
    options.dirty_begin = end;
    ASSERT_LT(++runs, 100);
  }
  EXPECT_GT(runs, 5);
  std::vector<test::Item> items = log_.items();
  ASSERT_EQ(items.size(), 21u);
  for (const test::Item& item : items) EXPECT_GE(item.offset, 40);
}

TEST_F(PassTest, a_batch_that_was_written_so_that_it_does_not_parse_stays) {
  log_.add({{"a", "1"}, {"b", "1"}});
  log_.add({{"a", "2"}});
  log_.add({{"b", "2"}});
  // Its only record claims an offset beyond the batch.
  auto& odd = log_.batches()[1];
  odd[record::batch_header_bytes + 3] = std::byte{100};
  record::set_log_append_time(odd, WallMillis(1'000));  // sets the checksum
  const auto before = odd;
  log_.compact(map_, log_.all());
  EXPECT_EQ(log_.stats().unreadable_kept, 1u);
  ASSERT_EQ(log_.batches().size(), 3u);
  EXPECT_EQ(log_.batches()[1], before);
  EXPECT_EQ(TestPartition::view(log_.batches()[0]).record_count(), 1);
}

TEST_F(PassTest, damage_is_an_error_that_names_the_offset) {
  log_.add({{"a", "1"}});
  log_.add({{"b", "1"}}, {.codec = codec::Codec::zstd});
  log_.batches()[1][record::batch_header_bytes + 2] ^= std::byte{0xff};
  Pass pass(log_.all(), map_, {}, {});
  EXPECT_TRUE(pass.index(TestPartition::view(log_.batches()[0])).has_value());
  auto outcome = pass.index(TestPartition::view(log_.batches()[1]));
  ASSERT_FALSE(outcome.has_value());
  EXPECT_NE(outcome.error().message.find("offset 1"), std::string::npos);
  EXPECT_FALSE(pass.filter(TestPartition::view(log_.batches()[1])).has_value());
}

TEST(ClosingBatch, has_no_records_and_the_wanted_last_offset) {
  Buffer batch = closing_batch({Offset(41), LeaderEpoch(3), WallMillis(77)});
  auto view = record::BatchView::front_of(batch.data());
  ASSERT_TRUE(view.has_value());
  EXPECT_TRUE(view->checksum_ok());
  EXPECT_EQ(view->base_offset(), Offset(41));
  EXPECT_EQ(view->last_offset(), Offset(41));
  EXPECT_EQ(view->record_count(), 0);
  EXPECT_EQ(view->leader_epoch(), LeaderEpoch(3));
  EXPECT_EQ(view->max_timestamp(), WallMillis(77));
}

/// Random logs against a model that knows the whole history: after every run, whoever reads from
/// the beginning sees the last value of every key, and nothing that the model does not have.
TEST(CompactedView, equals_a_model) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    auto below = [&](std::uint64_t bound) { return random() % bound; };
    TestPartition log;
    KeyMap map(20 * (4 + below(40)));
    std::map<std::string, test::Item> latest;
    std::map<std::int64_t, test::Item> history;
    Offset compacted_to;
    std::int64_t now = 1'000;
    for (int round = 0; round < 30; ++round) {
      std::int64_t base = log.end().value;
      std::vector<Pair> records;
      for (std::uint64_t i = 1 + below(6); i > 0; --i) {
        std::string key = "k" + std::to_string(below(25));
        Pair record{key, std::to_string(random())};
        if (below(4) == 0) record.second = std::nullopt;
        test::Item item{base + static_cast<std::int64_t>(records.size()), key, record.second, now};
        latest[key] = item;
        history[item.offset] = item;
        records.push_back(record);
      }
      log.add(records, {.codec = kCodecs[below(5)]}, now);
      now += static_cast<std::int64_t>(below(300));
      if (below(3) != 0) continue;
      PassOptions options = log.all(now);
      options.dirty_begin = compacted_to;
      compacted_to = log.compact(map, options);

      std::map<std::string, test::Item> seen;
      std::int64_t before = -1;
      for (const test::Item& item : log.items()) {
        ASSERT_GT(item.offset, before);
        before = item.offset;
        ASSERT_EQ(item, history.at(item.offset));
        auto [place, fresh] = seen.insert_or_assign(*item.key, item);
        if (!fresh) ASSERT_GE(item.offset, compacted_to.value) << "a key twice in the clean part";
      }
      for (const auto& [key, item] : latest) {
        if (seen.contains(key)) {
          ASSERT_EQ(seen.at(key), item);
        } else {
          ASSERT_FALSE(item.value.has_value()) << key << " is lost";
          ASSERT_LE(item.timestamp + 500, now) << "a tombstone went too early";
        }
      }
    }
  }
}

}  // namespace
}  // namespace weir::compaction
