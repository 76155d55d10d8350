// What folding and looking up cost. Budgets: 1 µs per span on flushes of 3,000 spans,
// 0.5 µs per partition looked up.
#include <benchmark/benchmark.h>

#include <random>

#include "state/commands/append_spans.h"
#include "state/snapshot/snapshot.h"
#include "state/testing/log_builder.h"

namespace weir::state {
namespace {

using testing::broker_id;
using testing::Cluster;
using testing::encoded;
using testing::plain_span;
using testing::run_of;

constexpr std::int32_t kTopics = 100;
constexpr std::int32_t kPartitionsPerTopic = 1'000;
constexpr std::size_t kFlushSpans = 3'000;

class Flushes {
 public:
  explicit Flushes(bool runs) : runs_(runs) {
    for (std::int32_t i = 0; i < kTopics; ++i)
      topics_.push_back(cluster_.add_topic("topic-" + std::to_string(i), kPartitionsPerTopic));
    sequences_.resize(kTopics * kPartitionsPerTopic);
  }

  State& state() { return cluster_.state(); }
  const std::vector<TopicId>& topics() const { return topics_; }

  /// The next flush: every 33rd partition or so, in order, as a decoded entry.
  EntryView next() {
    std::vector<NewSpan> spans;
    std::size_t stride = sequences_.size() / kFlushSpans;
    for (std::size_t i = random_() % stride; spans.size() < kFlushSpans && i < sequences_.size();
         i += stride) {
      auto partition = static_cast<std::int32_t>(i % kPartitionsPerTopic);
      NewSpan span = plain_span(topics_[i / kPartitionsPerTopic], partition, 20);
      span.max_timestamp_ms += static_cast<std::int64_t>(flush_ * 250 + i % 100);
      if (runs_) {
        span.run = run_of(static_cast<std::int64_t>(i % 5'000), 0, sequences_[i]);
        sequences_[i] += 20;
      }
      spans.push_back(span);
    }
    ++flush_;
    command::AppendSpans command;
    command.columns = encode_spans(spans);
    EntryView entry;
    entry.header.position = state().position()->next();
    entry.inline_bytes = 100'000'000;
    entry.groups.push_back(
        {broker_id(1), state().last_counter(broker_id(1))->next(), {encoded(command)}});
    return entry;
  }

 private:
  bool runs_;
  Cluster cluster_;
  std::vector<TopicId> topics_;
  std::vector<std::int32_t> sequences_;
  std::mt19937_64 random_{1};
  std::size_t flush_ = 0;
};

void fold_flush(benchmark::State& bench, bool runs, bool snapshot) {
  Flushes flushes(runs);
  for (int i = 0; i < 350; ++i) flushes.state().apply(flushes.next());  // ten spans a partition
  std::size_t spans = 0;
  for (auto _ : bench) {
    bench.PauseTiming();
    EntryView entry = flushes.next();
    std::optional<SnapshotWriter> writer;
    if (snapshot) writer.emplace(flushes.state());
    bench.ResumeTiming();
    Folded folded = flushes.state().apply(entry);
    benchmark::DoNotOptimize(folded);
    spans += folded.outcomes.at(0).items.size();
    bench.PauseTiming();
    writer.reset();
    bench.ResumeTiming();
  }
  bench.SetItemsProcessed(static_cast<std::int64_t>(spans));
  bench.counters["ns_per_span"] = benchmark::Counter(
      static_cast<double>(spans) / 1e9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void fold_plain_spans(benchmark::State& bench) { fold_flush(bench, false, false); }
void fold_producer_runs(benchmark::State& bench) { fold_flush(bench, true, false); }
void fold_at_the_start_of_a_snapshot(benchmark::State& bench) { fold_flush(bench, true, true); }
BENCHMARK(fold_plain_spans)->Iterations(300);
BENCHMARK(fold_producer_runs)->Iterations(300);
BENCHMARK(fold_at_the_start_of_a_snapshot)->Iterations(300);

/// A fetch at the end of a partition: its state, and the span that holds the offset.
void look_up(benchmark::State& bench) {
  Flushes flushes(false);
  for (int i = 0; i < 700; ++i) flushes.state().apply(flushes.next());
  std::mt19937_64 random(2);
  const State& state = flushes.state();
  for (auto _ : bench) {
    PartitionRef at{flushes.topics()[random() % kTopics],
                    PartitionIndex(static_cast<std::int32_t>(random() % kPartitionsPerTopic))};
    std::optional<PartitionInfo> info = state.partition(at);
    benchmark::DoNotOptimize(info);
    Offset from(info->end.value - 1);
    state.visit_spans(at, from, [](const SpanInfo& span) {
      benchmark::DoNotOptimize(span.bytes);
      return false;
    });
  }
}
BENCHMARK(look_up);

/// The slices of a snapshot of 100,000 partitions with ten spans.
void snapshot(benchmark::State& bench) {
  Flushes flushes(true);
  for (int i = 0; i < 350; ++i) flushes.state().apply(flushes.next());
  std::size_t bytes = 0;
  for (auto _ : bench) {
    SnapshotWriter writer(flushes.state());
    while (!writer.step(1'000)) {
    }
    bytes = writer.finish().size();
  }
  bench.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(snapshot)->Unit(benchmark::kMillisecond);

void load(benchmark::State& bench) {
  Flushes flushes(true);
  for (int i = 0; i < 350; ++i) flushes.state().apply(flushes.next());
  SnapshotWriter writer(flushes.state());
  while (!writer.step(1'000)) {
  }
  SharedBytes bytes = writer.finish().flatten();
  for (auto _ : bench) {
    Result<State> state = load_snapshot(bytes);
    benchmark::DoNotOptimize(state);
  }
}
BENCHMARK(load)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::state

BENCHMARK_MAIN();
