#include "engine/maintenance/orphans_job.h"

#include <algorithm>

#include "engine/audit/inventory.h"
#include "engine/limits.h"

namespace weir::engine {

namespace {

constexpr std::string_view kPrefix = "data/";

}  // namespace

OrphansJob::OrphansJob(JobContext& context)
    : context_(context),
      deleted_(context.metrics.counter("weir_orphans_deleted_total",
                                       "Objects that were never committed and were deleted")),
      deleted_bytes_(context.metrics.counter("weir_orphans_deleted_bytes_total",
                                             "Bytes of the orphans that were deleted")),
      foreign_(context.metrics.gauge("weir_foreign_objects",
                                     "Objects below data/ with names that weir does not give")) {}

void OrphansJob::on_folded(const state::EntryView& entry, const state::Folded&) {
  if (context_.state().placement_epoch() == known_epoch_) return;
  // The first fold after a start: whoever was here before may have died.
  bool lost = known_epoch_.value < 0;
  std::vector<Incarnation> now;
  for (const state::BrokerInfo& broker : context_.state().brokers())
    now.push_back(broker.incarnation);
  for (const Incarnation& broker : known_)
    lost = lost || std::find(now.begin(), now.end(), broker) == now.end();
  if (lost) lost_at_ = entry.header.position;
  known_ = std::move(now);
  known_epoch_ = context_.state().placement_epoch();
}

bool OrphansJob::is_orphan(const std::string& name) const {
  audit::ObjectIdentity object = audit::identify(name);
  if (object.kind != audit::ObjectKind::segment) return false;
  if (object.position >= context_.state().horizon()) return false;
  return !context_.state().segment_live_bytes(object.position, object.writer, object.counter);
}

rt::Task<Result<bool>> OrphansJob::run_once() {
  if (!is_mine(context_, "orphans")) co_return false;
  MonoTime now = context_.loop.now();
  bool after_loss = lost_at_ && context_.state().horizon() > *lost_at_;
  if (last_ && now - *last_ < context_.rules().orphans_interval && !after_loss) co_return false;
  foreign_found_ = 0;
  std::string continuation;
  do {
    if (!context_.may_go_on()) co_return false;
    co_await context_.pacer.take(0);
    auto page = co_await context_.store.list(std::string(kPrefix), continuation);
    if (!page) co_return with_context(page.error(), "listing segments");
    continuation = page->next;
    WEIR_CO_TRY(co_await collect(std::move(page->objects)));
  } while (!continuation.empty());
  last_ = now;
  if (after_loss) lost_at_.reset();
  foreign_.set(foreign_found_);
  co_return false;
}

rt::Task<Result<void>> OrphansJob::collect(std::vector<objstore::ObjectInfo> page) {
  std::vector<std::string> orphans;
  std::uint64_t bytes = 0;
  for (const objstore::ObjectInfo& object : page) {
    if (audit::identify(object.name).kind != audit::ObjectKind::segment) ++foreign_found_;
    if (!is_orphan(object.name)) continue;
    orphans.push_back(object.name);
    bytes += object.size;
  }
  if (orphans.empty()) co_return Result<void>{};
  std::size_t count = orphans.size();
  co_await context_.pacer.take(0);
  auto failures = co_await context_.store.remove(std::move(orphans));
  if (!failures) co_return with_context(failures.error(), "deleting orphans");
  for (const auto& [name, error] : *failures)
    context_.logger.warn("orphan_not_deleted", {{"object", name}, {"error", describe(error)}});
  deleted_.add(count - failures->size());
  deleted_bytes_.add(bytes);
  context_.logger.info("orphans_deleted",
                       {{"objects", count - failures->size()}, {"bytes", bytes}});
  co_return Result<void>{};
}

}  // namespace weir::engine
