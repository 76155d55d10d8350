// ClockJob: tells the cluster what this broker's wall clock says, so that retention has a time and
// entries have commit times (state/cluster/log_clock.h).
//
// While records arrive every broker tells its clock once per interval; an idle cluster rarely. A
// new cluster, for which nothing can be due before it knows a time, is told as soon as it has a
// topic.
#pragma once

#include <optional>

#include "engine/maintenance/job.h"

namespace weir::engine {

class ClockJob final : public Job, public FoldListener {
 public:
  explicit ClockJob(JobContext& context) : context_(context) {}
  std::string_view name() const override { return "clock"; }
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
