// What a hop between loops costs, and what a hop within one does.
#include <benchmark/benchmark.h>

#include "rt/asio/loop_thread.h"

namespace weir::rt::asio {
namespace {

Task<int> hop(AsioLoop& here, AsioLoop& there, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) {
    co_await resume_on(there);
    co_await resume_on(here);
  }
  co_return 0;
}

Task<int> spin(AsioLoop& loop, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) co_await yield(loop);
  co_return 0;
}

Task<int> wait_in_vain(AsioLoop& loop, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) {
    TimerKey key = loop.schedule(loop.now() + 1h, std::noop_coroutine());
    benchmark::DoNotOptimize(loop.cancel(key));
  }
  co_return 0;
}

Task<void> hop_in_scope(AsioLoop& here, AsioLoop& there, std::int64_t times) {
  co_await hop(here, there, times);
}

Task<int> many_hops(AsioLoop& here, AsioLoop& there, std::int64_t tasks, std::int64_t times) {
  Scope scope(here);
  for (std::int64_t i = 0; i < tasks; ++i) scope.spawn(hop_in_scope(here, there, times));
  co_await scope.join();
  co_return 0;
}

/// One round trip, each side asleep when the other posts.
void BM_RoundTripBetweenThreads(benchmark::State& state) {
  LoopThread other("other");
  AsioLoop here;
  constexpr std::int64_t kBatch = 1000;
  for (auto _ : state) block_on(here, hop(here, other.loop(), kBatch));
  state.SetItemsProcessed(state.iterations() * kBatch);
}
BENCHMARK(BM_RoundTripBetweenThreads)->UseRealTime();

/// Round trips of 64 coroutines at once: posts gather in batches.
void BM_BusyRoundTripBetweenThreads(benchmark::State& state) {
  LoopThread other("other");
  AsioLoop here;
  constexpr std::int64_t kTasks = 64;
  constexpr std::int64_t kBatch = 100;
  for (auto _ : state) block_on(here, many_hops(here, other.loop(), kTasks, kBatch));
  state.SetItemsProcessed(state.iterations() * kTasks * kBatch);
}
BENCHMARK(BM_BusyRoundTripBetweenThreads)->UseRealTime();

void BM_Yield(benchmark::State& state) {
  AsioLoop loop;
  constexpr std::int64_t kBatch = 1000;
  for (auto _ : state) block_on(loop, spin(loop, kBatch));
  state.SetItemsProcessed(state.iterations() * kBatch);
}
BENCHMARK(BM_Yield);

void BM_ScheduleAndCancel(benchmark::State& state) {
  AsioLoop loop;
  constexpr std::int64_t kBatch = 1000;
  for (auto _ : state) block_on(loop, wait_in_vain(loop, kBatch));
  state.SetItemsProcessed(state.iterations() * kBatch);
}
BENCHMARK(BM_ScheduleAndCancel);

}  // namespace
}  // namespace weir::rt::asio

BENCHMARK_MAIN();
