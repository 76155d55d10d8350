#include "engine/maintenance/deletion_job.h"

#include <unordered_set>

#include "base/narrow.h"
#include "engine/limits.h"
#include "engine/segment.h"
#include "state/commands/forget_segments.h"

namespace weir::engine {

DeletionJob::DeletionJob(JobContext& context)
    : context_(context),
      deleted_(context.metrics.counter("weir_segments_deleted_total",
                                       "Unreferenced segments that were deleted")),
      deleted_bytes_(context.metrics.counter("weir_segments_deleted_bytes_total",
                                             "Bytes of the segments that were deleted")),
      refused_(context.metrics.counter("weir_segment_deletions_refused_total",
                                       "Segments that the store would not delete")),
      awaiting_(context.metrics.gauge("weir_segments_awaiting_deletion",
                                      "Segments that no span names and that are not gone yet")) {}

std::vector<DeletionJob::Doomed> DeletionJob::due() {
  std::vector<Doomed> found;
  std::map<std::string, MonoTime> seen;
  MonoTime now = context_.loop.now();
  Position horizon = context_.state().horizon();
  context_.state().visit_awaiting_deletion([&](const state::ObjectRef& object) {
    std::string name = segment_name(object);
    auto known = seen_.find(name);
    MonoTime since = known == seen_.end() ? now : known->second;
    seen.emplace(name, since);
    bool ripe = now - since >= context_.rules().deletion_delay && object.born < horizon;
    if (ripe && found.size() < kItemsPerCommandMax) found.push_back({object, std::move(name)});
    return true;
  });
  seen_ = std::move(seen);
  awaiting_.set(narrow<std::int64_t>(seen_.size()));
  return found;
}

rt::Task<Result<bool>> DeletionJob::run_once() {
  // Also while the job is another broker's, which may be gone before its delay is over.
  std::vector<Doomed> doomed = due();
  if (doomed.empty() || !is_mine(context_, "deletion")) co_return false;
  std::vector<std::string> names;
  names.reserve(doomed.size());
  for (const Doomed& one : doomed) names.push_back(one.name);
  co_await context_.pacer.take(0);
  auto failures = co_await context_.store.remove(std::move(names));
  if (!failures) co_return with_context(failures.error(), "deleting segments");
  std::unordered_set<std::string> failed;
  for (const auto& [name, error] : *failures) {
    refused_.add();
    failed.insert(name);
    context_.logger.warn("segment_not_deleted", {{"object", name}, {"error", describe(error)}});
  }
  std::erase_if(doomed, [&](const Doomed& one) { return failed.contains(one.name); });
  bool all = failed.empty();
  if (doomed.empty()) co_return false;
  WEIR_CO_TRY(co_await forget(std::move(doomed)));
  co_return all;
}

rt::Task<Result<void>> DeletionJob::forget(std::vector<Doomed> deleted) {
  state::command::ForgetSegments command;
  for (const Doomed& one : deleted) {
    command.segments.push_back({narrow<std::int64_t>(one.object.born.value),
                                Uuid::from_bytes(one.object.writer.view()),
                                narrow<std::int64_t>(one.object.counter)});
    deleted_.add();
    deleted_bytes_.add(one.object.bytes);
  }
  auto outcome = co_await context_.proposer.propose(make_proposal(command),
                                                    context_.loop.now() + kJobProposeWait);
  if (!outcome) co_return with_context(outcome.error(), "forgetting deleted segments");
  co_return Result<void>{};
}

}  // namespace weir::engine
