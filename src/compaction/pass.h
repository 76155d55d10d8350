// Pass: one compaction run over one partition.
//
//   index   batches of the dirty range, in offset order: maps each key to its last offset
//   filter  batches from the log's start up to `end()`, in offset order: what stays of each
//
// A record stays if it has the last offset of its key; a tombstone (no value) at the latest until
// its delete horizon, delete.retention.ms after the first run that keeps it. Records
// at or past `end()` stay. Records without a key go: nothing could ever replace them (a producer
// may not write them where a topic is compacted; they are from before). Of a producer that is still
// remembered, the last batch stays, if need be without records: it tells the last sequence.
// Data of aborted transactions goes, their markers follow (transactions.h).
// A batch with a good checksum whose records do not parse stays as it is: a broken client wrote it
// (records are not decoded on arrival where no topic demands it), and only it knows what is inside.
//
// Pure; the batches hold final offsets. Memory: the key map, and one batch decompressed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/result.h"
#include "compaction/key_map.h"
#include "compaction/transactions.h"
#include "record/batch_view.h"
#include "record/limits.h"
#include "record/reader.h"

namespace weir::compaction {

/// What a producer that is still remembered wrote last in the partition.
struct ProducerEnd {
  ProducerId producer;
  ProducerEpoch epoch;
  /// Nothing: only a marker.
  std::optional<Offset> last;
};

struct PassOptions {
  /// Records below are gone already.
  Offset start;
  Offset dirty_begin;
  /// At most the last stable offset.
  Offset dirty_end;
  /// It is at least this late: what has passed, has passed.
  WallMillis now;
  /// It is at most this late, if that is more: delete horizons count from here.
  WallMillis now_latest;
  std::int64_t delete_retention_ms = 0;
  std::size_t records_bytes_max = record::limits::records_bytes_max;
};

struct PassStats {
  std::uint64_t records_read = 0;
  std::uint64_t records_kept = 0;
  std::uint64_t unkeyed_dropped = 0;
  std::uint64_t tombstones_dropped = 0;
  /// Batches that do not parse, kept as they are.
  std::uint64_t unreadable_kept = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_kept = 0;
};

class Pass {
 public:
  /// `map` outlives the pass, which resets it.
  Pass(const PassOptions& options, KeyMap& map, std::vector<AbortedTransaction> aborted,
       const std::vector<ProducerEnd>& producers);

  /// False: no further batch is wanted. Errors: corrupt, too_large, with the offset.
  Result<bool> index(const record::BatchView& batch);
  /// The dirty range ends here, or earlier if the keys did not fit. Valid once `index` has seen
  /// all.
  Offset end() const { return full_at_.value_or(options_.dirty_end); }
  /// Whether everything that was dirty is decided.
  bool whole() const { return !full_at_.has_value(); }

  struct Filtered {
    enum class Kind : std::uint8_t { original, rewritten, dropped };
    Kind kind = Kind::original;
    /// Of a rewritten one.
    Buffer batch;
  };
  /// Errors: corrupt, too_large, with the offset.
  Result<Filtered> filter(const record::BatchView& batch);

  const PassStats& stats() const { return stats_; }

 private:
  struct Verdict {
    /// All records may go, without a look at them.
    bool discard = false;
    /// The batch is a marker that nothing needs any more.
    bool idle_marker = false;
    /// Its delete horizon has passed.
    bool past_horizon = false;
  };
  Verdict judge(const record::BatchView& batch);
  bool keeps(const record::RecordView& record, const record::BatchView& batch,
             const Verdict& verdict);
  Result<Filtered> conclude_unreadable(const record::BatchView& batch, const Verdict& verdict);
  bool is_last_of_producer(const record::BatchView& batch) const;
  Result<Filtered> conclude(const record::BatchView& batch,
                            const std::vector<record::RecordView>& kept, bool needs_horizon);

  PassOptions options_;
  KeyMap& map_;
  KeyHasher hash_;
  std::map<ProducerId, ProducerEnd> producers_;
  Transactions indexed_;
  Transactions filtered_;
  std::optional<Offset> full_at_;
  /// Scratch of `filter`.
  std::vector<record::RecordView> kept_;
  PassStats stats_;
};

}  // namespace weir::compaction
