#include "state/producers/runs.h"

#include <algorithm>
#include <limits>

namespace weir::state {
namespace {

constexpr std::int64_t kRing = std::int64_t{1} << 31;

/// Steps forward from `from` to `to`.
std::int64_t distance(std::int32_t from, std::int32_t to) {
  std::int64_t steps = std::int64_t{to} - from;
  return steps < 0 ? steps + kRing : steps;
}

}  // namespace

std::int32_t advance_sequence(std::int32_t sequence, std::int32_t records) {
  return static_cast<std::int32_t>((std::int64_t{sequence} + records) % kRing);
}

std::int32_t RunMemory::next_sequence() const {
  ENSURE(count_ > 0);
  const RememberedRun& last = runs_[count_ - 1];
  return advance_sequence(last.first_sequence, last.records);
}

std::int32_t RunMemory::last_sequence() const {
  const std::int32_t next = next_sequence();
  return next == 0 ? std::numeric_limits<std::int32_t>::max() : next - 1;
}

ItemOutcome RunMemory::judge(const ProducerRun& run, std::int32_t records, Offset end) const {
  if (empty()) {
    if (run.first_sequence == 0) return {Refusal::none, end.value};
    return {Refusal::unknown_producer, 0};
  }
  if (run.epoch < epoch_) return {Refusal::invalid_producer_epoch, 0};
  if (run.epoch > epoch_) {
    if (run.first_sequence == 0) return {Refusal::none, end.value};
    return {Refusal::out_of_order_sequence, 0};
  }
  if (run.first_sequence == next_sequence()) return {Refusal::none, end.value};

  std::int64_t window = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    window += runs_[i].records;
    std::int64_t inside = distance(runs_[i].first_sequence, run.first_sequence);
    if (inside + records <= runs_[i].records) {
      return {Refusal::duplicate, runs_[i].base_offset + inside};
    }
  }
  if (distance(runs_[0].first_sequence, run.first_sequence) < window)
    return {Refusal::out_of_order_sequence, 0};
  // Outside of what is remembered, sequences on a ring are before or after by the shorter way
  // round.
  std::int64_t before = distance(run.first_sequence, runs_[0].first_sequence);
  std::int64_t after = distance(next_sequence(), run.first_sequence);
  if (before <= after && records <= before) return {Refusal::duplicate_forgotten, 0};
  return {Refusal::out_of_order_sequence, 0};
}

void RunMemory::accept(const ProducerRun& run, std::int32_t records, std::int32_t batches,
                       Offset base) {
  if (run.epoch != epoch_) {
    *this = RunMemory();
    epoch_ = run.epoch;
  }
  ENSURE(empty() || run.first_sequence == next_sequence());
  if (!empty()) {
    RememberedRun& last = runs_[count_ - 1];
    bool adjacent = last.base_offset + last.records == base.value;
    bool fits = records <= std::numeric_limits<std::int32_t>::max() - last.records;
    // A run that covers enough alone is closed, so that the ones before it can be dropped and it
    // does not grow for ever.
    if (adjacent && fits && batches_[count_ - 1] < kBatchesRemembered) {
      last.records += records;
      batches_[count_ - 1] = static_cast<std::uint8_t>(std::min(
          batches_[count_ - 1] + std::min(batches, kBatchesRemembered), kBatchesRemembered));
      return;
    }
  }
  push({base.value, run.first_sequence, records}, batches);
}

void RunMemory::push(const RememberedRun& run, std::int32_t batches) {
  // Drop the oldest while the rest, with the new one, covers enough.
  std::int32_t covered = std::min(batches, kBatchesRemembered);
  std::size_t first = count_;
  while (first > 0 && covered < kBatchesRemembered) covered += batches_[--first];
  std::move(runs_.begin() + static_cast<std::ptrdiff_t>(first), runs_.begin() + count_,
            runs_.begin());
  std::move(batches_.begin() + static_cast<std::ptrdiff_t>(first), batches_.begin() + count_,
            batches_.begin());
  count_ = static_cast<std::uint8_t>(count_ - first);
  ENSURE(count_ < kRunsMax);
  runs_[count_] = run;
  batches_[count_] = static_cast<std::uint8_t>(std::min(batches, kBatchesRemembered));
  ++count_;
  for (std::size_t i = count_; i < kRunsMax; ++i) {
    runs_[i] = {};
    batches_[i] = 0;
  }
}

bool RunMemory::restore(ProducerEpoch epoch, const RememberedRun& run, std::uint8_t batches) {
  if (count_ == kRunsMax || batches == 0 || batches > kBatchesRemembered) return false;
  if (run.records <= 0 || run.first_sequence < 0 || epoch.value < 0) return false;
  if (run.base_offset < 0 ||
      run.base_offset > std::numeric_limits<std::int64_t>::max() - run.records)
    return false;
  if (!empty() && (epoch != epoch_ || run.first_sequence != next_sequence())) return false;
  epoch_ = epoch;
  runs_[count_] = run;
  batches_[count_] = batches;
  ++count_;
  return true;
}

}  // namespace weir::state
