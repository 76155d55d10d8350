// References: which objects a cluster state names, and with which spans.
//
// The state knows for each partition its spans; an audit needs the opposite direction. Memory is
// proportional to the number of spans (about 50 bytes each).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/audit/finding.h"
#include "state/state.h"

namespace weir::engine::audit {

struct SpanUse {
  state::PartitionRef at;
  Offset base;
  std::int64_t records = 0;
  std::uint32_t first_byte = 0;
  std::uint32_t bytes = 0;
  std::int64_t max_timestamp_ms = -1;

  Offset last() const { return Offset(base.value + records - 1); }
};

struct UsedObject {
  state::ObjectRef object;
  std::uint64_t live_bytes = 0;
  std::vector<SpanUse> spans;
};

struct References {
  /// By name.
  std::map<std::string, UsedObject> segments;
  /// By position of their entry; two objects of one position cannot both be live.
  std::map<Position, UsedObject> inlines;
  /// Known to the state, and named by no span.
  std::set<std::string> awaiting_deletion;
  std::uint64_t spans = 0;

  bool knows(const std::string& segment) const {
    return segments.contains(segment) || awaiting_deletion.contains(segment);
  }
};

struct OffsetRange {
  Offset first;
  Offset end;

  friend bool operator==(const OffsetRange&, const OffsetRange&) = default;
};
/// Where spans do not follow each other, or do not reach from the partition's start to its end.
std::vector<OffsetRange> offset_gaps(const OffsetRange& partition,
                                     const std::vector<OffsetRange>& spans);

References references_of(const state::State& state);

/// That the spans of each partition are dense from its start to its end, and that the live bytes of
/// the segments add up.
void check_state(const state::State& state, const References& references, Findings& findings);

/// "topic orders, partition 3"
std::string describe(const state::State& state, state::PartitionRef at);
/// "topic orders, partition 3, offsets 10 to 19", and how many more.
std::string describe(const state::State& state, const std::vector<SpanUse>& spans);

}  // namespace weir::engine::audit
