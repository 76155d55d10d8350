// What the cache costs: a look-up of each fetched region, and the turnover when it is full.
#include <benchmark/benchmark.h>

#include "engine/cache.h"
#include "rt/random.h"

namespace weir::engine {
namespace {

constexpr std::size_t kRegionBytes = 64u << 10;

RegionKey key(std::uint64_t n) { return {n / 16, 7, n % 16, n * kRegionBytes}; }

void look_up(benchmark::State& bench) {
  const auto regions = static_cast<std::uint64_t>(bench.range(0));
  Metrics metrics;
  MemoryPool pool("cache", std::size_t{1} << 40);
  Cache cache(pool, metrics);
  // One block for all: only the index is looked at.
  const SharedBytes block = Buffer::make(kRegionBytes);
  for (std::uint64_t i = 0; i < regions; ++i) cache.insert(key(i), block, Cache::Age::tail);
  rt::SeededRandom random(1);
  for (auto _ : bench) benchmark::DoNotOptimize(cache.find(key(random.below(regions))));
}
BENCHMARK(look_up)->Arg(100)->Arg(10'000)->Arg(1'000'000);

/// Each insertion pushes an old region out.
void turn_over(benchmark::State& bench) {
  Metrics metrics;
  MemoryPool pool("cache", 64u << 20);
  Cache cache(pool, metrics);
  std::uint64_t n = 0;
  for (auto _ : bench)
    cache.insert(key(n++), SharedBytes(Buffer::make(kRegionBytes)), Cache::Age::tail);
  bench.SetBytesProcessed(bench.iterations() * static_cast<std::int64_t>(kRegionBytes));
}
BENCHMARK(turn_over);

}  // namespace
}  // namespace weir::engine

BENCHMARK_MAIN();
