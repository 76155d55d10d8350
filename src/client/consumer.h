// Consumer: reads assigned partitions from given offsets. Groups: group_member.h.
//
// `poll` makes one round: one Fetch per leader, side by side. It hands out the fetched bytes as
// they came; `for_each_record` walks them. Errors that may pass are retried inside `poll`.
//
// Lives on the cluster's loop. No task may run when it dies.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/cluster.h"
#include "record/reader.h"

namespace weir::client {

struct ConsumerOptions {
  Duration wait = kFetchWaitDefault;
  std::uint32_t bytes_max = kFetchBytesMax;
  std::uint32_t partition_bytes_max = kFetchPartitionBytesMax;
  /// Kafka's isolation level 1: only what is committed. Aborted records are left out.
  bool read_committed = false;
};

struct TopicPartition {
  std::string topic;
  PartitionIndex partition;

  friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

/// Special values for `find_offset`, as on the wire.
inline constexpr std::int64_t kLatestTimestamp = -1;
inline constexpr std::int64_t kEarliestTimestamp = -2;

struct Fetched {
  TopicPartition at;
  /// Where the consumer stood; records before it, in the first batch, are not meant.
  Offset from;
  /// Where it stands now.
  Offset next;
  Offset high_watermark;
  Offset log_start;
  /// Whole batches, back to back.
  SharedBytes batches;
  /// First offset of each aborted transaction's producer, with read_committed.
  std::vector<std::pair<ProducerId, Offset>> aborted;
};

class Consumer {
 public:
  Consumer(Cluster& cluster, ConsumerOptions options);

  /// Reads `at` from `offset` on; also moves a partition that is assigned already.
  void assign(const TopicPartition& at, Offset offset) { positions_[at] = offset; }
  void unassign(const TopicPartition& at) { positions_.erase(at); }
  void unassign_all() { positions_.clear(); }
  std::size_t assigned() const { return positions_.size(); }

  /// Offset of the first record at or after a time, or of the start or the end. -1 when no record
  /// is that late. Errors: not_found, and those of a call.
  rt::Task<Result<Offset>> find_offset(TopicPartition at, std::int64_t timestamp_ms,
                                       MonoTime deadline);

  /// What there is, at most `options.wait` later; partitions without news are left out. Errors:
  /// not_found (an offset out of range, with the partition in the message; a topic that is gone),
  /// cancelled, and what does not pass before `deadline`.
  rt::Task<Result<std::vector<Fetched>>> poll(MonoTime deadline);

 private:
  struct Round;
  rt::Task<Result<std::map<NodeId, std::vector<TopicPartition>>>> by_leader(MonoTime deadline);
  rt::Task<void> fetch(NodeId leader, std::vector<TopicPartition> partitions, Round& round);
  wire::FetchRequest request_for(const std::vector<TopicPartition>& partitions) const;
  void take(const wire::FetchResponse& answer, Round& round);

  Cluster& cluster_;
  rt::Loop& loop_;
  ConsumerOptions options_;
  std::map<TopicPartition, Offset> positions_;
  /// Rotates which partition comes first, so that none starves.
  std::size_t rounds_ = 0;
};

/// Visits the records that are meant, in order; `visit` returns false to stop. Checksums are
/// verified. Errors: corrupt, with the offset.
Result<void> for_each_record(const Fetched& fetched,
                             const std::function<bool(const record::RecordView&)>& visit);

}  // namespace weir::client
