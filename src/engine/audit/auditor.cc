#include "engine/audit/auditor.h"

#include "engine/segment.h"
#include "state/entry.h"

namespace weir::engine::audit {

namespace {

std::string entry_name(const commitlog::CommitLog& log, Position at) {
  return log.describe() + " position " + std::to_string(at.value);
}

Finding missing(const std::string& name, const state::State& state, const UsedObject& used) {
  const SpanUse& first = used.spans.front();
  return {FindingKind::missing_object, name, describe(state, first.at), first.base,
          name + " is missing though the log names it for " + describe(state, used.spans) +
              "; restore it from a copy of the store, else these records are lost"};
}

}  // namespace

rt::Task<Result<AuditReport>> Auditor::run() {
  auto inventory = co_await take_inventory(parts_.store);
  if (!inventory) co_return std::unexpected(inventory.error());
  inventory_ = std::move(*inventory);
  WEIR_CO_TRY(co_await walk_.run(inventory_));
  if (walk_.complete()) {
    references_ = references_of(walk_.state());
    check_state(walk_.state(), references_, report_.findings);
    WEIR_CO_TRY(co_await check_segments());
    WEIR_CO_TRY(co_await check_inlines());
    WEIR_CO_TRY(co_await judge_missing());
    judge_unreferenced();
  }
  report_.complete = walk_.complete();
  report_.floor = walk_.floor();
  report_.next = walk_.next();
  report_.entries = walk_.entries();
  report_.snapshots = walk_.snapshots().size();
  report_.segments = references_.segments.size();
  report_.inline_objects = references_.inlines.size();
  report_.spans = references_.spans;
  report_.awaiting_deletion = references_.awaiting_deletion.size();
  co_return report_;
}

rt::Task<Result<void>> Auditor::check_segments() {
  for (const auto& [name, used] : references_.segments)
    WEIR_CO_TRY(co_await check_one_segment(name, used));
  co_return Result<void>{};
}

rt::Task<Result<void>> Auditor::check_one_segment(const std::string& name, const UsedObject& used) {
  if (!options_.read_data) {
    auto head = co_await parts_.store.head(name);
    if (!head && head.error().is(ErrorCode::not_found)) {
      missing_segments_.push_back(name);
    } else if (!head) {
      co_return with_context(head.error(), name);
    } else if (head->size != used.object.bytes) {
      report_.findings.push_back({FindingKind::wrong_size,
                                  name,
                                  {},
                                  used.spans.front().base,
                                  name + " has " + std::to_string(head->size) +
                                      " bytes instead of the " + std::to_string(used.object.bytes) +
                                      " that were committed"});
    }
    co_return Result<void>{};
  }
  auto bytes = co_await parts_.store.get(name);
  if (!bytes && bytes.error().is(ErrorCode::not_found)) {
    missing_segments_.push_back(name);
    co_return Result<void>{};
  }
  if (!bytes) co_return with_context(bytes.error(), name);
  check_segment(name, bytes->view(), {walk_.state(), &used}, report_.findings, report_.checked);
  co_return Result<void>{};
}

rt::Task<Result<void>> Auditor::check_inlines() {
  if (!options_.read_data) co_return Result<void>{};  // The walk has seen that they are there.
  for (const auto& [position, used] : references_.inlines) {
    auto entry = co_await parts_.log.read(position);
    bool gone = entry ? !entry->has_value() : entry.error().is(ErrorCode::precondition);
    if (gone) {
      missing_entries_.push_back(position);
      continue;
    }
    std::string name = entry_name(parts_.log, position);
    if (!entry && !entry.error().is(ErrorCode::corrupt))
      co_return with_context(entry.error(), name);
    auto view = entry ? state::decode_entry(**entry) : std::unexpected(entry.error());
    if (view) {
      check_inline(name, *view, {walk_.state(), &used}, report_.findings, report_.checked);
      continue;
    }
    report_.findings.push_back(
        {FindingKind::damaged_region, name, describe(walk_.state(), used.spans.front().at),
         used.spans.front().base,
         name + " is damaged (" + view.error().message +
             ") and holds records inline: " + describe(walk_.state(), used.spans)});
  }
  co_return Result<void>{};
}

/// What was not there may have been replaced while we read: only what the newest state still names
/// is missing.
rt::Task<Result<void>> Auditor::judge_missing() {
  if (missing_segments_.empty() && missing_entries_.empty()) co_return Result<void>{};
  WEIR_CO_TRY(co_await walk_.catch_up());
  References now = references_of(walk_.state());
  for (const std::string& name : missing_segments_)
    if (auto used = now.segments.find(name); used != now.segments.end())
      report_.findings.push_back(missing(name, walk_.state(), used->second));
  for (Position position : missing_entries_)
    if (auto used = now.inlines.find(position); used != now.inlines.end())
      report_.findings.push_back(
          missing(entry_name(parts_.log, position), walk_.state(), used->second));
  co_return Result<void>{};
}

void Auditor::judge_unreferenced() {
  Position horizon = walk_.state().horizon();
  for (const auto& [name, object] : inventory_.objects) {
    if (object.identity.kind == ObjectKind::foreign) {
      report_.findings.push_back(
          {FindingKind::foreign_object,
           name,
           {},
           {},
           name +
               " has a name that weir does not give; nothing reads or removes it. Move it out of "
               "the store if it is not needed there"});
    } else if (object.identity.kind == ObjectKind::segment && !references_.knows(name)) {
      if (object.identity.position >= horizon) {
        ++report_.maybe_in_flight;
        continue;
      }
      report_.findings.push_back(
          {FindingKind::orphan,
           name,
           {},
           {},
           name + " (" + std::to_string(object.bytes) +
               " bytes) is an orphan: nothing names it, and "
               "it was born at position " +
               std::to_string(object.identity.position.value) + ", before the horizon " +
               std::to_string(horizon.value) +
               ", so nothing can name it any more; brokers remove it at their next collection"});
    }
  }
}

}  // namespace weir::engine::audit
