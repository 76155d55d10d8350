#include "perf/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "rt/random.h"

namespace weir::perf {
namespace {

TEST(LatencyHistogram, AnEmptyOneSaysNothing) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.percentile(0.99), 0ns);
  EXPECT_EQ(histogram.mean(), 0ns);
}

TEST(LatencyHistogram, PercentilesAreWithinOnePercentOfTheSortedValues) {
  constexpr std::uint64_t kSeed = 7;
  rt::SeededRandom random(kSeed);
  LatencyHistogram histogram;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    auto value = static_cast<std::int64_t>(random.next() >> (20 + random.below(40)));
    values.push_back(value);
    histogram.record(Duration(value));
  }
  std::sort(values.begin(), values.end());
  for (double part : {0.0, 0.1, 0.5, 0.9, 0.99, 0.999}) {
    const auto rank = std::max(0, static_cast<int>(part * 20'000) - 1);
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(rank)]);
    const auto told = static_cast<double>(histogram.percentile(part).count());
    EXPECT_GE(told, exact) << "seed " << kSeed << " part " << part;
    EXPECT_LE(told, exact * 1.01 + 1) << "seed " << kSeed << " part " << part;
  }
  EXPECT_EQ(histogram.percentile(1.0).count(), values.back());
  EXPECT_EQ(histogram.max().count(), values.back());
}

TEST(LatencyHistogram, SmallValuesAreExact) {
  LatencyHistogram histogram;
  for (int i = 1; i <= 200; ++i) histogram.record(Duration(i));
  EXPECT_EQ(histogram.percentile(0.5), 100ns);
  EXPECT_EQ(histogram.mean(), 100ns);
}

TEST(LatencyHistogram, OnesOfSeveralTasksAddUp) {
  LatencyHistogram one, two;
  one.record(10ns, 3);
  two.record(1s);
  one.add(two);
  EXPECT_EQ(one.count(), 4u);
  EXPECT_EQ(one.percentile(0.75), 10ns);
  EXPECT_EQ(one.max(), Duration(1s));
}

TEST(LatencyHistogram, TakesAnyDuration) {
  LatencyHistogram histogram;
  histogram.record(Duration(-5));
  histogram.record(Duration::max());
  EXPECT_EQ(histogram.percentile(0.5), 0ns);
  EXPECT_EQ(histogram.percentile(1), Duration::max());
}

}  // namespace
}  // namespace weir::perf
