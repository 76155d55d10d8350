// Runs: what one partition remembers of one idempotent producer, and the judgement of a new run.
//
// Kafka's producers number their records per partition and may have five batches under way. A retry
// must be recognised as a duplicate and answered with the original offset; anything else that does
// not follow must be refused. Consecutive batches of the producer whose offsets are consecutive too
// make one run, so an offset inside it follows by arithmetic. Kept are the youngest runs that cover
// at least kBatchesRemembered batches (spec Runs.tla).
//
// Sequences are 31-bit and go on from 2^31 - 1 to 0, so all comparisons are of distances.
#pragma once

#include <array>
#include <cstdint>

#include "base/ids.h"
#include "state/limits.h"
#include "state/refusal.h"
#include "state/spans.h"
#include "state/state.h"

namespace weir::state {

struct RememberedRun {
  std::int64_t base_offset = 0;
  std::int32_t first_sequence = 0;
  std::int32_t records = 0;

  friend bool operator==(const RememberedRun&, const RememberedRun&) = default;
};

/// (sequence + records) on the ring of 2^31.
std::int32_t advance_sequence(std::int32_t sequence, std::int32_t records);

/// Invariant: each run's first sequence is the one after the run before.
class RunMemory {
 public:
  static constexpr std::size_t kRunsMax = kBatchesRemembered;

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  ProducerEpoch epoch() const { return epoch_; }
  const RememberedRun& run(std::size_t i) const { return runs_[i]; }
  std::uint8_t batches(std::size_t i) const { return batches_[i]; }
  /// Of the next record; requires a run.
  std::int32_t next_sequence() const;
  /// Of the newest record; requires a run.
  std::int32_t last_sequence() const;

  /// What to do with `records` records of `run` that would be appended at `end`: none (value =
  /// `end`), duplicate (value = original offset), duplicate_forgotten, or a refusal.
  ItemOutcome judge(const ProducerRun& run, std::int32_t records, Offset end) const;
  /// Remembers a run that `judge` accepted.
  void accept(const ProducerRun& run, std::int32_t records, std::int32_t batches, Offset base);

  /// For a snapshot: the next run as it was remembered; false if it cannot be.
  bool restore(ProducerEpoch epoch, const RememberedRun& run, std::uint8_t batches);

  friend bool operator==(const RunMemory&, const RunMemory&) = default;

 private:
  void push(const RememberedRun& run, std::int32_t batches);

  ProducerEpoch epoch_{-1};
  std::uint8_t count_ = 0;
  /// Batches of each run, at most kBatchesRemembered are counted.
  std::array<std::uint8_t, kRunsMax> batches_{};
  std::array<RememberedRun, kRunsMax> runs_{};
};

}  // namespace weir::state
