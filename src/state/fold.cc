#include "state/fold.h"

#include <utility>

#include "base/narrow.h"
#include "serial/reader.h"
#include "state/commands/advance_clock.h"
#include "state/commands/advance_horizon.h"
#include "state/commands/advance_start.h"
#include "state/commands/allocate_producer_ids.h"
#include "state/commands/alter_configs.h"
#include "state/commands/append_spans.h"
#include "state/commands/assign_consumer_group.h"
#include "state/commands/commit_offsets.h"
#include "state/commands/consumer_group_heartbeat.h"
#include "state/commands/create_partitions.h"
#include "state/commands/create_topics.h"
#include "state/commands/delete_groups.h"
#include "state/commands/delete_offsets.h"
#include "state/commands/delete_topics.h"
#include "state/commands/deregister_broker.h"
#include "state/commands/downgrade_consumer_group.h"
#include "state/commands/end_phase.h"
#include "state/commands/expire_broker.h"
#include "state/commands/expire_members.h"
#include "state/commands/expire_offsets.h"
#include "state/commands/expire_producers.h"
#include "state/commands/fence_consumer_member.h"
#include "state/commands/forget_segments.h"
#include "state/commands/genesis.h"
#include "state/commands/join_group.h"
#include "state/commands/leave_consumer_group.h"
#include "state/commands/leave_group.h"
#include "state/commands/note_snapshot.h"
#include "state/commands/raise_feature_level.h"
#include "state/commands/register_broker.h"
#include "state/commands/replace_spans.h"
#include "state/commands/report_digest.h"
#include "state/commands/sync_group.h"
#include "state/commands/vouch.h"
#include "state/commands/vouch_members.h"

namespace weir::state {
namespace {

/// What a command body may take in memory, decoded.
constexpr std::size_t kCommandMemoryMax = std::size_t{256} << 20;

template <class Command>
bool decode_command(Command& command, const SharedBytes& body, FeatureLevel level) {
  // Genesis is read at the level that its entry claims, which may be anything.
  if (!std::in_range<std::int16_t>(level.value)) return false;
  serial::Reader reader(body, kCommandMemoryMax);
  return decode(command, reader, narrow<std::int16_t>(level.value)) && reader.expect_end();
}

template <class Command>
void run(FoldContext& context, const EncodedCommand& encoded, Verdict& verdict) {
  Command command;
  if (decode_command(command, encoded.body, context.tables.meta->level)) {
    fold(context, command, verdict);
  } else {
    verdict.refuse(Refusal::malformed);
  }
}

void run_any(FoldContext& context, const EncodedCommand& encoded, Verdict& verdict) {
  switch (encoded.type) {
    case command::Genesis::kType: return run<command::Genesis>(context, encoded, verdict);
    case command::RegisterBroker::kType:
      return run<command::RegisterBroker>(context, encoded, verdict);
    case command::DeregisterBroker::kType:
      return run<command::DeregisterBroker>(context, encoded, verdict);
    case command::ExpireBroker::kType: return run<command::ExpireBroker>(context, encoded, verdict);
    case command::Vouch::kType: return run<command::Vouch>(context, encoded, verdict);
    case command::CreateTopics::kType: return run<command::CreateTopics>(context, encoded, verdict);
    case command::DeleteTopics::kType: return run<command::DeleteTopics>(context, encoded, verdict);
    case command::CreatePartitions::kType:
      return run<command::CreatePartitions>(context, encoded, verdict);
    case command::AlterConfigs::kType: return run<command::AlterConfigs>(context, encoded, verdict);
    case command::AppendSpans::kType: return run<command::AppendSpans>(context, encoded, verdict);
    case command::AdvanceStart::kType: return run<command::AdvanceStart>(context, encoded, verdict);
    case command::AllocateProducerIds::kType:
      return run<command::AllocateProducerIds>(context, encoded, verdict);
    case command::ExpireProducers::kType:
      return run<command::ExpireProducers>(context, encoded, verdict);
    case command::NoteSnapshot::kType: return run<command::NoteSnapshot>(context, encoded, verdict);
    case command::RaiseFeatureLevel::kType:
      return run<command::RaiseFeatureLevel>(context, encoded, verdict);
    case command::AdvanceHorizon::kType:
      return run<command::AdvanceHorizon>(context, encoded, verdict);
    case command::ForgetSegments::kType:
      return run<command::ForgetSegments>(context, encoded, verdict);
    case command::JoinGroup::kType: return run<command::JoinGroup>(context, encoded, verdict);
    case command::SyncGroup::kType: return run<command::SyncGroup>(context, encoded, verdict);
    case command::LeaveGroup::kType: return run<command::LeaveGroup>(context, encoded, verdict);
    case command::ExpireMembers::kType:
      return run<command::ExpireMembers>(context, encoded, verdict);
    case command::VouchMembers::kType: return run<command::VouchMembers>(context, encoded, verdict);
    case command::CommitOffsets::kType:
      return run<command::CommitOffsets>(context, encoded, verdict);
    case command::DeleteOffsets::kType:
      return run<command::DeleteOffsets>(context, encoded, verdict);
    case command::DeleteGroups::kType: return run<command::DeleteGroups>(context, encoded, verdict);
    case command::EndPhase::kType: return run<command::EndPhase>(context, encoded, verdict);
    case command::ExpireOffsets::kType:
      return run<command::ExpireOffsets>(context, encoded, verdict);
    case command::AssignConsumerGroup::kType:
      return run<command::AssignConsumerGroup>(context, encoded, verdict);
    case command::ConsumerGroupHeartbeat::kType:
      return run<command::ConsumerGroupHeartbeat>(context, encoded, verdict);
    case command::DowngradeConsumerGroup::kType:
      return run<command::DowngradeConsumerGroup>(context, encoded, verdict);
    case command::FenceConsumerMember::kType:
      return run<command::FenceConsumerMember>(context, encoded, verdict);
    case command::LeaveConsumerGroup::kType:
      return run<command::LeaveConsumerGroup>(context, encoded, verdict);
    case command::ReplaceSpans::kType: return run<command::ReplaceSpans>(context, encoded, verdict);
    case command::AdvanceClock::kType: return run<command::AdvanceClock>(context, encoded, verdict);
    case command::ReportDigest::kType: return run<command::ReportDigest>(context, encoded, verdict);
    default: return verdict.refuse(Refusal::unsupported_level);
  }
}

void conclude(CommandOutcome& outcome, Verdict verdict) {
  outcome.refusal = verdict.refusal;
  outcome.status =
      verdict.refusal == Refusal::none ? CommandStatus::applied : CommandStatus::refused;
  if (verdict.refusal == Refusal::none) outcome.items = std::move(verdict.items);
}

/// Duty 4d: who may say what, and each thing once.
void fold_one(FoldContext& context, const EncodedCommand& encoded, CommandOutcome& outcome) {
  BrokerTable& brokers = context.tables.brokers;
  const BrokerState* broker = brokers.find(context.incarnation);
  Verdict verdict;
  if (broker != nullptr) {
    if (outcome.counter <= broker->last) {
      outcome.status = CommandStatus::repeat;
      return;
    }
    if (outcome.counter != broker->last.next()) {
      outcome.status = CommandStatus::ahead;
      return;
    }
    brokers.consume(context.ledger(), context.incarnation, outcome.counter);
    run_any(context, encoded, verdict);
  } else if (encoded.type == command::Genesis::kType) {
    verdict.refuse(Refusal::malformed);
  } else if (encoded.type == command::RegisterBroker::kType && outcome.counter.value == 1) {
    run_any(context, encoded, verdict);
  } else {
    verdict.refuse(Refusal::not_registered);
  }
  conclude(outcome, std::move(verdict));
}

/// Entry 0 is exactly one Genesis, and nothing else in it counts.
void fold_first(FoldContext& context, const EntryView& entry, Folded& folded) {
  bool alone = entry.groups.size() == 1 && entry.groups[0].commands.size() == 1 &&
               entry.groups[0].first.value == 0 &&
               entry.groups[0].commands[0].type == command::Genesis::kType;
  for (CommandOutcome& outcome : folded.outcomes) {
    Verdict verdict;
    command::Genesis genesis;
    if (alone && decode_command(genesis, entry.groups[0].commands[0].body, entry.header.level)) {
      fold_genesis(context, genesis, verdict);
    } else {
      verdict.refuse(Refusal::malformed);
    }
    conclude(outcome, std::move(verdict));
  }
}

Folded outcomes_of(const EntryView& entry) {
  Folded folded;
  std::size_t count = 0;
  for (const CommandGroup& group : entry.groups) count += group.commands.size();
  folded.outcomes.reserve(count);
  for (const CommandGroup& group : entry.groups) {
    CommandCounter counter = group.first;
    for (std::size_t i = 0; i < group.commands.size(); ++i, counter = counter.next()) {
      CommandOutcome outcome;
      outcome.incarnation = group.incarnation;
      outcome.counter = counter;
      folded.outcomes.push_back(std::move(outcome));
    }
  }
  return folded;
}

}  // namespace

Folded State::apply(const EntryView& entry) {
  Tables& tables = *tables_;
  std::optional<Position> at = position();
  ENSURE(entry.header.position == (at ? at->next() : Position(0)));

  FoldContext context{.tables = tables, .entry = entry};
  Folded folded = outcomes_of(entry);
  if (!at) {
    fold_first(context, entry, folded);
  } else {
    std::size_t next = 0;
    for (const CommandGroup& group : entry.groups) {
      context.incarnation = group.incarnation;
      for (const EncodedCommand& command : group.commands)
        fold_one(context, command, folded.outcomes[next++]);
    }
  }
  tables.edit_meta([&](MetaValues& meta) {
    meta.position = entry.header.position;
    meta.nonce = entry.header.nonce;
  });
  tables.digests.push(entry.header.position, tables.ledger.digest());
  return folded;
}

}  // namespace weir::state
