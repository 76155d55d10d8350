#include "engine/maintenance/merge_job.h"

#include <algorithm>

#include "base/narrow.h"
#include "engine/limits.h"
#include "engine/maintenance/replacement.h"
#include "engine/maintenance/span_source.h"
#include "engine/region_transform.h"

namespace weir::engine {

namespace {

/// A merged span is dropped whole, so it covers at most this part of the retention.
constexpr std::int64_t kPartOfRetention = 20;

RegionKey key_of(const state::ObjectRef& object) { return RegionKey::of(object, 0); }

/// The regions of a run, cut at the bounds of spans. Empty if a span could not be read.
std::vector<FinalSpan> regions_of(const MergeRun& run, const SpanSource& source) {
  std::vector<FinalSpan> regions;
  for (const state::SpanInfo& span : run.spans) {
    const SharedBytes* bytes = source.find(span);
    if (bytes == nullptr) return {};
    if (regions.empty() || regions.back().batches.size() + bytes->size() > run.region_bytes)
      regions.push_back({span.base, span.base, {}});
    regions.back().batches.append(*bytes);
    regions.back().end = Offset(span.base.value + span.records);
  }
  return regions;
}

}  // namespace

MergeJob::MergeJob(JobContext& context, const DigestWatch& digests)
    : context_(context),
      digests_(digests),
      merged_spans_(context.metrics.counter("weir_merge_spans_total", "Spans that were merged")),
      merged_bytes_(
          context.metrics.counter("weir_merge_bytes_total", "Record bytes that were merged")),
      read_bytes_(context.metrics.counter("weir_merge_read_bytes_total", "Bytes that merges read")),
      written_bytes_(
          context.metrics.counter("weir_merge_written_bytes_total", "Bytes that merges wrote")),
      refused_runs_(context.metrics.counter("weir_merge_refused_runs_total",
                                            "Merged runs whose spans had changed meanwhile")),
      backlog_bytes_(context.metrics.gauge("weir_merge_backlog_bytes",
                                           "Record bytes due for merging at this broker")) {}

void MergeJob::note_position() {
  MonoTime now = context_.loop.now();
  history_.emplace_back(now, context_.follower.next());
  // The newest that is old enough stays in front.
  while (history_.size() > 1 && now - history_[1].first >= context_.rules().merge_after)
    history_.erase(history_.begin());
}

Position MergeJob::settled_position() const {
  bool old = context_.loop.now() - history_.front().first >= context_.rules().merge_after;
  return old ? history_.front().second : Position(0);
}

MergeRules MergeJob::rules_now() {
  const MaintenanceOptions& options = context_.rules();
  MergeRules rules;
  rules.spans_min = options.merge_spans_min;
  rules.leave_bytes = options.merge_leave_bytes;
  rules.region_bytes = options.merge_region_bytes;
  rules.run_bytes_max = options.merge_segment_bytes;
  note_position();
  rules.settled = settled_position();
  rules.inline_must_move = digests_.truncatable_to().value_or(Position(0));
  half_dead_.clear();
  context_.state().visit_segments([&](const state::ObjectRef& object, std::uint64_t live) {
    if (object.bytes >= options.rewrite_bytes_min && live > 0 && live < object.bytes / 2)
      half_dead_.insert(key_of(object));
    return true;
  });
  rules.is_half_dead = [this](const state::ObjectRef& object) {
    return half_dead_.contains(key_of(object));
  };
  return rules;
}

void MergeJob::suit_topic(const state::TopicInfo& topic, MergeRules& rules) {
  const TopicRules& wanted = rules_of(context_, topic);
  rules.extent_ms_max = -1;
  rules.region_bytes = context_.rules().merge_region_bytes;
  // What is stored compressed is up to eight times as large in memory.
  bool compressed = wants_compression(context_.configs, context_.state(), topic);
  memory_weight_ = compressed ? kTransformRatioMax : 1;
  rules.run_bytes_max = context_.rules().merge_segment_bytes / memory_weight_;
  if (!wanted.remove_old) return;
  if (wanted.retention_ms >= 0)
    rules.extent_ms_max = std::max<std::int64_t>(wanted.retention_ms / kPartOfRetention,
                                                 context_.rules().retention_check / 1ms);
  if (wanted.retention_bytes >= 0)
    rules.region_bytes = std::min<std::uint64_t>(
        rules.region_bytes, static_cast<std::uint64_t>(wanted.retention_bytes / kPartOfRetention));
}

rt::Task<Result<bool>> MergeJob::run_once() {
  MergeRules rules = rules_now();
  found_bytes_ = round_bytes_ = 0;
  round_met_damage_ = false;
  if (context_.loop.now() >= look_back_at_) unreadable_to_ = Position(0);
  window_ = FlushWindow(unreadable_to_);
  WEIR_CO_TRY(co_await walk(rules, &MergeJob::survey));
  const auto window = std::exchange(window_, FlushWindow(Position(0)))
                          .window({context_.rules().merge_pass_bytes, kMergeSpansPerPassMax});
  if (window) rules.window_end = window->end;

  Result<void> merged = co_await walk(rules, &MergeJob::merge);
  if (merged) merged = co_await flush(flushes_);
  if (merged) merged = co_await flush(merged_);
  flushes_ = merged_ = {};
  if (!merged) co_return std::unexpected(merged.error());
  if (window) note_window(*window);
  backlog_bytes_.set(narrow<std::int64_t>(found_bytes_));
  // What cannot be merged must not bring the next round at once.
  co_return window && window->more&& round_bytes_ > 0;
}

/// Damaged objects that fill a window must not keep those behind them from theirs.
void MergeJob::note_window(const FlushWindow::Window& window) {
  if (round_bytes_ > 0 || !round_met_damage_) return;
  unreadable_to_ = window.end;
  look_back_at_ = context_.loop.now() + kMergeLookBackAfter;
}

rt::Task<Result<void>> MergeJob::walk(MergeRules& rules, Look look) {
  std::string from;
  while (context_.may_go_on()) {
    std::optional<state::TopicInfo> topic;
    context_.state().visit_topics(from, [&](const state::TopicInfo& found) {
      topic = found;
      return false;
    });
    if (!topic) break;
    from = topic->name + '\0';
    suit_topic(*topic, rules);
    WEIR_CO_TRY(co_await walk_topic(std::move(*topic), rules, look));
  }
  co_return Result<void>{};
}

rt::Task<Result<void>> MergeJob::walk_topic(state::TopicInfo topic, const MergeRules& rules,
                                            Look look) {
  for (std::int32_t p = 0; p < topic.partitions && context_.may_go_on(); ++p) {
    if (++looked_ % kPartitionsPerSlice == 0) co_await rt::yield(context_.loop);
    state::PartitionRef at{topic.id, PartitionIndex(p)};
    if (!is_mine(context_, at)) continue;
    std::optional<Offset> from = Offset(0);
    while (from && context_.may_go_on()) {
      auto next = co_await (this->*look)(at, rules, *from);
      if (!next) co_return std::unexpected(next.error());
      from = *next;
      if (from) co_await rt::yield(context_.loop);
    }
  }
  co_return Result<void>{};
}

rt::Task<Result<std::optional<Offset>>> MergeJob::survey(state::PartitionRef at,
                                                         const MergeRules& rules, Offset from) {
  co_return window_.look_at(context_.state(), at, rules, from, kMergeSpansPerPartition,
                            memory_weight_);
}

rt::Task<Result<std::optional<Offset>>> MergeJob::merge(state::PartitionRef at,
                                                        const MergeRules& rules, Offset from) {
  MergePlan plan = plan_merge(context_.state(), at, rules, from, kMergeSpansPerPartition);
  const std::optional<Offset> next = plan.next;
  WEIR_CO_TRY(co_await gather(std::move(plan)));
  co_return next;
}

rt::Task<Result<void>> MergeJob::gather(MergePlan plan) {
  for (MergeRun& run : plan.runs) {
    found_bytes_ += run.bytes;
    backlog_bytes_.set(narrow<std::int64_t>(found_bytes_));
    std::uint64_t memory = run.bytes * memory_weight_;
    Gathered& gathered = run.spans.front().object.is_final ? merged_ : flushes_;
    bool full = gathered.bytes + memory > context_.rules().merge_pass_bytes ||
                gathered.spans + run.spans.size() > kMergeSpansPerPassMax;
    if (full) WEIR_CO_TRY(co_await flush(gathered));
    gathered.bytes += memory;
    gathered.spans += run.spans.size();
    gathered.runs.push_back(std::move(run));
  }
  co_return Result<void>{};
}

rt::Task<Result<void>> MergeJob::flush(Gathered& gathered) {
  std::vector<MergeRun> runs = std::exchange(gathered, {}).runs;
  if (runs.empty()) co_return Result<void>{};
  const auto turn = co_await context_.turn.take();
  std::vector<state::SpanInfo> spans;
  for (const MergeRun& run : runs) spans.insert(spans.end(), run.spans.begin(), run.spans.end());
  // Freed before anything is written; what is needed lives on in the regions.
  auto source = std::make_unique<SpanSource>(context_);
  WEIR_CO_TRY(co_await source->load(spans));
  read_bytes_.add(source->bytes_read());
  std::vector<std::vector<FinalSpan>> regions;
  regions.reserve(runs.size());
  for (const MergeRun& run : runs) regions.push_back(regions_of(run, *source));
  source.reset();

  std::vector<MergeRun> merged;
  std::vector<ReplacementRun> replacement;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    round_met_damage_ |= regions[i].empty();
    if (regions[i].empty()) continue;
    bool full = bytes + runs[i].bytes > context_.rules().merge_segment_bytes ||
                merged.size() >= kRunsPerReplacementMax;
    if (!merged.empty() && full) {
      WEIR_CO_TRY(co_await write(std::exchange(merged, {}), std::exchange(replacement, {})));
      bytes = 0;
    }
    bytes += runs[i].bytes;
    ReplacementRun& out = replacement.emplace_back();
    out.at = runs[i].at;
    out.old_digest = runs[i].digest;
    out.spans = std::move(regions[i]);
    merged.push_back(std::move(runs[i]));
  }
  if (merged.empty()) co_return Result<void>{};
  co_return co_await write(std::move(merged), std::move(replacement));
}

rt::Task<Result<void>> MergeJob::write(std::vector<MergeRun> runs,
                                       std::vector<ReplacementRun> replacement) {
  auto outcome = co_await commit_replacement(context_, std::move(replacement));
  if (!outcome) co_return std::unexpected(outcome.error());
  written_bytes_.add(outcome->segment_bytes);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (outcome->runs[i] != Refusal::none) {
      refused_runs_.add();
      continue;
    }
    merged_spans_.add(runs[i].spans.size());
    merged_bytes_.add(runs[i].bytes);
    round_bytes_ += runs[i].bytes;
  }
  co_return Result<void>{};
}

}  // namespace weir::engine
