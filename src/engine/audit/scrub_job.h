// ScrubJob: reads every segment again, slowly, and reports what no longer matches its checksums.
//
// Damage that nobody reads is found while a copy can still be had. Each segment belongs to one live
// broker. A cycle takes the segments that spans name when it begins, in an order of this broker's
// own, and goes through them at a rate of its own, on top of that of all maintenance. Findings go
// to the log as errors and to metrics; nothing is changed. Inline data is young, and read by merges
// anyway. Memory: one segment.
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
  void begin_cycle();
  rt::Task<Result<void>> scrub(state::ObjectRef object);
  bool is_needed(const state::ObjectRef& object) const;
  audit::Findings judge(const std::string& name, Bytes bytes) const;
  void tell(const audit::Finding& finding);

  JobContext& context_;
  Pacer pacer_;
  std::deque<state::ObjectRef> left_;
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
