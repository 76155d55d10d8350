#include "engine/audit/scrub_job.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

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

std::string ScrubJob::name_of(const state::ObjectRef& object) const {
  if (!object.is_inline) return segment_name(object);
  return context_.log.describe() + " position " + std::to_string(object.position.value);
}

bool ScrubJob::is_needed(const Item& item) const {
  const state::ObjectRef& object = item.object;
  if (!object.is_inline)
    return context_.state()
               .segment_live_bytes(object.born, object.writer, object.counter)
               .value_or(0) > 0;
  bool named = false;
  context_.state().visit_spans(item.at, item.base, [&](const state::SpanInfo& span) {
    named = span.object.is_inline && span.object.position == object.position;
    return false;
  });
  return named;
}

rt::Task<void> ScrubJob::begin_cycle() {
  cycle_begun_ = context_.loop.now();
  cycle_findings_ = 0;
  context_.state().visit_segments([&](const state::ObjectRef& object, std::uint64_t live) {
    if (live > 0 && is_mine(context_, segment_name(object))) left_.push_back({object, {}, {}});
    return left_.size() < kScrubObjectsMax;
  });
  co_await find_inline();
  // Each broker in another order, so that one that is often restarted gets everywhere in time.
  Incarnation self = context_.proposer.incarnation();
  auto order = [&](const Item& item) {
    return rendezvous_weight(as_bytes(name_of(item.object)), self.view());
  };
  std::sort(left_.begin(), left_.end(),
            [&](const Item& a, const Item& b) { return order(a) < order(b); });
}

/// Entries whose inline data spans name, each once.
rt::Task<void> ScrubJob::find_inline() {
  std::set<Position> found;
  std::string from;
  std::size_t looked = 0;
  while (context_.state().oldest_inline() && context_.may_go_on()) {
    std::optional<state::TopicInfo> topic;
    context_.state().visit_topics(from, [&](const state::TopicInfo& next) {
      topic = next;
      return false;
    });
    if (!topic) break;
    from = topic->name + '\0';
    for (std::int32_t p = 0; p < topic->partitions; ++p) {
      if (++looked % kPartitionsPerSlice == 0) co_await rt::yield(context_.loop);
      state::PartitionRef at{topic->id, PartitionIndex(p)};
      context_.state().visit_spans(at, Offset(0), [&](const state::SpanInfo& span) {
        bool take = span.object.is_inline && found.insert(span.object.position).second &&
                    is_mine(context_, name_of(span.object));
        if (take) left_.push_back({span.object, at, span.base});
        return left_.size() < kScrubObjectsMax;
      });
    }
  }
}

rt::Task<Result<bool>> ScrubJob::run_once() {
  if (left_.empty()) {
    MonoTime now = context_.loop.now();
    if (cycle_begun_ && now - *cycle_begun_ < context_.rules().scrub_interval) co_return false;
    co_await begin_cycle();
  }
  if (!left_.empty()) {
    Item item = left_.front();
    left_.pop_front();
    Result<void> scrubbed;
    if (is_needed(item))
      scrubbed = item.object.is_inline ? co_await scrub_inline(item) : co_await scrub_segment(item);
    if (!scrubbed) {
      left_.push_back(item);
      co_return std::unexpected(scrubbed.error());
    }
  }
  left_gauge_.set(narrow<std::int64_t>(left_.size()));
  last_findings_.set(narrow<std::int64_t>(cycle_findings_));
  if (left_.empty()) cycles_.add();
  co_return !left_.empty();
}

/// Replaced and removed while we waited, unless the newest state still names it.
rt::Task<Result<bool>> ScrubJob::is_missing(const Item& item) {
  WEIR_CO_TRY(co_await context_.follower.barrier(context_.loop.now() + kJobProposeWait));
  if (!is_needed(item)) co_return false;
  std::string name = name_of(item.object);
  tell({audit::FindingKind::missing_object,
        name,
        {},
        {},
        name + " is missing though spans name it; restore it from a copy of the store, `weir "
               "verify` says what it held"});
  co_return true;
}

/// Errors: of the log, which say nothing about the entry.
rt::Task<Result<void>> ScrubJob::scrub_inline(Item item) {
  const state::ObjectRef& object = item.object;
  co_await pacer_.take(0);
  co_await context_.pacer.take(0);
  auto entry = co_await context_.log.read(object.position);
  bool damaged = !entry && entry.error().is(ErrorCode::corrupt);
  bool absent = entry ? !*entry : entry.error().is(ErrorCode::precondition);
  if (!entry && !damaged && !absent) co_return with_context(entry.error(), name_of(object));
  objects_.add();
  if (absent) {
    auto missing = co_await is_missing(item);
    if (!missing) co_return std::unexpected(missing.error());
    co_return Result<void>{};
  }
  Result<state::EntryView> view = fail(ErrorCode::corrupt, "");
  if (entry) view = state::decode_entry(**entry);
  if (!view) {
    std::string why = (damaged ? entry.error() : view.error()).message;
    tell(
        {audit::FindingKind::damaged_entry, name_of(object), {}, {}, name_of(object) + ": " + why});
    co_return Result<void>{};
  }
  bytes_.add((*entry)->size());
  // Its bytes count, though how many they are is known only now.
  co_await pacer_.take((*entry)->size());
  std::uint64_t tag = 0;
  std::memcpy(&tag, view->header.nonce.bytes.data(), sizeof tag);
  if (tag == object.nonce_tag && state::inline_section(*view)) co_return Result<void>{};
  for (audit::Finding& finding : judge_inline(object, *view)) tell(finding);
  co_return Result<void>{};
}

audit::Findings ScrubJob::judge_inline(const state::ObjectRef& object,
                                       const state::EntryView& entry) const {
  audit::Findings found;
  audit::CheckCounts counts;
  audit::References references = audit::references_of(context_.state());
  auto used = references.inlines.find(object.position);
  if (used != references.inlines.end())
    audit::check_inline(name_of(object), entry, {context_.state(), &used->second}, found, counts);
  return found;
}

/// Errors: of the store, which say nothing about the object.
rt::Task<Result<void>> ScrubJob::scrub_segment(Item item) {
  const state::ObjectRef& object = item.object;
  std::string name = segment_name(object);
  co_await pacer_.take(object.bytes);
  co_await context_.pacer.take(object.bytes);
  auto bytes = co_await context_.store.get(name);
  audit::Findings found;
  if (!bytes && bytes.error().is(ErrorCode::not_found)) {
    auto missing = co_await is_missing(item);
    if (!missing) co_return std::unexpected(missing.error());
    if (!*missing) co_return Result<void>{};
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
