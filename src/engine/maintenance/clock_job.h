// ClockJob: tells the cluster what this broker's wall clock says, so that retention has a time and
// entries have commit times (state/cluster/log_clock.h).
//
// While records arrive every broker tells its clock once per interval; an idle cluster rarely. A
// broker tells it first right after its start, which may be often: a cluster that knows no time
// lets nothing become due.
#pragma once

#include <optional>

#include "engine/maintenance/job.h"

namespace weir::engine {

class ClockJob final : public Job, public FoldListener {
 public:
  explicit ClockJob(JobContext& context) : context_(context) {}
  std::string_view name() const override { return "clock"; }
  /// Retention that is looked at more often than usual needs the time as often.
  Duration period() const override;
  rt::Task<Result<bool>> run_once() override;
  void on_folded(const state::EntryView& entry, const state::Folded& folded) override;

 private:
  JobContext& context_;
  bool records_arrived_ = true;
  std::optional<MonoTime> told_;
  bool warned_ = false;
};

}  // namespace weir::engine
