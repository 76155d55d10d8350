#include "engine/maintenance/maintenance.h"

#include "engine/audit/scrub_job.h"
#include "engine/compaction/compaction_job.h"
#include "engine/maintenance/deletion_job.h"
#include "engine/maintenance/horizon_job.h"
#include "engine/maintenance/merge_job.h"
#include "engine/maintenance/retention_job.h"
#include "engine/maintenance/truncation_job.h"

namespace weir::engine {

Maintenance::Maintenance(Parts parts, const Options& options)
    : pacer_(parts.loop,
             {options.maintenance.requests_per_second, options.maintenance.bytes_per_second},
             std::move(parts.busy)),
      turn_(parts.loop),
      context_{.loop = parts.loop,
               .store = parts.store,
               .log = parts.log,
               .follower = parts.follower,
               .proposer = parts.proposer,
               .configs = parts.configs,
               .cache = parts.cache,
               .workers = parts.workers,
               .options = options,
               .pacer = pacer_,
               .turn = &turn_,
               .logger = parts.logger,
               .metrics = parts.metrics},
      digests_(context_),
      runner_(context_),
      clock_(runner_.add(std::make_unique<ClockJob>(context_))),
      orphans_(runner_.add(std::make_unique<OrphansJob>(context_))) {
  runner_.add(std::make_unique<RetentionJob>(context_));
  runner_.add(std::make_unique<MergeJob>(context_, digests_));
  runner_.add(std::make_unique<CompactionJob>(context_));
  runner_.add(std::make_unique<ScrubJob>(context_));
  runner_.add(std::make_unique<DeletionJob>(context_));
  runner_.add(std::make_unique<HorizonJob>(context_));
  runner_.add(std::make_unique<TruncationJob>(context_, digests_));
}

void Maintenance::listen() {
  context_.follower.add_listener(&digests_);
  context_.follower.add_listener(&clock_);
  context_.follower.add_listener(&orphans_);
}

}  // namespace weir::engine
