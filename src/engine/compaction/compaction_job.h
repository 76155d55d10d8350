// CompactionJob: compacts the partitions that are due, packing many of them into shared segments.
//
// Each partition belongs to one live broker. Small partitions are read many at a time and their
// results gathered until they fill a segment, so that thousands of small topics cost a few
// requests; a large one streams through. What fails is reported and left alone for a while; it
// never holds up the others, and it is never skipped for good.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "compaction/key_map.h"
#include "engine/compaction/partition_compactor.h"
#include "engine/maintenance/job.h"

namespace weir::engine {

class CompactionJob final : public Job {
 public:
  explicit CompactionJob(JobContext& context);
  std::string_view name() const override { return "compaction"; }
  Duration period() const override { return context_.rules().compaction_interval; }
  rt::Task<Result<bool>> run_once() override;

 private:
  rt::Task<Result<void>> look_at(const state::TopicInfo& topic,
                                 const compaction::Settings& settings);
  rt::Task<Result<void>> compact_small();
  rt::Task<Result<void>> compact_one(const CompactionPlan& plan, const SpanSource* loaded);
  rt::Task<Result<void>> compact_runs(PartitionCompactor& compactor);
  rt::Task<Result<void>> flush();
  bool is_current(const CompactionPlan& plan) const;
  bool waits(const state::PartitionRef& at);
  void leave_alone(const state::PartitionRef& at, const Error& error);

  JobContext& context_;
  /// Of a round.
  std::optional<compaction::KeyMap> map_;
  ByTopic<std::optional<compaction::Settings>> rules_;
  std::vector<CompactionPlan> small_;
  /// In memory.
  std::uint64_t small_bytes_ = 0;
  std::vector<ReplacementRun> gathered_;
  std::uint64_t gathered_bytes_ = 0;
  /// Partitions of which a run was refused in this round.
  std::set<state::PartitionRef> refused_;
  std::uint64_t dirty_bytes_ = 0;
  bool more_ = false;

  /// When a partition that failed may be tried again.
  std::map<state::PartitionRef, MonoTime> left_alone_;
  Counter& partitions_;
  Counter& records_read_;
  Counter& records_kept_;
  Counter& unkeyed_dropped_;
  Counter& unreadable_kept_;
  Counter& read_bytes_;
  Counter& written_bytes_;
  Counter& refused_runs_;
  Gauge& failing_;
  Gauge& due_bytes_;
};

}  // namespace weir::engine
