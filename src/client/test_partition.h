// What a TestBroker keeps: partitions in memory, with the sequence check of a real broker.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "record/batch_edit.h"
#include "record/batch_view.h"

namespace weir::client {

struct TestPartition {
  static constexpr std::int16_t kOutOfOrder = 45;
  static constexpr std::int16_t kDuplicate = 46;

  std::vector<SharedBytes> batches;
  std::int64_t end = 0;
  /// Producer id -> next sequence.
  std::map<std::int64_t, std::int32_t> next_sequence;

  /// Kafka's error code; 0 and the offset of the first record on success.
  std::int16_t append(const SharedBytes& bytes, std::int64_t& base_offset) {
    SharedBytes copy = SharedBytes::copy_of(bytes.view());
    auto batch = record::BatchView::front_of(copy.view());
    EXPECT_TRUE(batch);
    if (!batch) return -1;
    EXPECT_TRUE(batch->checksum_ok());
    EXPECT_EQ(batch->size(), copy.size()) << "exactly one batch";
    if (batch->has_producer()) {
      std::int32_t& next = next_sequence[batch->producer_id().value];
      if (batch->base_sequence() < next) return kDuplicate;
      if (batch->base_sequence() > next) return kOutOfOrder;
      next += batch->record_count();
    }
    base_offset = end;
    record::stamp_batch(copy.mutable_view(),
                        {.base_offset = Offset(end), .leader_epoch = LeaderEpoch(0)});
    end += batch->record_count();
    batches.push_back(std::move(copy));
    return 0;
  }

  /// Of the first batch at or after a time, which is exact enough here; -1 if there is none.
  std::int64_t first_at(std::int64_t timestamp) const {
    for (const SharedBytes& batch : batches) {
      auto view = record::BatchView::front_of(batch.view());
      if (view->max_timestamp().value >= timestamp) return view->base_offset().value;
    }
    return -1;
  }
};

struct TestTopic {
  TopicId id;
  std::vector<TestPartition> partitions;
  std::map<std::string, std::string> configs;
};

}  // namespace weir::client
