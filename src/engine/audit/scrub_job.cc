#include "engine/audit/scrub_job.h"

#include <algorithm>

#include "base/hash.h"
#include "base/narrow.h"
#include "engine/limits.h"
#include "engine/segment.h"

namespace weir::engine {

ScrubJob::ScrubJob(JobContext& context)
    : context_(context),
      pacer_(context.loop, {kScrubRequestsPerSecond, context.rules().scrub_bytes_per_second}, {}),
      objects_(
          context.metrics.counter("weir_scrub_objects_total", "Segments read by the scrubber")),
      bytes_(context.metrics.counter("weir_scrub_bytes_total", "Bytes read by the scrubber")),
      findings_(context.metrics.counter("weir_scrub_findings_total",
                                        "Objects or regions that the scrubber found damaged")),
      cycles_(context.metrics.counter("weir_scrub_cycles_total",
                                      "Times that the scrubber has been through all segments")),
      left_gauge_(context.metrics.gauge("weir_scrub_left_objects",
                                        "Segments left in this cycle of the scrubber")),
      last_findings_(context.metrics.gauge("weir_scrub_cycle_findings",
                                           "Findings of the cycle that is under way, or ended "
                                           "last")) {}

bool ScrubJob::is_needed(const state::ObjectRef& object) const {
  return context_.state()
             .segment_live_bytes(object.born, object.writer, object.counter)
             .value_or(0) > 0;
}

void ScrubJob::begin_cycle() {
  cycle_begun_ = context_.loop.now();
  cycle_findings_ = 0;
  context_.state().visit_segments([&](const state::ObjectRef& object, std::uint64_t live) {
    if (live > 0 && is_mine(context_, segment_name(object))) left_.push_back(object);
    return left_.size() < kScrubObjectsMax;
  });
  // Each broker in another order, so that one that is often restarted gets everywhere in time.
  Incarnation self = context_.proposer.incarnation();
  auto order = [&](const state::ObjectRef& object) {
    return rendezvous_weight(as_bytes(segment_name(object)), self.view());
  };
  std::sort(left_.begin(), left_.end(),
            [&](const auto& a, const auto& b) { return order(a) < order(b); });
}

rt::Task<Result<bool>> ScrubJob::run_once() {
  if (left_.empty()) {
    MonoTime now = context_.loop.now();
    if (cycle_begun_ && now - *cycle_begun_ < context_.rules().scrub_interval) co_return false;
    begin_cycle();
  }
  if (!left_.empty()) {
    state::ObjectRef object = left_.front();
    left_.pop_front();
    Result<void> scrubbed;
    if (is_needed(object)) scrubbed = co_await scrub(object);
    if (!scrubbed) {
      left_.push_back(object);
      co_return std::unexpected(scrubbed.error());
    }
  }
  left_gauge_.set(narrow<std::int64_t>(left_.size()));
  last_findings_.set(narrow<std::int64_t>(cycle_findings_));
  if (left_.empty()) cycles_.add();
  co_return !left_.empty();
}

/// Errors: of the store, which say nothing about the object.
rt::Task<Result<void>> ScrubJob::scrub(state::ObjectRef object) {
  std::string name = segment_name(object);
  co_await pacer_.take(object.bytes);
  co_await context_.pacer.take(object.bytes);
  auto bytes = co_await context_.store.get(name);
  audit::Findings found;
  if (!bytes && bytes.error().is(ErrorCode::not_found)) {
    // Replaced and deleted while we waited, unless the newest state still names it.
    WEIR_CO_TRY(co_await context_.follower.barrier(context_.loop.now() + kJobProposeWait));
    if (!is_needed(object)) co_return Result<void>{};
    found.push_back({audit::FindingKind::missing_object,
                     name,
                     {},
                     {},
                     name + " is missing though spans name it; restore it from a copy of the "
                            "store, `weir verify` says what it held"});
  } else if (!bytes) {
    co_return with_context(bytes.error(), name);
  } else {
    audit::CheckCounts counts;
    audit::SegmentCheck check(name, bytes->view(), {context_.state(), nullptr}, found, counts);
    while (check.step()) co_await rt::yield(context_.loop);
    if (!found.empty() || bytes->size() != object.bytes) found = judge(name, bytes->view());
    bytes_.add(bytes->size());
  }
  objects_.add();
  for (audit::Finding& finding : found) tell(finding);
  co_return Result<void>{};
}

/// The same check with what the state knows of the object, so that findings name offsets. Rare, and
/// therefore it may look through all spans.
audit::Findings ScrubJob::judge(const std::string& name, Bytes bytes) const {
  audit::Findings found;
  audit::CheckCounts counts;
  audit::References references = audit::references_of(context_.state());
  auto used = references.segments.find(name);
  if (used != references.segments.end())
    audit::check_segment(name, bytes, {context_.state(), &used->second}, found, counts);
  return found;
}

void ScrubJob::tell(const audit::Finding& finding) {
  findings_.add();
  ++cycle_findings_;
  context_.logger.error("scrub_finding", {{"kind", audit::to_string(finding.kind)},
                                          {"object", finding.object},
                                          {"region", finding.region},
                                          {"offset", finding.offset.value_or(Offset(-1)).value},
                                          {"finding", finding.sentence}});
}

}  // namespace weir::engine
