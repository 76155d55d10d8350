// RetentionJob: moves the starts of partitions up, as their topics' settings ask (retention.h).
//
// Each topic belongs to one live broker. A start is proposed with the start and the config version
// that it was judged by, so a broker that slept for a day cannot apply yesterday's settings.
#pragma once

#include <string>

#include "engine/maintenance/job.h"
#include "state/commands/advance_start.h"

namespace weir::engine {

class RetentionJob final : public Job {
 public:
  explicit RetentionJob(JobContext& context);
  std::string_view name() const override { return "retention"; }
  Duration period() const override { return context_.rules().retention_check; }
  rt::Task<Result<bool>> run_once() override;

 private:
  rt::Task<Result<void>> propose(state::command::AdvanceStart command);

  JobContext& context_;
  Counter& advanced_;
};

}  // namespace weir::engine
