// LatencyBook: how long requests of each kind usually take, learned from those that were answered.
//
// A kind is a verb and the size of what it moves, in steps of four: 1 MiB takes longer than 4 KiB,
// and a percentile over both would call every large request slow. Only the last few hundred of a
// kind count, so a store that becomes slower is soon believed. Used on one loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "objstore/limits.h"
#include "objstore/request.h"

namespace weir::objstore {

class LatencyBook {
 public:
  void observe(Verb verb, std::uint64_t bytes, Duration latency);
  /// Nothing until there are kLatencySamplesMin.
  std::optional<Duration> p95(Verb verb, std::uint64_t bytes) const;

 private:
  /// Up to 16 KiB, 64 KiB, …, 16 MiB, more.
  static constexpr std::size_t kSizes = 7;
  struct Page {
    std::vector<Duration> samples;
    /// Where the next one goes once the page is full.
    std::size_t next = 0;
    std::size_t since_update = 0;
    std::optional<Duration> p95;
  };
  static std::size_t size_class(std::uint64_t bytes);

  std::array<std::array<Page, kSizes>, kVerbs> pages_;
};

}  // namespace weir::objstore
