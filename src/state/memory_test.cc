// What the state takes in memory: the goals, measured at the allocator.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>

#include "state/commands/append_spans.h"
#include "state/limits.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::broker_id;
using testing::Cluster;
using testing::encoded;
using testing::id_of;
using testing::plain_span;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define WEIR_ALLOCATOR_IS_REPLACED
#endif
#endif

std::size_t allocated_bytes() {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Folds appends without the detour over bytes, which would take most of the time.
class Appender {
 public:
  explicit Appender(Cluster& cluster)
      : state_(cluster.state()), counter_(*state_.last_counter(broker_id(1))) {
    entry_.groups.resize(1);
    entry_.groups[0].incarnation = broker_id(1);
    entry_.groups[0].commands.resize(1);
  }

  void append(std::span<const NewSpan> spans) {
    command::AppendSpans command;
    command.columns = encode_spans(spans);
    entry_.inline_bytes = 0;
    for (const NewSpan& span : spans) entry_.inline_bytes += span.bytes;
    entry_.header.position = state_.position()->next();
    entry_.header.nonce = id_of<Nonce>(entry_.header.position.value);
    counter_ = counter_.next();
    entry_.groups[0].first = counter_;
    entry_.groups[0].commands[0] = encoded(command);
    Folded folded = state_.apply(entry_);
    for (const ItemOutcome& item : folded.outcomes.at(0).items)
      ENSURE(item.refusal == Refusal::none);
  }

 private:
  State& state_;
  CommandCounter counter_;
  EntryView entry_;
};

/// 100,000 partitions with 10 spans each: the 10 flushes go through 3,000 partitions at a time.
TEST(Memory, of_a_hundred_thousand_partitions_with_ten_spans_is_below_sixty_megabytes) {
#ifdef WEIR_ALLOCATOR_IS_REPLACED
  GTEST_SKIP() << "the allocator is a sanitizer's";
#endif
  std::size_t before = allocated_bytes();
  Cluster cluster;
  std::vector<TopicId> topics;
  for (int i = 0; i < 100; ++i)
    topics.push_back(cluster.add_topic("topic-" + std::to_string(i), 1'000));
  Appender appender(cluster);
  for (std::int64_t round = 0; round < 10; ++round) {
    std::vector<NewSpan> spans;
    for (TopicId topic : topics) {
      for (std::int32_t partition = 0; partition < 1'000; ++partition) {
        NewSpan span = plain_span(topic, partition, 20 + partition % 50);
        span.bytes = 4'000 + static_cast<std::uint32_t>(partition) * 13;
        span.max_timestamp_ms += round * 200'000 + partition;
        spans.push_back(span);
        if (spans.size() < 3'000) continue;
        appender.append(spans);
        spans.clear();
      }
    }
    appender.append(spans);
  }
  std::size_t bytes = allocated_bytes() - before;
  RecordProperty("bytes", std::to_string(bytes));
  EXPECT_EQ(cluster.state().counts().spans, 1'000'000u);
  EXPECT_LT(bytes, std::size_t{60} << 20);
  std::printf("100,000 partitions with 10 spans: %.1f MB\n", static_cast<double>(bytes) / 1e6);
}

TEST(Memory, of_a_million_one_span_inline_entries_is_below_forty_megabytes) {
#ifdef WEIR_ALLOCATOR_IS_REPLACED
  GTEST_SKIP() << "the allocator is a sanitizer's";
#endif
  std::size_t before = allocated_bytes();
  Cluster cluster;
  std::vector<TopicId> topics;
  for (int i = 0; i < 100; ++i)
    topics.push_back(cluster.add_topic("topic-" + std::to_string(i), 100));
  Appender appender(cluster);
  std::vector<NewSpan> spans(1);
  for (std::int64_t i = 0; i < 1'000'000; ++i) {
    auto partition = static_cast<std::int32_t>(i * 7'919 % 10'000);
    spans[0] = plain_span(topics[static_cast<std::size_t>(partition / 100)], partition % 100,
                          1 + static_cast<std::int32_t>(i % 40));
    spans[0].max_timestamp_ms += i * 5;
    appender.append(spans);
  }
  std::size_t bytes = allocated_bytes() - before;
  RecordProperty("bytes", std::to_string(bytes));
  EXPECT_EQ(cluster.state().counts().inline_objects, 1'000'000u);
  EXPECT_LE(bytes, std::size_t{40} << 20);
  std::printf("1,000,000 inline entries: %.1f MB\n", static_cast<double>(bytes) / 1e6);
}

}  // namespace
}  // namespace weir::state
