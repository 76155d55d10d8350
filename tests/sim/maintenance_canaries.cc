#include "tests/sim/maintenance_canaries.h"

#include <cstdio>

#include "engine/audit/inventory.h"
#include "engine/proposer.h"
#include "serial/reader.h"
#include "tests/sim/remote.h"

namespace weir::sim {

namespace {

/// True if a run could be stretched.
bool stretch(const state::State& state, state::command::ReplaceSpans& command) {
  for (auto& run : command.runs) {
    state::PartitionRef at{run.topic_id, PartitionIndex(run.partition)};
    std::optional<state::SpanInfo> next;
    state.visit_spans(at, Offset(run.end_offset), [&](const state::SpanInfo& span) {
      next = span;
      return false;
    });
    if (!next || next->base.value != run.end_offset) continue;
    std::int64_t end = run.end_offset + next->records;
    auto digest = state.spans_digest(at, Offset(run.base_offset), Offset(end));
    if (!digest) continue;
    run.end_offset = end;
    run.spans.back().offsets += next->records;
    run.old_digest_low = static_cast<std::int64_t>(digest->low);
    run.old_digest_high = static_cast<std::int64_t>(digest->high);
    return true;
  }
  return false;
}

/// True if a run makes something clean.
bool call_clean(const state::State& state, state::command::ReplaceSpans& command) {
  bool any = false;
  for (auto& run : command.runs) {
    auto partition = state.partition({run.topic_id, PartitionIndex(run.partition)});
    if (run.compacted_to < 0 || !partition) continue;
    run.compacted_to = partition->end.value;
    any = true;
  }
  return any;
}

}  // namespace

rt::Task<Result<void>> EarlyTruncationLog::raise_floor(Position to) {
  std::vector<std::string> names;
  for (std::uint64_t at = to.value > 200 ? to.value - 200 : 0; at < to.value; ++at) {
    char name[64];
    std::snprintf(name, sizeof name, "log/0/%020llu", static_cast<unsigned long long>(at));
    names.emplace_back(name);
  }
  auto removed = co_await store_.remove(std::move(names));
  if (!removed) co_return std::unexpected(removed.error());
  co_return Result<void>();
}

rt::Task<Result<commitlog::CreateOutcome>> SpoiledReplaceLog::create(Position at,
                                                                     BytesChain entry) {
  SharedBytes bytes = entry.flatten();
  auto view = state::decode_entry(bytes);
  bool changed = false;
  if (view && engine_ && engine_->follower().next() == at) {
    for (state::CommandGroup& group : view->groups)
      for (state::EncodedCommand& encoded : group.commands) {
        if (encoded.type != state::command::ReplaceSpans::kType) continue;
        state::command::ReplaceSpans command;
        serial::Reader reader(encoded.body);
        if (!decode(command, reader, engine::kCommandVersion)) continue;
        if (!spoil(command)) continue;
        encoded.body = engine::encode_body(command);
        changed = true;
      }
  }
  if (!changed) co_return co_await inner_.create(at, std::move(entry));
  BytesChain inline_data;
  if (view->inline_bytes > 0)
    inline_data.append(bytes.slice(view->inline_offset, view->inline_bytes));
  auto created =
      co_await inner_.create(at, state::encode_entry(view->header, view->groups, inline_data));
  // The writer must fold what stands in the log, not what it meant to write.
  if (created && *created == commitlog::CreateOutcome::won)
    co_return commitlog::CreateOutcome::unknown;
  co_return created;
}

bool SpoiledReplaceLog::spoil(state::command::ReplaceSpans& command) const {
  const state::State& state = engine_->follower().state();
  return canary_ == Canary::clean_unread ? call_clean(state, command) : stretch(state, command);
}

void collect_carelessly(const state::State& state, objstore::MemoryStore& store) {
  auto page = complete(store.list("data/", ""));
  std::vector<std::string> orphans;
  for (const objstore::ObjectInfo& object : page->objects) {
    auto name = engine::audit::identify(object.name);
    if (name.kind == engine::audit::ObjectKind::segment &&
        !state.segment_live_bytes(name.position, name.writer, name.counter))
      orphans.push_back(object.name);
  }
  if (!orphans.empty()) std::ignore = complete(store.remove(std::move(orphans)));
}

}  // namespace weir::sim
