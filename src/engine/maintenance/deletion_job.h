// DeletionJob: deletes segments that no span names any more, then tells the state.
//
// One rule for every deletion: a folded state has the segment unreferenced, and it was born below
// the folded horizon, so no command can name it again (spec Orphans.tla). The delay is for readers
// in flight, and counts from when this broker first saw the segment unreferenced. Data goes before
// metadata: a segment is forgotten only after the store said that it is gone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/maintenance/job.h"

namespace weir::engine {

class DeletionJob final : public Job {
 public:
  explicit DeletionJob(JobContext& context);
  std::string_view name() const override { return "deletion"; }
  Duration period() const override { return context_.rules().deletion_interval; }
  rt::Task<Result<bool>> run_once() override;

 private:
  struct Doomed {
    state::ObjectRef object;
    std::string name;
  };
  std::vector<Doomed> due();
  rt::Task<Result<void>> forget(std::vector<Doomed> deleted);

  JobContext& context_;
  /// By object name: since when it is known to be unreferenced.
  std::map<std::string, MonoTime> seen_;
  Counter& deleted_;
  Counter& deleted_bytes_;
  Counter& refused_;
  Gauge& awaiting_;
};

}  // namespace weir::engine
