// ClockJob: tells the cluster what this broker's wall clock says, so that retention has a time and
// entries have commit times (state/cluster/log_clock.h).
//
// While records arrive every broker tells its clock once per interval; an idle cluster rarely. The
// first reading comes right after the start.
#pragma once

#include <optional>

#include "engine/maintenance/job.h"

namespace weir::engine {

class ClockJob final : public Job, public FoldListener {
 public:
  explicit ClockJob(JobContext& context) : context_(context) {}
  std::string_view name() const override { return "clock"; }
  /// A broker that is restarted often must not leave the cluster without a time, and retention that
  /// is looked at more often than usual needs one as often.
  Duration period() const override {
    if (!told_) return kFirstReadingAfter;
    return std::min(context_.rules().clock_interval, context_.rules().retention_check);
  }
  rt::Task<Result<bool>> run_once() override;
  void on_folded(const state::EntryView& entry, const state::Folded& folded) override;

 private:
  static constexpr Duration kFirstReadingAfter = 1s;

  JobContext& context_;
  bool records_arrived_ = true;
  std::optional<MonoTime> told_;
  bool warned_ = false;
};

}  // namespace weir::engine
