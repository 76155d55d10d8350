// Snapshots: the state at one position as bytes, taken while folding goes on.
//
// A snapshot of a large state takes longer than a broker may pause. So the writer fixes a position,
// writes a slice of the state per `step`, and is told by the state's choke point of every unit that
// is about to change: that unit is written first, as it was. What comes into being after the start
// is left out. docs/formats/snapshot.md is the page, docs/adr/0003-… the reasons.
//
// A loaded state is verified: checksums, counts, and a digest recomputed from the units themselves.
#pragma once

#include <cstddef>
#include <memory>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"
#include "state/state.h"

namespace weir::state {

/// At most one per state at a time; destroy it before the state. Destroying it early abandons the
/// snapshot.
class SnapshotWriter {
 public:
  /// Begins at the state's position, which must exist (genesis is folded).
  explicit SnapshotWriter(State& state);
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  Position position() const;
  Hash128 digest() const;

  /// Writes about `units` units of the state (a unit is below a microsecond, mostly). True: done.
  bool step(std::size_t units);
  /// After `step` said true, once: the whole snapshot.
  BytesChain finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What the header of a snapshot says, without verifying the rest. Errors: corrupt, unsupported.
struct SnapshotInfo {
  std::string cluster_id;
  Position position;
  Nonce nonce;
  Hash128 digest;
  FeatureLevel level;
};
Result<SnapshotInfo> read_snapshot_info(const SharedBytes& bytes);

/// Errors: corrupt (also if the digest does not match), unsupported (format or feature level of a
/// later program).
Result<State> load_snapshot(const SharedBytes& bytes);

}  // namespace weir::state
