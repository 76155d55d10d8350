// MergeJob: moves small spans of many partitions into shared segments of level 1.
//
// Each partition belongs to one live broker. A round walks its partitions in slices twice: to see
// what is due (merge_survey.h), then to gather runs (merge_plan.h) until they fill
// a pass, whose sources are read and written as segments (replacement.h). Rounds follow each other
// while there is a backlog, within the pacer's rates. Memory: the sources of one pass, and what is
// being read.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "engine/cache.h"
#include "engine/maintenance/digest_watch.h"
#include "engine/maintenance/job.h"
#include "engine/maintenance/merge_plan.h"
#include "engine/maintenance/merge_survey.h"
#include "engine/maintenance/replacement.h"
#include "engine/maintenance/span_source.h"

namespace weir::engine {

class MergeJob final : public Job {
 public:
  MergeJob(JobContext& context, const DigestWatch& digests);
  std::string_view name() const override { return "merge"; }
  Duration period() const override { return context_.rules().merge_interval; }
  rt::Task<Result<bool>> run_once() override;

 private:
  MergeRules rules_now();
  void note_position();
  Position settled_position() const;
  void suit_topic(const state::TopicInfo& topic, MergeRules& rules);
  /// Looks at a partition from an offset on, and says where to go on if there is more.
  using Look = rt::Task<Result<std::optional<Offset>>> (MergeJob::*)(state::PartitionRef at,
                                                                     const MergeRules& rules,
                                                                     Offset from);
  rt::Task<Result<void>> walk(MergeRules& rules, Look look);
  rt::Task<Result<void>> walk_topic(state::TopicInfo topic, const MergeRules& rules, Look look);
  rt::Task<Result<std::optional<Offset>>> survey(state::PartitionRef at, const MergeRules& rules,
                                                 Offset from);
  rt::Task<Result<std::optional<Offset>>> merge(state::PartitionRef at, const MergeRules& rules,
                                                Offset from);
  std::vector<MergeRun> readable_parts(MergeRun run, const SpanSource& source);
  void note_unreadable(const state::PartitionRef& at, const state::SpanInfo& span);
  /// Runs for one pass, all of flushes or all of merged spans: the former share objects by time,
  /// the latter by topic, and passes that cut both would read the former again and again.
  struct Gathered {
    std::vector<MergeRun> runs;
    std::uint64_t memory = 0;
  };
  rt::Task<Result<void>> gather(MergePlan plan, const MergeRules& rules);
  rt::Task<Result<void>> flush(Gathered& gathered);
  rt::Task<Result<void>> write(std::vector<MergeRun> runs, std::vector<ReplacementRun> replacement);

  JobContext& context_;
  const DigestWatch& digests_;
  /// Where the log stood when, for "older than".
  std::vector<std::pair<MonoTime, Position>> history_;
  std::unordered_set<RegionKey, RegionKeyHash> half_dead_;
  /// Tried again from time to time.
  std::unordered_set<RegionKey, RegionKeyHash> unreadable_;
  MonoTime unreadable_until_{};
  MergeSurvey survey_;
  std::size_t looked_ = 0;
  Gathered flushes_;
  Gathered merged_;
  /// The first refusal of a pass in this round; the others are made all the same.
  Result<void> refused_;
  rt::Task<Result<void>> pass(Gathered& gathered);
  /// Record bytes of flushes, and of all, that this round has merged.
  std::uint64_t round_flush_bytes_ = 0;
  std::uint64_t round_bytes_ = 0;
  Counter& merged_spans_;
  Counter& merged_bytes_;
  Counter& read_bytes_;
  Counter& written_bytes_;
  Counter& refused_runs_;
  Gauge& backlog_bytes_;
};

}  // namespace weir::engine
