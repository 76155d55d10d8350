// LatencyHistogram: how often something took how long, within one percent, in constant memory.
//
// Log-linear: 128 equal steps between powers of two, so a value is known to better than 1 %
// whatever its size. Recording is an addition; histograms of several tasks add up.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace weir::perf {

class LatencyHistogram {
 public:
  LatencyHistogram();

  /// A negative duration counts as zero: clocks are read in two places.
  void record(Duration took, std::uint64_t times = 1);
  void add(const LatencyHistogram& other);

  std::uint64_t count() const { return count_; }
  /// The smallest recorded step that at least `part` (0 … 1) of all values do not exceed, by its
  /// upper edge; zero if there are none.
  Duration percentile(double part) const;
  Duration mean() const;
  /// Exact.
  Duration max() const { return Duration(max_); }

 private:
  static constexpr unsigned kStepBits = 7;
  static std::size_t bucket_of(std::uint64_t value);
  static std::uint64_t upper_edge(std::size_t bucket);

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::int64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace weir::perf
