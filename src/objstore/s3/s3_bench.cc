// What the driver itself costs: processor time of this process per GiB of 8 MiB puts and gets
// (signing, checksums, HTTP, copies), on all its threads. The server is another process:
//
//   WEIR_TEST_S3_URL, WEIR_TEST_S3_KEY, WEIR_TEST_S3_SECRET as in real_server_for_test.h
//
// The counter cpu_s_per_GiB is what counts; throughput is the server's.
#include <benchmark/benchmark.h>

#include <ctime>

#include "objstore/s3/real_server_for_test.h"

namespace weir::objstore::s3 {
namespace {

constexpr std::size_t kObjectBytes = std::size_t{8} << 20;
constexpr std::size_t kInFlight = 8;

/// A segment as the broker has it: many parts.
BytesChain segment() {
  BytesChain chain;
  std::string bytes = pattern_bytes(kObjectBytes / 512, 11);
  for (int i = 0; i < 512; ++i) chain.append(SharedBytes::copy_of(as_bytes(bytes)));
  return chain;
}

template <class Start>
void measure(benchmark::State& state, RealServer& server, Start start) {
  double processor = 0;
  for (auto _ : state) {
    std::clock_t begin = std::clock();
    auto results = start();
    processor += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    for (auto& result : results)
      if (!result) state.SkipWithError(result.error().message.c_str());
  }
  double bytes = static_cast<double>(state.iterations()) * kInFlight * kObjectBytes;
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  state.counters["cpu_s_per_GiB"] = processor / (bytes / (1u << 30));
  state.counters["connections"] = static_cast<double>(server.http_client().connections_opened());
}

void put_segments(benchmark::State& state) {
  if (variable("WEIR_TEST_S3_URL").empty())
    return state.SkipWithError("WEIR_TEST_S3_URL is not set");
  RealServer server;
  BytesChain body = segment();
  measure(state, server, [&] {
    std::vector<rt::Task<Result<std::string>>> puts;
    for (std::size_t i = 0; i < kInFlight; ++i)
      puts.push_back(server.store().put("bench/" + std::to_string(i), body));
    return run_all(server.runner(), std::move(puts));
  });
}
BENCHMARK(put_segments)->UseRealTime()->Unit(benchmark::kMillisecond);

void get_segments(benchmark::State& state) {
  if (variable("WEIR_TEST_S3_URL").empty())
    return state.SkipWithError("WEIR_TEST_S3_URL is not set");
  RealServer server;
  if (auto put = run_one(server.runner(), server.store().put("bench/get", segment())); !put)
    return state.SkipWithError(put.error().message.c_str());
  measure(state, server, [&] {
    std::vector<rt::Task<Result<SharedBytes>>> gets;
    for (std::size_t i = 0; i < kInFlight; ++i)
      gets.push_back(server.store().get_range("bench/get", 0, kObjectBytes));
    return run_all(server.runner(), std::move(gets));
  });
}
BENCHMARK(get_segments)->UseRealTime()->Unit(benchmark::kMillisecond);

/// Small objects: what one request costs.
void put_small(benchmark::State& state) {
  if (variable("WEIR_TEST_S3_URL").empty())
    return state.SkipWithError("WEIR_TEST_S3_URL is not set");
  RealServer server;
  BytesChain body = chain_of(pattern_bytes(4096, 3));
  double processor = 0;
  std::uint64_t requests = 0;
  for (auto _ : state) {
    std::vector<rt::Task<Result<std::string>>> puts;
    for (std::size_t i = 0; i < 64; ++i)
      puts.push_back(server.store().put("bench/s" + std::to_string(i), body));
    requests += puts.size();
    std::clock_t begin = std::clock();
    auto results = run_all(server.runner(), std::move(puts));
    processor += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }
  state.counters["cpu_us_per_request"] = processor * 1e6 / static_cast<double>(requests);
}
BENCHMARK(put_small)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::objstore::s3

BENCHMARK_MAIN();
