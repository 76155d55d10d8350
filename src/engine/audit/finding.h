// Finding: one thing that is wrong with a bucket, said so that a person can act on it.
//
// The sentence is complete by itself; the fields repeat its parts for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace weir::engine::audit {

enum class FindingKind : std::uint8_t {
  damaged_entry,        // a log entry does not decode, or is not the one that belongs there
  log_gap,              // a position is absent though later ones exist
  broken_chain,         // an entry does not name its predecessor, or belongs to another cluster
  damaged_floor,        // the floor of the log cannot be read
  damaged_snapshot,     // a snapshot does not load
  missing_snapshot,     // no usable snapshot where the log needs one
  digest_mismatch,      // a snapshot is not what the log folds to
  missing_object,       // spans name an object that is not there
  wrong_size,           // an object has another size than was committed
  damaged_segment,      // header, footer or trailer of a segment do not make sense
  damaged_region,       // record bytes do not match their checksums
  span_without_region,  // the log names a region that the object does not have
  offset_gap,           // the spans of a partition are not dense
  wrong_live_bytes,     // the state's count of live bytes differs from its spans
  orphan,               // an object that nothing names and nothing can name any more
  foreign_object,       // an object below our prefixes that weir does not write
};
inline constexpr std::uint8_t kFindingKindLast =
    static_cast<std::uint8_t>(FindingKind::foreign_object);

/// "damaged_entry"; part of the JSON output, never renamed.
std::string_view to_string(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::damaged_entry;
  /// Name of the object, or the log and position.
  std::string object;
  /// "topic orders, partition 3, bytes 64 to 1064"; empty if it is about the object as a whole.
  std::string region;
  /// First offset that it touches.
  std::optional<Offset> offset;
  std::string sentence;
};

using Findings = std::vector<Finding>;

}  // namespace weir::engine::audit
