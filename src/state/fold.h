// The handlers of the fold: one per command, by area. Private to this layer.
//
// A handler may rely on nothing about the command but that it decoded. It changes the state only
// through Ledger::edit, and says what it did in a Verdict. Level: all rules here are those of
// feature level 1; a change of any outcome takes a new level.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "state/entry.h"
#include "state/refusal.h"
#include "state/state.h"
#include "state/tables.h"

namespace weir::state {

namespace command {
struct Genesis;
struct RegisterBroker;
struct DeregisterBroker;
struct ExpireBroker;
struct Vouch;
struct CreateTopics;
struct DeleteTopics;
struct CreatePartitions;
struct AlterConfigs;
struct AppendSpans;
struct AdvanceStart;
struct AllocateProducerIds;
struct ExpireProducers;
struct NoteSnapshot;
struct RaiseFeatureLevel;
struct AdvanceHorizon;
struct ForgetSegments;
struct JoinGroup;
struct SyncGroup;
struct LeaveGroup;
struct ExpireMembers;
struct VouchMembers;
struct CommitOffsets;
struct DeleteOffsets;
struct DeleteGroups;
struct EndPhase;
struct ExpireOffsets;
struct ConsumerGroupHeartbeat;
struct LeaveConsumerGroup;
struct FenceConsumerMember;
struct AssignConsumerGroup;
struct DowngradeConsumerGroup;
struct ReplaceSpans;
struct AdvanceClock;
struct ReportDigest;
}  // namespace command

/// What a command knows of its surroundings.
struct FoldContext {
  Tables& tables;
  const EntryView& entry;
  /// Who proposed the command.
  Incarnation incarnation;
  /// The entry's inline object, once a span names it.
  std::optional<std::uint64_t> inline_sequence;
  /// Scratch of AppendSpans.
  std::vector<NewSpan> spans;

  Ledger& ledger() { return tables.ledger; }
  Position position() const { return entry.header.position; }
};

struct Verdict {
  Refusal refusal = Refusal::none;
  std::vector<ItemOutcome> items;

  void refuse(Refusal why) { refusal = why; }
  void item(Refusal why, std::int64_t value = 0) { items.push_back({why, value}); }
};

// brokers/
void fold(FoldContext& context, const command::RegisterBroker& command, Verdict& verdict);
void fold(FoldContext& context, const command::DeregisterBroker& command, Verdict& verdict);
void fold(FoldContext& context, const command::ExpireBroker& command, Verdict& verdict);
void fold(FoldContext& context, const command::Vouch& command, Verdict& verdict);
// cluster/
void fold(FoldContext& context, const command::Genesis& command, Verdict& verdict);
void fold(FoldContext& context, const command::RaiseFeatureLevel& command, Verdict& verdict);
void fold(FoldContext& context, const command::NoteSnapshot& command, Verdict& verdict);
void fold(FoldContext& context, const command::AdvanceHorizon& command, Verdict& verdict);
void fold(FoldContext& context, const command::AdvanceClock& command, Verdict& verdict);
void fold(FoldContext& context, const command::ReportDigest& command, Verdict& verdict);
/// After the noted snapshots have changed.
void drop_old_votes(Tables& tables);
// topics/
void fold(FoldContext& context, const command::CreateTopics& command, Verdict& verdict);
void fold(FoldContext& context, const command::DeleteTopics& command, Verdict& verdict);
void fold(FoldContext& context, const command::CreatePartitions& command, Verdict& verdict);
void fold(FoldContext& context, const command::AlterConfigs& command, Verdict& verdict);
// log/
void fold(FoldContext& context, const command::AppendSpans& command, Verdict& verdict);
void fold(FoldContext& context, const command::AdvanceStart& command, Verdict& verdict);
void fold(FoldContext& context, const command::ForgetSegments& command, Verdict& verdict);
void fold(FoldContext& context, const command::ReplaceSpans& command, Verdict& verdict);
// producers/
void fold(FoldContext& context, const command::AllocateProducerIds& command, Verdict& verdict);
void fold(FoldContext& context, const command::ExpireProducers& command, Verdict& verdict);

// groups/
void fold(FoldContext& context, const command::JoinGroup& command, Verdict& verdict);
void fold(FoldContext& context, const command::SyncGroup& command, Verdict& verdict);
void fold(FoldContext& context, const command::LeaveGroup& command, Verdict& verdict);
void fold(FoldContext& context, const command::ExpireMembers& command, Verdict& verdict);
void fold(FoldContext& context, const command::VouchMembers& command, Verdict& verdict);
void fold(FoldContext& context, const command::EndPhase& command, Verdict& verdict);
void fold(FoldContext& context, const command::CommitOffsets& command, Verdict& verdict);
void fold(FoldContext& context, const command::DeleteOffsets& command, Verdict& verdict);
void fold(FoldContext& context, const command::DeleteGroups& command, Verdict& verdict);
void fold(FoldContext& context, const command::ExpireOffsets& command, Verdict& verdict);

// consumer_groups/
void fold(FoldContext& context, const command::ConsumerGroupHeartbeat& command, Verdict& verdict);
void fold(FoldContext& context, const command::LeaveConsumerGroup& command, Verdict& verdict);
void fold(FoldContext& context, const command::FenceConsumerMember& command, Verdict& verdict);
void fold(FoldContext& context, const command::AssignConsumerGroup& command, Verdict& verdict);
void fold(FoldContext& context, const command::DowngradeConsumerGroup& command, Verdict& verdict);

/// Genesis itself, as the whole of entry 0.
void fold_genesis(FoldContext& context, const command::Genesis& command, Verdict& verdict);

}  // namespace weir::state
