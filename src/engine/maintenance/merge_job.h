// MergeJob: moves small spans of many partitions into shared segments of level 1.
//
// Each partition belongs to one live broker. A round walks its partitions in slices, gathers runs
// (merge_plan.h) until they fill a pass, reads their sources, writes them as segments
// (replacement.h) and goes on; so a round lasts as long as there is a backlog, within the pacer's
// rates. Memory: the sources of one pass, and what is being read.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "engine/cache.h"
#include "engine/maintenance/digest_watch.h"
#include "engine/maintenance/job.h"
#include "engine/maintenance/merge_plan.h"
#include "engine/maintenance/replacement.h"

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
  rt::Task<Result<void>> merge_topic(const state::TopicInfo& topic, MergeRules& rules);
  rt::Task<Result<void>> gather(MergePlan plan);
  rt::Task<Result<void>> flush();
  rt::Task<Result<void>> write(std::vector<MergeRun> runs, std::vector<ReplacementRun> replacement);

  JobContext& context_;
  const DigestWatch& digests_;
  /// Where the log stood when, for "older than".
  std::vector<std::pair<MonoTime, Position>> history_;
  std::unordered_set<RegionKey, RegionKeyHash> half_dead_;
  std::vector<MergeRun> gathered_;
  /// In memory.
  std::uint64_t gathered_bytes_ = 0;
  /// Bytes in memory for one that is stored, of the topic at hand.
  std::uint64_t memory_weight_ = 1;
  std::size_t gathered_spans_ = 0;
  std::uint64_t found_bytes_ = 0;
  Counter& merged_spans_;
  Counter& merged_bytes_;
  Counter& read_bytes_;
  Counter& written_bytes_;
  Counter& refused_runs_;
  Gauge& backlog_bytes_;
};

}  // namespace weir::engine
