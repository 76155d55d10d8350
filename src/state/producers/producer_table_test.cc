#include "state/producers/producer_table.h"

#include <gtest/gtest.h>

#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::run_of;

/// Partitions 0 to 3 and a table that has room for three producers.
class ProducerTableTest : public ::testing::Test {
 protected:
  ProducerTableTest() {
    for (std::int32_t p = 0; p < 4; ++p) {
      Slot slot = partitions_.allocate();
      ledger_.edit(partitions_[slot], [&](Partition& unit, EditKey key) {
        unit.create(key, {testing::topic_id("t"), PartitionIndex(p)});
      });
    }
  }

  void append(std::int64_t producer, Slot partition) {
    ProducerRun run = run_of(producer, 0, 0);
    table_.accept(ledger_, partition, run, {Position(++uses_), uses_, Offset(0), 1, 1});
  }
  std::vector<std::int64_t> known() const {
    std::vector<std::int64_t> ids;
    for (std::int64_t id = 0; id < 10; ++id) {
      if (table_.find(ProducerId(id)) != nullptr) ids.push_back(id);
    }
    return ids;
  }

  Ledger ledger_;
  Slab<Partition> partitions_;
  ProducerTable table_{partitions_, 3};
  std::uint64_t uses_ = 0;
};

TEST_F(ProducerTableTest, the_longest_idle_producer_makes_room_with_all_its_partitions) {
  append(1, 0);
  append(2, 0);
  append(3, 0);
  append(1, 1);  // 2 is the longest idle now
  append(4, 2);
  EXPECT_EQ(known(), (std::vector<std::int64_t>{1, 3, 4}));
  append(5, 2);
  append(6, 2);
  EXPECT_EQ(known(), (std::vector<std::int64_t>{4, 5, 6}));
  EXPECT_EQ(table_.sequences_count(), 3u);
}

TEST_F(ProducerTableTest, a_deleted_partition_takes_the_producers_that_are_nowhere_else) {
  append(1, 0);
  append(1, 1);
  append(2, 0);
  table_.forget_partition(ledger_, 0);
  EXPECT_EQ(known(), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(table_.sequences_count(), 1u);
  table_.forget_partition(ledger_, 1);
  EXPECT_TRUE(known().empty());
  EXPECT_EQ(ledger_.digest(), [&] {
    Hash128 partitions;
    for (Slot slot = 0; slot < 4; ++slot) partitions += partitions_[slot].hash();
    return partitions;
  }());
}

TEST_F(ProducerTableTest, the_order_of_use_survives_a_snapshot_in_any_order) {
  RunMemory runs;
  runs.accept(run_of(1, 0, 0), 1, 1, Offset(0));
  for (auto [id, use] : {std::pair{1, 30}, {2, 10}, {3, 20}}) {
    ASSERT_TRUE(table_.restore_producer(ledger_, ProducerId(id), Position(1),
                                        static_cast<std::uint64_t>(use)));
    ASSERT_TRUE(table_.restore_sequences(ledger_, 0, ProducerId(id), runs));
  }
  ASSERT_TRUE(table_.restore_order());
  append(4, 0);
  EXPECT_EQ(known(), (std::vector<std::int64_t>{1, 3, 4}));
  append(5, 0);
  EXPECT_EQ(known(), (std::vector<std::int64_t>{1, 4, 5}));
}

TEST_F(ProducerTableTest, contradictions_of_a_snapshot_are_refused) {
  RunMemory runs;
  runs.accept(run_of(1, 0, 0), 1, 1, Offset(0));
  EXPECT_FALSE(table_.restore_sequences(ledger_, 0, ProducerId(1), runs));  // unknown producer
  ASSERT_TRUE(table_.restore_producer(ledger_, ProducerId(1), Position(1), 5));
  EXPECT_FALSE(table_.restore_producer(ledger_, ProducerId(1), Position(1), 6));
  EXPECT_FALSE(table_.restore_order());  // without sequences
  ASSERT_TRUE(table_.restore_sequences(ledger_, 0, ProducerId(1), runs));
  EXPECT_FALSE(table_.restore_sequences(ledger_, 0, ProducerId(1), runs));
  EXPECT_TRUE(table_.restore_order());
  ASSERT_TRUE(table_.restore_producer(ledger_, ProducerId(2), Position(1), 5));
  ASSERT_TRUE(table_.restore_sequences(ledger_, 0, ProducerId(2), runs));
  EXPECT_FALSE(table_.restore_order());  // two with one use
}

}  // namespace
}  // namespace weir::state
