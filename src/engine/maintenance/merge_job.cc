#include "engine/maintenance/merge_job.h"

#include <algorithm>

#include "base/ensure.h"
#include "base/narrow.h"
#include "engine/limits.h"

namespace weir::engine {

namespace {

/// A merged span is dropped whole, so it covers at most this part of the retention.
constexpr std::int64_t kPartOfRetention = 20;

RegionKey key_of(const state::ObjectRef& object) { return RegionKey::of(object, 0); }

/// The regions of a run whose spans were all read, cut at the bounds of spans.
std::vector<FinalSpan> regions_of(const MergeRun& run, const SpanSource& source) {
  std::vector<FinalSpan> regions;
  for (const state::SpanInfo& span : run.spans) {
    const SharedBytes* bytes = source.find(span);
    ENSURE(bytes != nullptr);
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
  if (context_.loop.now() >= unreadable_until_) unreadable_.clear();
  rules.is_unreadable = [this](const state::ObjectRef& object) {
    return !unreadable_.empty() && unreadable_.contains(key_of(object));
  };
  return rules;
}

void MergeJob::suit_topic(const state::TopicInfo& topic, MergeRules& rules) {
  const TopicRules& wanted = rules_of(context_, topic);
  rules.extent_ms_max = -1;
  rules.region_bytes = context_.rules().merge_region_bytes;
  rules.memory_weight = memory_weight_of(context_, topic);
  rules.run_bytes_max = context_.rules().merge_segment_bytes / rules.memory_weight;
  rules.is_compacted = wanted.compact;
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
  round_bytes_ = round_flush_bytes_ = 0;
  refused_ = {};
  survey_ = MergeSurvey();
  WEIR_CO_TRY(co_await walk(rules, &MergeJob::survey));
  const MergeSurvey found = std::exchange(survey_, MergeSurvey());
  const std::uint64_t pass_bytes = context_.rules().merge_pass_bytes;
  const std::uint64_t backlog = found.backlog_bytes(pass_bytes);
  const auto window = found.window(pass_bytes);
  if (window) rules.window_end = window->end;
  rules.merged_spans_min = found.merged_spans_min(rules);
  backlog_bytes_.set(narrow<std::int64_t>(backlog));

  Result<void> merged = co_await walk(rules, &MergeJob::merge);
  if (merged) merged = co_await pass(flushes_);
  if (merged) merged = co_await pass(merged_);
  flushes_ = merged_ = {};
  if (merged) merged = refused_;
  if (!merged) co_return std::unexpected(merged.error());
  backlog_bytes_.set(narrow<std::int64_t>(backlog - std::min(backlog, round_bytes_)));
  // What cannot be merged must not bring the next round at once.
  if (!window || round_flush_bytes_ == 0) co_return false;
  co_return window->more;
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
  co_return survey_.look_at(context_.state(), at, rules, from, kMergeSpansPerPartition);
}

rt::Task<Result<std::optional<Offset>>> MergeJob::merge(state::PartitionRef at,
                                                        const MergeRules& rules, Offset from) {
  MergePlan plan = plan_merge(context_.state(), at, rules, from, kMergeSpansPerPartition);
  const std::optional<Offset> next = plan.next;
  WEIR_CO_TRY(co_await gather(std::move(plan), rules));
  co_return next;
}

rt::Task<Result<void>> MergeJob::gather(MergePlan plan, const MergeRules& rules) {
  for (MergeRun& run : plan.runs) {
    std::uint64_t memory = memory_of(run.spans.size(), run.bytes, rules.memory_weight);
    Gathered& gathered = run.spans.front().object.is_final ? merged_ : flushes_;
    if (gathered.memory + memory > context_.rules().merge_pass_bytes)
      WEIR_CO_TRY(co_await pass(gathered));
    gathered.memory += memory;
    gathered.runs.push_back(std::move(run));
  }
  co_return Result<void>{};
}

/// A store that refuses some objects must not keep the other passes from theirs.
rt::Task<Result<void>> MergeJob::pass(Gathered& gathered) {
  Result<void> done = co_await flush(gathered);
  if (done || !done.error().is(ErrorCode::configuration)) co_return done;
  if (refused_) refused_ = done;
  co_return Result<void>{};
}

/// The pieces of a run whose spans were all read.
std::vector<MergeRun> MergeJob::readable_parts(MergeRun run, const SpanSource& source) {
  auto is_read = [&](const state::SpanInfo& span) { return source.find(span) != nullptr; };
  std::vector<MergeRun> parts;
  if (std::ranges::all_of(run.spans, is_read)) {
    parts.push_back(std::move(run));
    return parts;
  }
  auto begin = run.spans.begin();
  while (begin != run.spans.end()) {
    if (!is_read(*begin)) {
      note_unreadable(run.at, *begin++);
      continue;
    }
    auto end = std::find_if_not(begin, run.spans.end(), is_read);
    // Nothing if somebody else has replaced them meanwhile.
    if (auto digest = digest_of(context_.state(), run.at, {begin, end})) {
      MergeRun& part =
          parts.emplace_back(MergeRun{run.at,
                                      begin->base,
                                      Offset((end - 1)->base.value + (end - 1)->records),
                                      {begin, end},
                                      0,
                                      run.region_bytes,
                                      *digest,
                                      run.is_compacted});
      for (const state::SpanInfo& span : part.spans) part.bytes += span.bytes;
    }
    begin = end;
  }
  return parts;
}

/// What the state has named otherwise meanwhile is gone, and no damage.
void MergeJob::note_unreadable(const state::PartitionRef& at, const state::SpanInfo& span) {
  if (!digest_of(context_.state(), at, {&span, 1})) return;
  if (unreadable_.empty()) unreadable_until_ = context_.loop.now() + kMergeUnreadableRetryAfter;
  if (unreadable_.size() < kMergeUnreadableMax) unreadable_.insert(key_of(span.object));
}

rt::Task<Result<void>> MergeJob::flush(Gathered& gathered) {
  std::vector<MergeRun> planned = std::exchange(gathered, {}).runs;
  if (planned.empty()) co_return Result<void>{};
  const auto turn = co_await context_.turn->take();
  std::erase_if(planned, [&](const MergeRun& run) {
    return context_.state().spans_digest(run.at, run.base, run.end) != run.digest;
  });
  std::vector<state::SpanInfo> spans;
  for (const MergeRun& run : planned) spans.insert(spans.end(), run.spans.begin(), run.spans.end());
  // Freed before anything is written; what is needed lives on in the regions.
  auto source = std::make_unique<SpanSource>(context_);
  WEIR_CO_TRY(co_await source->load(spans));
  read_bytes_.add(source->bytes_read());
  // Compaction comes for the former again and again: it shall find them side by side.
  std::ranges::stable_partition(planned, &MergeRun::is_compacted);
  std::vector<MergeRun> runs;
  for (MergeRun& run : planned)
    for (MergeRun& part : readable_parts(std::move(run), *source)) runs.push_back(std::move(part));
  std::vector<std::vector<FinalSpan>> regions;
  regions.reserve(runs.size());
  for (const MergeRun& run : runs) regions.push_back(regions_of(run, *source));
  source.reset();

  std::vector<MergeRun> merged;
  std::vector<ReplacementRun> replacement;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
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
    if (!runs[i].spans.front().object.is_final) round_flush_bytes_ += runs[i].bytes;
  }
  co_return Result<void>{};
}

}  // namespace weir::engine
