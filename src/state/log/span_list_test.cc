#include "state/log/span_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "state/ledger.h"
#include "state/log/partition.h"

namespace weir::state {
namespace {

Span random_span(Offset base, ObjectId last_object, std::mt19937_64& random) {
  Span span;
  span.base = base;
  span.records = static_cast<std::int32_t>(1 + random() % 100);
  span.bytes = static_cast<std::uint32_t>(1 + random() % 100'000);
  bool same = random() % 4 == 0;
  span.object = same ? last_object
                     : ObjectId::make(last_object.sequence() + random() % 1'000, random() % 3 == 0);
  if (random() % 20 == 0) span.object = ObjectId{random() >> 2};
  span.first_byte = static_cast<std::uint32_t>(random() % 3 == 0 ? 0 : random());
  span.max_timestamp_ms =
      static_cast<std::int64_t>(random() % 10 == 0 ? random() : random() % 1'000);
  span.epoch = LeaderEpoch(static_cast<std::int32_t>(random() % 10 == 0 ? random() >> 33 : 7));
  return span;
}

std::vector<Span> spans_from(const Partition& partition, Offset from) {
  std::vector<Span> found;
  partition.spans().visit_from(from, [&](const Span& span) {
    found.push_back(span);
    return true;
  });
  return found;
}

/// The list against a plain vector, through all that a partition does with it.
TEST(SpanList, agrees_with_a_vector) {
  std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 30; ++round) {
    Ledger ledger;
    Partition partition;
    std::vector<Span> model;
    ObjectId object;
    for (int step = 0; step < 400; ++step) {
      if (random() % 10 != 0) {
        Span span = random_span(partition.end(), object, random);
        object = span.object;
        ledger.edit(partition, [&](Partition& p, EditKey key) { p.append(key, span); });
        model.push_back(span);
      } else {
        auto room = static_cast<std::uint64_t>(partition.end().value - partition.start().value);
        Offset start(partition.start().value +
                     static_cast<std::int64_t>(random() % (room / 3 + 1)));
        std::vector<Span> dropped;
        ledger.edit(partition, [&](Partition& p, EditKey key) {
          p.advance_start(key, start, [&](const Span& span) { dropped.push_back(span); });
        });
        auto kept = std::find_if(model.begin(), model.end(),
                                 [&](const Span& span) { return span.end() > start; });
        EXPECT_EQ(dropped, std::vector<Span>(model.begin(), kept));
        model.erase(model.begin(), kept);
      }
      ASSERT_EQ(partition.spans().count(), model.size());
    }
    ASSERT_EQ(spans_from(partition, Offset(0)), model);
    for (int look = 0; look < 50 && !model.empty(); ++look) {
      Offset from(static_cast<std::int64_t>(random() %
                                            static_cast<std::uint64_t>(partition.end().value + 2)));
      auto first = std::find_if(model.begin(), model.end(),
                                [&](const Span& span) { return span.end() > from; });
      ASSERT_EQ(spans_from(partition, from), std::vector<Span>(first, model.end()));
    }
    std::uint64_t bytes = 0;
    for (const Span& span : model) bytes += span.bytes;
    EXPECT_EQ(partition.bytes(), bytes);
  }
}

TEST(SpanList, finds_timestamps_as_a_scan_would) {
  std::mt19937_64 random(5);
  Ledger ledger;
  Partition partition;
  std::vector<Span> model;
  for (int i = 0; i < 500; ++i) {
    Span span = random_span(partition.end(), ObjectId(), random);
    ledger.edit(partition, [&](Partition& p, EditKey key) { p.append(key, span); });
    model.push_back(span);
  }
  for (std::int64_t timestamp = 0; timestamp < 1'000; timestamp += 7) {
    std::vector<Span> found;
    partition.spans().visit_with_timestamp(timestamp, [&](const Span& span) {
      found.push_back(span);
      return true;
    });
    std::vector<Span> expected;
    for (const Span& span : model) {
      if (span.max_timestamp_ms >= timestamp) expected.push_back(span);
    }
    ASSERT_EQ(found, expected);
  }
  auto greatest = std::max_element(model.begin(), model.end(), [](const Span& a, const Span& b) {
    return a.max_timestamp_ms < b.max_timestamp_ms;
  });
  EXPECT_EQ(partition.spans().max_timestamp_ms(), greatest->max_timestamp_ms);
}

}  // namespace
}  // namespace weir::state
