#include <algorithm>
#include <limits>

#include "base/narrow.h"
#include "state/commands/advance_horizon.h"
#include "state/commands/genesis.h"
#include "state/commands/note_snapshot.h"
#include "state/commands/raise_feature_level.h"
#include "state/fold.h"
#include "state/limits.h"

namespace weir::state {

void fold_genesis(FoldContext& context, const command::Genesis& command, Verdict& verdict) {
  if (command.cluster_id.empty() || command.cluster_id.size() > kClusterIdBytesMax ||
      command.shard_count != 1 || command.feature_level < 1) {
    return verdict.refuse(Refusal::malformed);
  }
  context.tables.edit_meta([&](MetaValues& meta) {
    meta.cluster_id = command.cluster_id;
    meta.created_ms = command.created_ms;
    meta.level = FeatureLevel(narrow<std::uint16_t>(command.feature_level));
  });
}

void fold(FoldContext&, const command::Genesis&, Verdict& verdict) {
  verdict.refuse(Refusal::malformed);  // a log begins once
}

void fold(FoldContext& context, const command::RaiseFeatureLevel& command, Verdict& verdict) {
  std::int32_t current = context.tables.meta->level.value;
  if (command.feature_level <= current) return verdict.refuse(Refusal::guard_mismatch);
  for (const auto& [incarnation, broker] : context.tables.brokers.all()) {
    if (broker.state().level_max.value < command.feature_level)
      return verdict.refuse(Refusal::unsupported_level);
  }
  context.tables.edit_meta([&](MetaValues& meta) {
    meta.level = FeatureLevel(narrow<std::uint16_t>(command.feature_level));
  });
}

void fold(FoldContext& context, const command::NoteSnapshot& command, Verdict& verdict) {
  if (command.snapshot_position < 0 || command.snapshot_counter < 0 || command.bytes < 0 ||
      static_cast<std::uint64_t>(command.snapshot_position) >= context.position().value) {
    return verdict.refuse(Refusal::malformed);
  }
  NotedSnapshot noted;
  noted.position = Position(static_cast<std::uint64_t>(command.snapshot_position));
  noted.writer = context.incarnation;
  noted.counter = static_cast<std::uint64_t>(command.snapshot_counter);
  noted.digest.low = static_cast<std::uint64_t>(command.digest_low);
  noted.digest.high = static_cast<std::uint64_t>(command.digest_high);
  noted.bytes = static_cast<std::uint64_t>(command.bytes);
  noted.noted_at = context.position();
  const std::vector<NotedSnapshot>& known = context.tables.meta->noted_snapshots;
  if (!known.empty() && noted.position <= known.back().position)
    return verdict.refuse(Refusal::guard_mismatch);
  context.tables.edit_meta([&](MetaValues& meta) {
    if (meta.noted_snapshots.size() == kNotedSnapshotsKept)
      meta.noted_snapshots.erase(meta.noted_snapshots.begin());
    meta.noted_snapshots.push_back(noted);
  });
  drop_old_votes(context.tables);
}

void fold(FoldContext& context, const command::AdvanceHorizon& command, Verdict& verdict) {
  if (command.horizon < 0) return verdict.refuse(Refusal::malformed);
  Position horizon(static_cast<std::uint64_t>(command.horizon));
  if (horizon > context.position()) return verdict.refuse(Refusal::malformed);
  if (horizon <= context.tables.meta->horizon) return verdict.refuse(Refusal::guard_mismatch);
  context.tables.edit_meta([&](MetaValues& meta) { meta.horizon = horizon; });
}

}  // namespace weir::state
