#include "engine/maintenance/digest_watch.h"

#include "base/narrow.h"
#include "state/commands/note_snapshot.h"
#include "state/commands/report_digest.h"

namespace weir::engine {

namespace {

bool concerns_digests(const state::EntryView& entry) {
  for (const state::CommandGroup& group : entry.groups)
    for (const state::EncodedCommand& command : group.commands)
      if (command.type == state::command::NoteSnapshot::kType ||
          command.type == state::command::ReportDigest::kType)
        return true;
  return false;
}

}  // namespace

DigestWatch::DigestWatch(JobContext& context)
    : context_(context),
      disputed_(context.metrics.gauge("weir_snapshots_disputed",
                                      "Noted snapshots whose digest some broker disputes")) {}

void DigestWatch::on_folded(const state::EntryView& entry, const state::Folded&) {
  if (!concerns_digests(entry)) return;
  const auto& noted = context_.state().noted_snapshots();
  std::int64_t disputed = 0;
  for (const state::NotedSnapshot& snapshot : noted) {
    look_at(snapshot);
    disputed += context_.state().digest_votes(snapshot.position).empty() ? 0 : 1;
  }
  disputed_.set(disputed);
  if (!noted.empty()) agreed_.erase(agreed_.begin(), agreed_.lower_bound(noted.front().position));
  if (!noted.empty()) voted_.erase(voted_.begin(), voted_.lower_bound(noted.front().position));
}

bool DigestWatch::verified(const state::NotedSnapshot& noted) const {
  if (!agreed_.contains(noted.position)) return false;
  for (const auto& [who, digest] : context_.state().digest_votes(noted.position))
    if (digest != noted.digest) return false;
  return true;
}

bool DigestWatch::any_disputed() const {
  for (const state::NotedSnapshot& noted : context_.state().noted_snapshots())
    for (const auto& [who, digest] : context_.state().digest_votes(noted.position))
      if (digest != noted.digest) return true;
  return false;
}

std::vector<state::NotedSnapshot> DigestWatch::newest_verified(std::size_t count) const {
  std::vector<state::NotedSnapshot> found;
  const auto& noted = context_.state().noted_snapshots();
  for (auto at = noted.rbegin(); at != noted.rend() && found.size() < count; ++at)
    if (verified(*at)) found.push_back(*at);
  return found;
}

std::optional<Position> DigestWatch::truncatable_to() const {
  if (any_disputed()) return std::nullopt;
  std::vector<state::NotedSnapshot> found = newest_verified(2);
  if (found.size() < 2) return std::nullopt;
  return found[1].position.next();
}

void DigestWatch::look_at(const state::NotedSnapshot& noted) {
  std::optional<Hash128> own = context_.state().digest_at(noted.position);
  if (!own) return;
  auto votes = context_.state().digest_votes(noted.position);
  bool agrees = *own == noted.digest;
  if (agrees) agreed_.insert(noted.position);
  if (agrees && votes.empty()) return;
  if (!voted_.contains(noted.position)) {
    voted_[noted.position] = agrees;
    state::command::ReportDigest report;
    report.snapshot_position = narrow<std::int64_t>(noted.position.value);
    report.digest_low = static_cast<std::int64_t>(own->low);
    report.digest_high = static_cast<std::int64_t>(own->high);
    context_.proposer.submit(make_proposal(report), nullptr);
    context_.logger.error(
        "snapshot_digest_disputed",
        {{"position", noted.position.value},
         {"own_state_agrees", agrees ? "yes" : "no"},
         {"consequence", "the log is not truncated while this snapshot is noted"}});
  }
  // The writer of the snapshot counts as a vote, once.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::map<Incarnation, bool>> sides;
  sides[{noted.digest.low, noted.digest.high}][noted.writer] = true;
  for (const auto& [who, digest] : votes) sides[{digest.low, digest.high}][who] = true;
  for (const auto& [digest, who] : sides) {
    bool ours = digest.first == own->low && digest.second == own->high;
    if (ours || who.size() < 2 || who.contains(context_.proposer.incarnation())) continue;
    context_.follower.halt(
        "the state of this broker differs from that of two others at position " +
        std::to_string(noted.position.value) +
        "; it has a defect or its memory was damaged. Keep its log and /debug/decisions for a "
        "report, then restart it: it starts from a snapshot");
    return;
  }
}

}  // namespace weir::engine
