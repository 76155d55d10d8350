// The commands by which brokers tell their clocks and compare their states.
#include <algorithm>

#include "state/commands/advance_clock.h"
#include "state/commands/report_digest.h"
#include "state/fold.h"
#include "state/limits.h"

namespace weir::state {

void fold(FoldContext& context, const command::AdvanceClock& command, Verdict& verdict) {
  if (command.wall_ms <= 0) return verdict.refuse(Refusal::malformed);
  Tables& tables = context.tables;
  std::vector<Incarnation> live;
  for (const BrokerInfo& broker : tables.brokers.list()) live.push_back(broker.incarnation);
  tables.ledger.edit(tables.clock, [&](LogClock& unit, EditKey key) {
    unit.change(key).read(live, tables.meta->created_ms,
                          {context.incarnation, command.wall_ms, context.position()});
  });
}

void fold(FoldContext& context, const command::ReportDigest& command, Verdict& verdict) {
  if (command.snapshot_position < 0) return verdict.refuse(Refusal::malformed);
  Position at(static_cast<std::uint64_t>(command.snapshot_position));
  Tables& tables = context.tables;
  const std::vector<NotedSnapshot>& noted = tables.meta->noted_snapshots;
  bool known = std::any_of(noted.begin(), noted.end(),
                           [at](const NotedSnapshot& snapshot) { return snapshot.position == at; });
  if (!known) return verdict.refuse(Refusal::not_found);
  Hash128 digest;
  digest.low = static_cast<std::uint64_t>(command.digest_low);
  digest.high = static_cast<std::uint64_t>(command.digest_high);
  auto votes = tables.digest_votes->votes.find(at);
  if (votes != tables.digest_votes->votes.end() && votes->second.size() >= kDigestVotesMax)
    return verdict.refuse(Refusal::limit_reached);
  tables.ledger.edit(tables.digest_votes, [&](DigestVotes& unit, EditKey key) {
    unit.change(key).votes[at][context.incarnation] = digest;
  });
}

void drop_old_votes(Tables& tables) {
  if (!tables.digest_votes.live()) return;
  const std::vector<NotedSnapshot>& noted = tables.meta->noted_snapshots;
  Position oldest = noted.empty() ? Position(0) : noted.front().position;
  tables.ledger.edit(tables.digest_votes, [&](DigestVotes& unit, EditKey key) {
    auto& votes = unit.change(key).votes;
    votes.erase(votes.begin(), votes.lower_bound(oldest));
  });
}

}  // namespace weir::state
