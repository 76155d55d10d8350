#include "engine/compaction/compaction_job.h"

#include <algorithm>
#include <utility>

#include "base/narrow.h"
#include "engine/compaction/compaction_rules.h"
#include "engine/limits.h"
#include "engine/maintenance/merge_plan.h"

namespace weir::engine {

namespace {
std::uint64_t gather_bytes_max(const JobContext& context) {
  return std::min<std::uint64_t>(kCompactionGatherBytes, context.rules().merge_segment_bytes);
}

/// Sources of small partitions that are held at once, in memory.
std::uint64_t pass_bytes_max(const JobContext& context) {
  return std::max<std::uint64_t>(read_bytes_max(context), context.rules().merge_pass_bytes / 2);
}

std::int64_t unmerged_lag_ms(const MaintenanceOptions& rules) {
  return rules.merge_before_compaction ? rules.merge_after / 1ms * kUnmergedLagFactor : 0;
}
}  // namespace

CompactionJob::CompactionJob(JobContext& context)
    : context_(context),
      partitions_(context.metrics.counter("weir_compaction_partitions_total",
                                          "Runs of compaction over a partition")),
      records_read_(
          context.metrics.counter("weir_compaction_records_read_total", "Records looked at")),
      records_kept_(
          context.metrics.counter("weir_compaction_records_kept_total", "Records that stayed")),
      unkeyed_dropped_(context.metrics.counter("weir_compaction_unkeyed_records_total",
                                               "Records without key that compaction dropped")),
      unreadable_kept_(context.metrics.counter(
          "weir_compaction_unreadable_batches_total",
          "Batches that compaction kept as they are because their records do not parse")),
      read_bytes_(context.metrics.counter("weir_compaction_read_bytes_total",
                                          "Bytes that compaction read")),
      written_bytes_(context.metrics.counter("weir_compaction_written_bytes_total",
                                             "Bytes that compaction wrote")),
      refused_runs_(context.metrics.counter("weir_compaction_refused_runs_total",
                                            "Compacted runs whose spans had changed meanwhile")),
      failing_(context.metrics.gauge("weir_compaction_failing_partitions",
                                     "Partitions whose compaction failed and waits")),
      due_bytes_(context.metrics.gauge("weir_compaction_due_bytes",
                                       "Dirty record bytes of partitions that were due")) {}

rt::Task<Result<bool>> CompactionJob::run_once() {
  map_.emplace(context_.rules().compaction_memory_bytes);
  refused_.clear();
  dirty_bytes_ = 0;
  more_ = false;
  Result<void> done;
  std::string from;
  std::size_t looked = 0;
  while (done && context_.may_go_on()) {
    if (++looked % kPartitionsPerSlice == 0) co_await rt::yield(context_.loop);
    std::optional<state::TopicInfo> topic;
    context_.state().visit_topics(from, [&](const state::TopicInfo& found) {
      topic = found;
      return false;
    });
    if (!topic) break;
    from = topic->name + '\0';
    std::optional<compaction::Settings> settings = rules_.of(context_.state(), *topic, [&] {
      return compaction_rules(context_.configs, context_.state(), *topic);
    });
    if (!settings) continue;
    settings->dirty_bytes_min = context_.rules().compaction_dirty_bytes_min;
    done = co_await look_at(*topic, *settings);
  }
  if (done) done = co_await compact_small();
  if (done) done = co_await flush();
  due_bytes_.set(narrow<std::int64_t>(dirty_bytes_));
  failing_.set(narrow<std::int64_t>(left_alone_.size()));
  // Idle brokers keep no memory for it.
  map_.reset();
  small_.clear();
  small_bytes_ = gathered_bytes_ = 0;
  gathered_.clear();
  if (!done) co_return std::unexpected(done.error());
  co_return more_;
}

rt::Task<Result<void>> CompactionJob::look_at(const state::TopicInfo& topic,
                                              const compaction::Settings& settings) {
  const std::uint64_t memory_weight = memory_weight_of(context_, topic);
  for (std::int32_t p = 0; p < topic.partitions && context_.may_go_on(); ++p) {
    if (p % static_cast<std::int32_t>(kPartitionsPerSlice) ==
        static_cast<std::int32_t>(kPartitionsPerSlice) - 1)
      co_await rt::yield(context_.loop);
    state::PartitionRef at{topic.id, PartitionIndex(p)};
    if (!is_mine(context_, at) || waits(at)) continue;
    auto plan = plan_compaction(context_.state(), at, settings,
                                {context_.loop.wall_now(), unmerged_lag_ms(context_.rules())});
    if (!plan) continue;
    dirty_bytes_ += plan->dirty_bytes;
    plan->memory_weight = memory_weight;
    const std::uint64_t memory = memory_of(plan->spans.size(), plan->bytes, memory_weight);
    if (memory > read_bytes_max(context_)) {
      WEIR_CO_TRY(co_await compact_one(*plan, nullptr));
      continue;
    }
    if (small_bytes_ + memory > pass_bytes_max(context_)) WEIR_CO_TRY(co_await compact_small());
    small_bytes_ += memory;
    small_.push_back(std::move(*plan));
  }
  co_return Result<void>{};
}

rt::Task<Result<void>> CompactionJob::compact_small() {
  std::vector<CompactionPlan> plans = std::exchange(small_, {});
  small_bytes_ = 0;
  if (plans.empty()) co_return Result<void>{};
  const auto turn = co_await context_.turn->take();
  std::erase_if(plans, [this](const CompactionPlan& plan) { return !is_current(plan); });
  std::vector<state::SpanInfo> spans;
  for (const CompactionPlan& plan : plans)
    spans.insert(spans.end(), plan.spans.begin(), plan.spans.end());
  SpanSource source(context_);
  WEIR_CO_TRY(co_await source.load(spans));
  read_bytes_.add(source.bytes_read());
  for (const CompactionPlan& plan : plans) WEIR_CO_TRY(co_await compact_one(plan, &source));
  co_return co_await flush();
}

/// Errors: of the store and the log. What is wrong with the partition stays with it.
rt::Task<Result<void>> CompactionJob::compact_one(const CompactionPlan& plan,
                                                  const SpanSource* loaded) {
  if (!context_.may_go_on()) co_return Result<void>{};
  PartitionCompactor compactor(context_, plan, *map_, loaded);
  Result<void> done = co_await compactor.index();
  if (done) done = co_await compact_runs(compactor);
  read_bytes_.add(compactor.bytes_read());
  if (done) {
    partitions_.add();
    records_read_.add(compactor.stats().records_read);
    records_kept_.add(compactor.stats().records_kept);
    unkeyed_dropped_.add(compactor.stats().unkeyed_dropped);
    unreadable_kept_.add(compactor.stats().unreadable_kept);
    if (!compactor.whole()) more_ = true;
    left_alone_.erase(plan.at);
    co_return Result<void>{};
  }
  bool of_the_partition = done.error().is(ErrorCode::corrupt) ||
                          done.error().is(ErrorCode::not_found) ||
                          done.error().is(ErrorCode::too_large);
  if (!of_the_partition) co_return done;
  // What was replaced or deleted while we read is no failure, also if this broker has not folded
  // that yet; the next round looks again.
  const auto proved =
      co_await context_.follower.barrier(context_.loop.now() + kCompactionProofWait);
  if (proved && is_current(plan)) leave_alone(plan.at, done.error());
  co_return Result<void>{};
}

/// The last run makes the partition clean, so it is offered only after the others were accepted.
rt::Task<Result<void>> CompactionJob::compact_runs(PartitionCompactor& compactor) {
  bool first = true;
  for (;;) {
    auto run = co_await compactor.next();
    if (!run) co_return std::unexpected(run.error());
    if (!*run) co_return Result<void>{};
    state::PartitionRef at = (*run)->replacement.at;
    const bool full = gathered_bytes_ + (*run)->bytes > gather_bytes_max(context_) ||
                      gathered_.size() >= kRunsPerReplacementMax;
    if (full || ((*run)->last && !first)) WEIR_CO_TRY(co_await flush());
    // Behind a run that was refused nothing may go: it could be the tombstone of what is still
    // there.
    if (refused_.contains(at)) co_return Result<void>{};
    first = false;
    gathered_bytes_ += (*run)->bytes;
    gathered_.push_back(std::move((*run)->replacement));
  }
}

rt::Task<Result<void>> CompactionJob::flush() {
  std::vector<ReplacementRun> runs = std::exchange(gathered_, {});
  gathered_bytes_ = 0;
  if (runs.empty()) co_return Result<void>{};
  std::vector<state::PartitionRef> partitions;
  partitions.reserve(runs.size());
  for (const ReplacementRun& run : runs) partitions.push_back(run.at);
  auto outcome = co_await commit_replacement(context_, std::move(runs));
  if (!outcome) co_return std::unexpected(outcome.error());
  written_bytes_.add(outcome->segment_bytes);
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    if (outcome->runs[i] == Refusal::none) continue;
    // A merge or a deletion was faster; the next round looks again.
    refused_runs_.add();
    refused_.insert(partitions[i]);
  }
  co_return Result<void>{};
}

/// Whether the partition still has the spans of the plan.
bool CompactionJob::is_current(const CompactionPlan& plan) const {
  Hash128 sum;
  for (const Hash128& digest : plan.digests) sum += digest;
  const state::SpanInfo& last = plan.spans.back();
  return context_.state().spans_digest(plan.at, plan.spans.front().base,
                                       Offset(last.base.value + last.records)) == sum;
}

bool CompactionJob::waits(const state::PartitionRef& at) {
  auto found = left_alone_.find(at);
  return found != left_alone_.end() && context_.loop.now() < found->second;
}

void CompactionJob::leave_alone(const state::PartitionRef& at, const Error& error) {
  if (left_alone_.size() >= kCompactionFailuresMax) left_alone_.clear();
  left_alone_[at] = context_.loop.now() + kCompactionRetryAfter;
  const state::TopicInfo* topic = context_.state().topic(at.topic);
  context_.logger.error("compaction_failed", {{"topic", topic ? topic->name : at.topic.hex()},
                                              {"partition", at.partition.value},
                                              {"error", describe(error)},
                                              {"advice", "weir verify shows what is damaged"}});
}

}  // namespace weir::engine
