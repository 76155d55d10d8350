// CompactedView: what a compacted partition may have lost, and what it must show. Pure.
//
// A topic that was ever compacted may lack records, but never the latest one of a key: neither in
// an answer at any time, nor at the end. The view notes every offset that some reader passed
// without a record, at the earliest time, and judges at the end, when all records that could have
// taken the place of another are known:
//
//   a value is gone only if a later record of its key had been sent by then
//   a tombstone is gone only then, or once it is as old as delete.retention.ms
//   what was gone in one final reading is not there in the next
//   of the records of a key that are there, none is older than one that is gone
//   below the offset up to which the partition is clean, each key stands once
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"

namespace weir::sim {

/// What a record is to compaction.
struct KeyedRecord {
  std::uint64_t key = 0;
  bool tombstone = false;
  /// Number of records that had been sent before it, by all.
  std::uint64_t sent_at = 0;
  std::int64_t timestamp_ms = 0;
};

class CompactedView {
 public:
  /// From now on records may be missing. The least retention of tombstones that was ever asked for
  /// counts.
  void may_drop(std::int64_t delete_retention_ms);
  bool drops() const { return delete_retention_ms_.has_value(); }

  /// A reader got past [from, to) and found nothing there.
  void missing(Offset from, Offset to, std::uint64_t sent, std::int64_t now_ms);

  /// The log start went past a record that was too young to be deleted: it was gone before.
  void cut(Offset at, std::uint64_t sent, std::int64_t now_ms);

  /// A final reading: everything from the start to the end, at rest.
  void begin_final();
  void present(Offset at);
  struct Extent {
    Offset start;
    Offset end;
    Offset compacted_to;
  };

  enum class Fault : std::uint8_t { value_gone, tombstone_gone, came_back, stale_value, twice };
  using Report = std::function<void(Fault, Offset)>;
  void end_final(const Extent& extent, const Report& report);

  /// `record`: what is known to stand, or to have stood, at an offset. `elsewhere`: records of
  /// which nobody knows the offset. `clock_error_ms`: by so much a wait for delete.retention.ms may
  /// be too short.
  void finish(const std::function<std::optional<KeyedRecord>(Offset)>& record,
              const std::vector<KeyedRecord>& elsewhere, std::int64_t clock_error_ms,
              const Report& report) const;

 private:
  struct Gap {
    std::uint64_t sent = 0;
    std::int64_t now_ms = 0;
  };
  struct Placed {
    Offset at;
    KeyedRecord record;
  };
  /// Of one key, in offset order.
  void judge_key(const std::vector<Placed>& placed, std::uint64_t elsewhere_sent_at,
                 std::int64_t clock_error_ms, const Report& report) const;
  bool is_present(Offset at) const;

  std::optional<std::int64_t> delete_retention_ms_;
  std::map<std::int64_t, Gap> gaps_;
  /// Those of them that the log start went past.
  std::set<std::int64_t> cut_;
  /// Of the final reading under way, or the last one.
  std::vector<bool> present_;
  std::optional<std::vector<bool>> before_;
  Extent extent_;
};

}  // namespace weir::sim
