// DigestWatch: compares this broker's state with the snapshots that are noted in the log.
//
// Each note names the digest of the state that it holds. A broker that computed another one votes;
// once there is a vote about a snapshot, all others vote as well. Whoever differs from two others
// that agree is wrong, and stops serving; with fewer votes nobody can tell, truncation stops
// (truncation_job.h) and everybody says so in its log.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "engine/maintenance/job.h"

namespace weir::engine {

class DigestWatch final : public FoldListener {
 public:
  explicit DigestWatch(JobContext& context);
  void on_folded(const state::EntryView& entry, const state::Folded& folded) override;
  /// This broker computed the digest that was noted, and nobody disputes it. Known for snapshots
  /// that were noted since this broker started.
  bool verified(const state::NotedSnapshot& noted) const;
  bool any_disputed() const;
  /// Newest first, at most `count`.
  std::vector<state::NotedSnapshot> newest_verified(std::size_t count) const;
  /// Up to which position the snapshots allow truncation: the second-newest verified one.
  std::optional<Position> truncatable_to() const;

 private:
  void look_at(const state::NotedSnapshot& noted);

  JobContext& context_;
  /// Snapshots about which this broker has voted, by position.
  std::map<Position, bool> voted_;
  /// Digests are forgotten after a few thousand entries, so agreement is noted when it is seen.
  std::set<Position> agreed_;
  Gauge& disputed_;
};

}  // namespace weir::engine
