// OrphansJob: deletes objects that were uploaded and never committed.
//
// It lists everything, once a day and some time after a broker was lost (expired or superseded,
// this one's predecessor too), and judges each name by the folded state: what the state does not
// know and was born below the folded horizon can never be named any more (spec Orphans.tla). What
// the state knows is left to the deletion job. Names that are not ours are counted and left alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/maintenance/job.h"
#include "state/state.h"

namespace weir::engine {

class OrphansJob final : public Job, public FoldListener {
 public:
  explicit OrphansJob(JobContext& context);
  std::string_view name() const override { return "orphans"; }
  Duration period() const override { return context_.rules().horizon_interval; }
  rt::Task<Result<bool>> run_once() override;
  void on_folded(const state::EntryView& entry, const state::Folded& folded) override;

 private:
  bool is_orphan(const std::string& name) const;
  rt::Task<Result<void>> collect(std::vector<objstore::ObjectInfo> page);

  JobContext& context_;
  std::optional<MonoTime> last_;
  /// A lost broker leaves uploads behind that nobody will commit; the horizon has to pass them
  /// first.
  std::optional<Position> lost_at_;
  /// Live brokers at the last fold.
  std::vector<Incarnation> known_;
  LeaderEpoch known_epoch_{-1};
  Counter& deleted_;
  Counter& deleted_bytes_;
  Gauge& foreign_;
  std::int64_t foreign_found_ = 0;
};

}  // namespace weir::engine
