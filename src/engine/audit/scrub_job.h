// ScrubJob: reads every segment and all inline data again, slowly, and reports what no longer
// matches its checksums.
//
// Damage that nobody reads is found while a copy can still be had. Each segment belongs to one live
// broker. A cycle takes the segments that spans name when it begins, in an order of this broker's
// own, and goes through them at a rate of its own, on top of that of all maintenance. Findings go
// to the log as errors and to metrics; nothing is changed. Memory: one segment or entry.
#pragma once

#include <deque>
#include <optional>

#include "engine/audit/object_check.h"
#include "engine/maintenance/job.h"

namespace weir::engine {

class ScrubJob final : public Job {
 public:
  explicit ScrubJob(JobContext& context);
  std::string_view name() const override { return "scrub"; }
  Duration period() const override { return context_.rules().scrub_pause; }
  /// Scrubs the next segment.
  rt::Task<Result<bool>> run_once() override;

 private:
  struct Item {
    state::ObjectRef object;
    /// Of inline data: one span in it, by which its life is told.
    state::PartitionRef at;
    Offset base;
  };
  rt::Task<void> begin_cycle();
  rt::Task<void> find_inline();
  rt::Task<Result<void>> scrub_segment(Item item);
  rt::Task<Result<void>> scrub_inline(Item item);
  rt::Task<Result<bool>> is_missing(const Item& item);
  std::string name_of(const state::ObjectRef& object) const;
  bool is_needed(const Item& item) const;
  audit::Findings judge_inline(const state::ObjectRef& object, const state::EntryView& entry) const;
  audit::Findings judge(const std::string& name, Bytes bytes) const;
  void tell(const audit::Finding& finding);

  JobContext& context_;
  Pacer pacer_;
  std::deque<Item> left_;
  std::optional<MonoTime> cycle_begun_;
  std::uint64_t cycle_findings_ = 0;
  Counter& objects_;
  Counter& bytes_;
  Counter& findings_;
  Counter& cycles_;
  Gauge& left_gauge_;
  Gauge& last_findings_;
};

}  // namespace weir::engine
