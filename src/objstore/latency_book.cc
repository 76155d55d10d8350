#include "objstore/latency_book.h"

#include <algorithm>

namespace weir::objstore {

std::size_t LatencyBook::size_class(std::uint64_t bytes) {
  std::size_t index = 0;
  for (std::uint64_t bound = 16u << 10; bytes > bound && index + 1 < kSizes; bound *= 4) ++index;
  return index;
}

void LatencyBook::observe(Verb verb, std::uint64_t bytes, Duration latency) {
  Page& page = pages_[index_of(verb)][size_class(bytes)];
  if (page.samples.size() < kLatencySamplesMax) {
    page.samples.push_back(latency);
  } else {
    page.samples[page.next] = latency;
    page.next = (page.next + 1) % kLatencySamplesMax;
  }
  if (page.samples.size() < kLatencySamplesMin) return;
  if (page.p95 && ++page.since_update < kLatencySamplesPerUpdate) return;
  page.since_update = 0;
  std::vector<Duration> sorted = page.samples;
  auto at = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * 95 / 100);
  std::ranges::nth_element(sorted, at);
  page.p95 = *at;
}

std::optional<Duration> LatencyBook::p95(Verb verb, std::uint64_t bytes) const {
  return pages_[index_of(verb)][size_class(bytes)].p95;
}

}  // namespace weir::objstore
