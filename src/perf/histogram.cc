#include "perf/histogram.h"

#include <bit>
#include <cmath>

namespace weir::perf {

// Values below 2^(bits+1) have a bucket each; above, the top `bits`+1 bits of a value choose it.
std::size_t LatencyHistogram::bucket_of(std::uint64_t value) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  if (width <= kStepBits + 1) return value;
  const unsigned shift = width - kStepBits - 1;
  return (std::size_t{shift} << kStepBits) + (value >> shift);
}

std::uint64_t LatencyHistogram::upper_edge(std::size_t bucket) {
  if (bucket < std::size_t{2} << kStepBits) return bucket;
  const auto shift = static_cast<unsigned>((bucket >> kStepBits) - 1);
  const std::uint64_t top = bucket - (std::size_t{shift} << kStepBits);
  return ((top + 1) << shift) - 1;
}

LatencyHistogram::LatencyHistogram() : buckets_(bucket_of(INT64_MAX) + 1) {}

void LatencyHistogram::record(Duration took, std::uint64_t times) {
  const std::int64_t value = std::max<std::int64_t>(0, took.count());
  buckets_[bucket_of(static_cast<std::uint64_t>(value))] += times;
  count_ += times;
  max_ = std::max(max_, value);
  sum_ += static_cast<double>(value) * static_cast<double>(times);
}

void LatencyHistogram::add(const LatencyHistogram& other) {
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
}

Duration LatencyHistogram::percentile(double part) const {
  if (count_ == 0) return Duration(0);
  const auto wanted = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return Duration(std::min(static_cast<std::int64_t>(upper_edge(i)), max_));
  }
  return Duration(max_);
}

Duration LatencyHistogram::mean() const {
  if (count_ == 0) return Duration(0);
  return Duration(static_cast<std::int64_t>(sum_ / static_cast<double>(count_)));
}

}  // namespace weir::perf
