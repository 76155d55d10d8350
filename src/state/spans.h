// Spans codec: the columns of the command AppendSpans.
//
// A flush of thousands of partitions is one command, so its size is what a commit costs: each
// property is a column of varints and deltas, at most 12 bytes for a plain span and 24 for one with
// a producer run (spans_test asserts it). docs/adr/0004-span-encoding.md weighs the choice,
// docs/formats/commands.md is the page.
//
// The regions lie back to back in the order of the list, so only their lengths are written. They
// have no checksum here: batches have their own, and so have segment footers and inline sections.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "state/catalog.h"

namespace weir::state {

/// Consecutive batches of one idempotent producer in one partition. The number of sequences is the
/// number of records; sequences go on from 2^31 - 1 to 0.
struct ProducerRun {
  ProducerId producer;
  ProducerEpoch epoch;
  std::int32_t first_sequence = 0;

  friend bool operator==(const ProducerRun&, const ProducerRun&) = default;
};

struct NewSpan {
  PartitionRef at;
  /// Whole batches: at least 1 byte, 1 record and 1 batch; no more batches than records.
  std::uint32_t bytes = 0;
  std::int32_t records = 0;
  std::int32_t batches = 0;
  std::int64_t max_timestamp_ms = -1;
  std::optional<ProducerRun> run;

  friend bool operator==(const NewSpan&, const NewSpan&) = default;
};

/// Requires at most kSpansPerCommandMax valid spans.
SharedBytes encode_spans(std::span<const NewSpan> spans);
/// False if `columns` is not what `encode_spans` makes of valid spans; `spans` is then unspecified.
bool decode_spans(Bytes columns, std::vector<NewSpan>& spans);

}  // namespace weir::state
