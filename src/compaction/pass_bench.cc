// What compaction costs per byte of input: both phases over records of 1 KiB and of 100 bytes.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/hash.h"
#include "compaction/pass.h"
#include "record/builder.h"

namespace weir::compaction {
namespace {

constexpr std::size_t kInputBytes = 64u << 20;
constexpr std::size_t kBatchBytes = 64u << 10;

struct Input {
  std::vector<Buffer> batches;
  std::size_t bytes = 0;
  std::size_t raw_bytes = 0;
  std::int64_t records = 0;
};

/// Values of words, so that the codecs find something.
std::string value_of(std::uint64_t seed, std::size_t size) {
  std::string value;
  while (value.size() < size) {
    seed = seed * 6'364'136'223'846'793'005u + 1;
    value += "field" + std::to_string(seed >> 56) + "=" + std::to_string(seed >> 44) + ";";
  }
  value.resize(size);
  return value;
}

/// Every key four times.
Input input_of(codec::Codec codec, std::size_t value_bytes) {
  Input input;
  std::int64_t keys = static_cast<std::int64_t>(kInputBytes / value_bytes / 4);
  while (input.raw_bytes < kInputBytes) {
    record::BatchBuilder builder({.base_offset = Offset(input.records), .codec = codec});
    while (builder.bytes_uncompressed() < kBatchBytes) {
      auto n = static_cast<std::uint64_t>(input.records);
      std::uint64_t mixed = hash64(std::as_bytes(std::span(&n, 1)));
      std::string key = "key-" + std::to_string(static_cast<std::int64_t>(mixed >> 1) % keys);
      std::string value = value_of(mixed, value_bytes);
      builder.append({.timestamp = WallMillis(1), .key = as_bytes(key), .value = as_bytes(value)});
      ++input.records;
    }
    input.raw_bytes += builder.bytes_uncompressed();
    input.batches.push_back(std::move(builder).finish().value());
    input.bytes += input.batches.back().size();
  }
  return input;
}

void compact(benchmark::State& state, codec::Codec codec, std::size_t value_bytes) {
  Input input = input_of(codec, value_bytes);
  KeyMap map(256u << 20);
  std::uint64_t kept = 0;
  for (auto _ : state) {
    Pass pass({.dirty_end = Offset(input.records), .now = WallMillis(2)}, map, {}, {});
    for (const Buffer& batch : input.batches)
      ENSURE(pass.index(record::BatchView::front_of(batch.data()).value()).value());
    for (const Buffer& batch : input.batches) {
      auto filtered = pass.filter(record::BatchView::front_of(batch.data()).value());
      ENSURE(filtered.has_value());
      benchmark::DoNotOptimize(filtered->batch);
    }
    kept = pass.stats().records_kept;
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(input.raw_bytes) *
                          static_cast<std::int64_t>(state.iterations()));
  state.counters["kept"] = static_cast<double>(kept) / static_cast<double>(input.records);
  state.counters["stored_ratio"] =
      static_cast<double>(input.bytes) / static_cast<double>(input.raw_bytes);
}

BENCHMARK_CAPTURE(compact, none_1KiB, codec::Codec::none, 1'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compact, none_100B, codec::Codec::none, 100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compact, lz4_1KiB, codec::Codec::lz4, 1'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compact, zstd_1KiB, codec::Codec::zstd, 1'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::compaction

BENCHMARK_MAIN();
