// What the produce path costs per batch: one checksum pass and some header arithmetic.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "codec/crc32c.h"
#include "record/builder.h"
#include "record/reader.h"
#include "record/validate.h"
#include "record/validate_records.h"

namespace weir::record {
namespace {

const TimestampRules kTimes{.now = WallMillis(1'700'000'000'000)};

Buffer batch_of(std::size_t size, codec::Codec codec) {
  std::string value(1000, 'v');
  BatchBuilder builder({.codec = codec});
  for (int i = 0; builder.bytes_uncompressed() < size; ++i) {
    std::string key = "key-" + std::to_string(i);
    builder.append({.timestamp = kTimes.now, .key = as_bytes(key), .value = as_bytes(value)});
  }
  auto batch = std::move(builder).finish();
  ENSURE(batch.has_value());
  return *batch;
}

void set_bytes(benchmark::State& state, std::size_t each) {
  state.SetBytesProcessed(static_cast<std::int64_t>(each) *
                          static_cast<std::int64_t>(state.iterations()));
}

void crc32c_throughput(benchmark::State& state) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(state.range(0)), std::byte{7});
  for (auto _ : state) benchmark::DoNotOptimize(codec::crc32c(bytes));
  set_bytes(state, bytes.size());
}
BENCHMARK(crc32c_throughput)->Arg(64)->Arg(4 << 10)->Arg(256 << 10)->Arg(8 << 20);

void validate(benchmark::State& state) {
  Buffer batch = batch_of(static_cast<std::size_t>(state.range(0)), codec::Codec::none);
  BatchRules rules{.timestamps = kTimes};
  for (auto _ : state) {
    auto info = validate_batch(batch.data(), rules);
    ENSURE(info.has_value());
    benchmark::DoNotOptimize(info);
  }
  set_bytes(state, batch.size());
}
BENCHMARK(validate)->Arg(1 << 10)->Arg(16 << 10)->Arg(256 << 10);

void validate_deeply(benchmark::State& state) {
  Buffer batch = batch_of(256 << 10, static_cast<codec::Codec>(state.range(0)));
  auto view = BatchView::front_of(batch.data());
  ENSURE(view.has_value());
  std::size_t records_bytes = 0;
  for (auto _ : state) {
    auto report = validate_records(*view, {.keys_required = true, .timestamps = kTimes});
    ENSURE(report && report->ok());
    records_bytes = report->records_bytes;
  }
  set_bytes(state, records_bytes);
}
BENCHMARK(validate_deeply)->DenseRange(0, 4);

}  // namespace
}  // namespace weir::record

BENCHMARK_MAIN();
