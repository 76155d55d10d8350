// A partition of hand-built batches for the tests of compaction.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "compaction/pass.h"
#include "record/builder.h"
#include "record/marker.h"

namespace weir::compaction::test {

struct Item {
  std::int64_t offset = 0;
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::int64_t timestamp = 0;

  friend bool operator==(const Item&, const Item&) = default;
};

inline std::vector<std::byte> copy(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

class TestPartition {
 public:
  using Pair = std::pair<std::optional<std::string>, std::optional<std::string>>;

  /// Appends a batch at the end; `options.base_offset` is set here.
  void add(const std::vector<Pair>& records, record::BatchOptions options = {},
           std::int64_t timestamp = 1'000) {
    options.base_offset = Offset(end_);
    record::BatchBuilder builder(options);
    for (const auto& [key, value] : records) {
      record::NewHeader header{"h", as_bytes("x")};
      record::NewRecord record{.timestamp = WallMillis(timestamp), .headers = {&header, 1}};
      if (key) record.key = as_bytes(*key);
      if (value) record.value = as_bytes(*value);
      builder.append(record);
    }
    batches_.push_back(copy(std::move(builder).finish().value().data()));
    end_ += static_cast<std::int64_t>(records.size());
  }
  void add_marker(record::MarkerType type, std::int64_t producer) {
    record::Marker marker{.type = type,
                          .offset = Offset(end_++),
                          .timestamp = WallMillis(1'000),
                          .producer_id = ProducerId(producer),
                          .producer_epoch = ProducerEpoch(0)};
    batches_.push_back(copy(record::build_marker(marker).data()));
  }

  /// One run; returns where it ended.
  Offset compact(KeyMap& map, PassOptions options, std::vector<AbortedTransaction> aborted = {},
                 std::vector<ProducerEnd> producers = {}) {
    Pass pass(options, map, std::move(aborted), producers);
    for (const auto& batch : batches_) {
      auto more = pass.index(view(batch));
      EXPECT_TRUE(more.has_value());
      if (!more.value_or(false)) break;
    }
    std::vector<std::vector<std::byte>> left;
    for (auto& batch : batches_) {
      if (view(batch).base_offset() >= pass.end()) {
        left.push_back(batch);
        continue;
      }
      auto filtered = pass.filter(view(batch));
      EXPECT_TRUE(filtered.has_value()) << (filtered ? "" : filtered.error().message);
      if (!filtered || filtered->kind == Pass::Filtered::Kind::dropped) continue;
      bool original = filtered->kind == Pass::Filtered::Kind::original;
      left.push_back(original ? batch : copy(filtered->batch.data()));
      expect_same_frame(view(batch), view(left.back()));
    }
    batches_ = std::move(left);
    stats_ = pass.stats();
    return pass.end();
  }

  static record::BatchView view(const std::vector<std::byte>& batch) {
    return record::BatchView::front_of(batch).value();
  }
  /// Data records, decoded strictly.
  std::vector<Item> items() const {
    std::vector<Item> out;
    for (const auto& batch : batches_) {
      EXPECT_TRUE(view(batch).checksum_ok());
      auto reader = record::RecordReader::open(view(batch));
      EXPECT_TRUE(reader.has_value());
      for (auto r = reader->next(); !view(batch).control(); r = reader->next()) {
        EXPECT_TRUE(r.has_value());
        if (!r || !*r) break;
        Item item{.offset = (*r)->offset.value, .timestamp = (*r)->timestamp.value};
        if ((*r)->key) item.key = std::string(as_text(*(*r)->key));
        if ((*r)->value) item.value = std::string(as_text(*(*r)->value));
        EXPECT_EQ((*r)->headers.count(), 1);
        out.push_back(item);
      }
    }
    return out;
  }
  /// "key=value@offset …"; "-" for what is null.
  std::string text() const {
    std::string out;
    for (const Item& item : items())
      out += (out.empty() ? "" : " ") + item.key.value_or("-") + "=" + item.value.value_or("-") +
             "@" + std::to_string(item.offset);
    return out;
  }
  std::vector<std::vector<std::byte>>& batches() { return batches_; }
  Offset end() const { return Offset(end_); }
  const PassStats& stats() const { return stats_; }
  PassOptions all(std::int64_t now = 10'000) const {
    return {.dirty_end = Offset(end_), .now = WallMillis(now), .delete_retention_ms = 500};
  }

 private:
  /// What never changes of a batch.
  static void expect_same_frame(const record::BatchView& before, const record::BatchView& after) {
    EXPECT_EQ(before.base_offset(), after.base_offset());
    EXPECT_EQ(before.last_offset_delta(), after.last_offset_delta());
    EXPECT_EQ(before.leader_epoch(), after.leader_epoch());
    EXPECT_EQ(before.producer_id(), after.producer_id());
    EXPECT_EQ(before.producer_epoch(), after.producer_epoch());
    EXPECT_EQ(before.base_sequence(), after.base_sequence());
    EXPECT_EQ(before.transactional(), after.transactional());
    EXPECT_EQ(before.control(), after.control());
    EXPECT_EQ(before.timestamp_type(), after.timestamp_type());
    if (after.record_count() > 0) EXPECT_EQ(before.codec(), after.codec());
  }

  std::vector<std::vector<std::byte>> batches_;
  std::int64_t end_ = 0;
  PassStats stats_;
};

}  // namespace weir::compaction::test
