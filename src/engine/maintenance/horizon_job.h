// HorizonJob: advances the horizon, below which no segment may be named any more.
//
// The new horizon is the position of one interval ago, so that an upload has an interval to be
// committed; one that took longer is refused by the fold and made again by its broker. Where
// nothing was written since the last advance and nothing awaits deletion, nothing is written here
// either.
#pragma once

#include <optional>

#include "engine/maintenance/job.h"

namespace weir::engine {

class HorizonJob final : public Job {
 public:
  explicit HorizonJob(JobContext& context) : context_(context) {}
  std::string_view name() const override { return "horizon"; }
  Duration period() const override { return context_.rules().horizon_interval; }
  rt::Task<Result<bool>> run_once() override;

 private:
  JobContext& context_;
  /// Where this broker stood one period ago.
  std::optional<Position> last_;
  /// Position right after the last advance, and how many of them followed each other without any
  /// other entry between.
  std::optional<Position> advanced_at_;
  int quiet_advances_ = 0;
};

}  // namespace weir::engine
