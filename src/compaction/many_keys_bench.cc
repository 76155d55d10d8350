// A partition with far more keys than fit into memory: as many runs as it takes, each decided by
// what the one before left. 50 million keys with 256 MiB, and a hundredth of both.
//
// The records are made anew for each run instead of being read from a store. What earlier runs
// dropped is one bit per record.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "compaction/pass.h"
#include "record/builder.h"

namespace weir::compaction {
namespace {

constexpr std::int64_t kRecordsPerBatch = 1'000;

/// Keys 0 … keys - 1 in their order, and every fifth of them once more behind.
struct Log {
  std::int64_t keys = 0;

  std::int64_t records() const { return keys + keys / 5; }
  std::int64_t key_at(std::int64_t offset) const {
    return offset < keys ? offset : (offset - keys) * 5;
  }
  /// Of the records from `first` on, those that are not dropped; empty if none is left.
  Buffer batch(std::int64_t first, const std::vector<bool>& dropped) const {
    std::int64_t end = std::min(first + kRecordsPerBatch, records());
    record::BatchBuilder builder(
        {.base_offset = Offset(first),
         .last_offset_delta_min = static_cast<std::int32_t>(end - first - 1)});
    bool any = false;
    for (std::int64_t offset = first; offset < end; ++offset) {
      if (dropped[static_cast<std::size_t>(offset)]) continue;
      std::array<std::byte, 8> key{};
      std::int64_t number = key_at(offset);
      std::memcpy(key.data(), &number, sizeof number);
      builder.append_at(Offset(offset),
                        {.timestamp = WallMillis(1), .key = Bytes(key), .value = Bytes(key)});
      any = true;
    }
    return any ? std::move(builder).finish().value() : Buffer();
  }
};

/// One run. Offset up to which all is clean afterwards.
Offset run_once(const Log& log, KeyMap& map, Offset from, std::vector<bool>& dropped) {
  Pass pass({.dirty_begin = from, .dirty_end = Offset(log.records()), .now = WallMillis(2)}, map,
            {}, {});
  for (std::int64_t first = from.value / kRecordsPerBatch * kRecordsPerBatch; first < log.records();
       first += kRecordsPerBatch) {
    Buffer batch = log.batch(first, dropped);
    if (batch.size() == 0) continue;
    if (!pass.index(record::BatchView::front_of(batch.data()).value()).value()) break;
  }
  for (std::int64_t first = 0; first < pass.end().value; first += kRecordsPerBatch) {
    Buffer batch = log.batch(first, dropped);
    if (batch.size() == 0) continue;
    auto filtered = pass.filter(record::BatchView::front_of(batch.data()).value()).value();
    if (filtered.kind == Pass::Filtered::Kind::original) continue;
    std::vector<bool> kept(static_cast<std::size_t>(kRecordsPerBatch));
    if (filtered.kind == Pass::Filtered::Kind::rewritten) {
      auto reader =
          record::RecordReader::open(record::BatchView::front_of(filtered.batch.data()).value());
      for (auto record = reader->next(); record && *record; record = reader->next())
        kept[static_cast<std::size_t>((*record)->offset.value - first)] = true;
    }
    std::int64_t end = std::min(first + kRecordsPerBatch, log.records());
    for (std::int64_t offset = first; offset < end; ++offset)
      if (!kept[static_cast<std::size_t>(offset - first)])
        dropped[static_cast<std::size_t>(offset)] = true;
  }
  return pass.end();
}

void many_keys(benchmark::State& bench) {
  Log log{bench.range(0)};
  KeyMap map(static_cast<std::size_t>(bench.range(1)));
  int runs = 0;
  std::int64_t left = 0;
  for (auto _ : bench) {
    std::vector<bool> dropped(static_cast<std::size_t>(log.records()));
    runs = 0;
    for (Offset clean(0); clean < Offset(log.records()); ++runs)
      clean = run_once(log, map, clean, dropped);
    left = log.records() - std::count(dropped.begin(), dropped.end(), true);
  }
  ENSURE(left == log.keys);
  ENSURE(map.memory_bytes() <= static_cast<std::size_t>(bench.range(1)));
  bench.counters["runs"] = runs;
  bench.counters["map_MiB"] = static_cast<double>(map.memory_bytes()) / (1u << 20);
}

BENCHMARK(many_keys)
    ->Args({500'000, (256 << 20) / 100})
    ->Args({50'000'000, 256 << 20})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace weir::compaction

BENCHMARK_MAIN();
