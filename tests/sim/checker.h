// Checker: decides whether what clients saw of a cluster keeps weir's promises. Pure: it is told
// what was sent, acknowledged, read and refused, and knows nothing of brokers, stores or time.
//
// Every record carries the number of its stream (one producer's records to one partition) and its
// number in the stream, so each record that is read can be traced to the one that was sent. The
// checker keeps one log per partition, filled by whatever any reader saw of it; a reader that sees
// something else at a filled offset has found two values at one offset. `finish` compares that log
// with what was acknowledged.
//
// It reports, it does not stop: the first violation is the interesting one, later ones may be its
// consequences. Every kind of violation has a canary (canary.h) that the checker must catch.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/ids.h"
#include "state/catalog.h"
#include "tests/sim/compacted_view.h"

namespace weir::sim {

using state::PartitionRef;

enum class Violation : std::uint8_t {
  lost,           // acknowledged, and not there
  duplicate,      // twice, though its producer is idempotent
  reordered,      // not in the order of its idempotent producer
  altered,        // other bytes than were sent, or never sent
  two_values,     // another record at an offset that was read or acknowledged before
  hole,           // offsets are not dense
  skipping_poll,  // an answer does not begin at the asked offset, or jumps
  withdrawn,      // read once, and beyond the end later
  stale_refusal,  // refused although what it names existed before the request
  stale_end,      // an end below what was acknowledged before the request
  wrong_refusal,  // the next batch of an idempotent producer was refused
  corrupt,        // a broker says that data is damaged
  digest,         // two states at one position
  halted,         // a broker stopped serving
  missing,        // the state names an object that is not in the store
  leaked,         // an object that nothing names stays in the store
  kept,           // records stay beyond their retention
  stuck,          // no progress in bounded time after the last fault
  // Compacted topics: compacted_view.h.
  resurrected,     // a record that was gone is there again, or an older one than what is gone
  tombstone_gone,  // before delete.retention.ms
  uncompacted,     // an older record of a key below the offset up to which all is clean
  // Groups: group_checker.h.
  two_owners,       // two members own a partition in one generation
  offset_back,      // a committed offset below one that was known before
  skipped_work,     // a committed offset beyond what was processed
  fenced_commit,    // a commit of an older generation after one of a newer
  committed_twice,  // a position was committed twice with success
  torn_output,      // an offset without the output that was committed with it
  expired_alive,    // a member with a sign of life in the log was put out as silent
};
std::string_view to_string(Violation kind);

struct Finding {
  Violation kind;
  std::string text;
};

using StreamId = std::uint32_t;

/// One record, as a reader got it.
struct Seen {
  Offset offset;
  StreamId stream = 0;
  std::uint32_t number = 0;
  /// Of everything in it.
  std::uint64_t hash = 0;
  std::uint64_t key_hash = 0;
  bool tombstone = false;
};

class Checker {
 public:
  // Producers.
  StreamId add_stream(PartitionRef at, bool idempotent);
  /// The next record of the stream; told before it is sent for the first time.
  void sent(StreamId stream, const Seen& record, std::int64_t timestamp_ms = 0);
  struct Run {
    StreamId stream = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  /// `base`: offset of the run's first record, -1 where the answer did not say.
  void acknowledged(const Run& run, Offset base);
  /// A refusal that no right broker gives: see wrong_refusal.
  void refused_next(const Run& run, std::string_view why);

  // Readers.
  struct Poll {
    std::string reader;
    PartitionRef at;
    Offset asked;
    /// All records of the answer; those before `asked` belong to the first batch.
    std::vector<Seen> records;
    /// Where the answer ends; -1: behind its last record.
    Offset next{-1};
    std::int64_t now_ms = 0;
    /// Part of a reading from start to end, with everything at rest.
    bool final = false;
  };
  void polled(const Poll& poll);

  /// What was known of a partition before a request began: no later answer may fall behind it.
  struct Known {
    Offset start_max;  // the start may have moved up to here
    Offset end_min;
  };
  Known known(PartitionRef at) const;
  void refused_range(PartitionRef at, Offset asked, Known before, std::string_view who);
  void refused_topic(PartitionRef at, std::string_view who);
  void answered_end(PartitionRef at, Offset end, Known before, std::string_view who);

  // Topics.
  void topic_created(TopicId topic) { topics_[topic] = true; }
  /// From now on the topic may be gone.
  void topic_deletion_asked(TopicId topic) { topics_[topic] = false; }
  bool topic_exists(TopicId topic) const;
  /// From now on everything before `to` may be gone.
  void deletion_asked(PartitionRef at, Offset to);

  /// What a topic's settings let the brokers drop.
  struct Retention {
    std::int64_t ms = -1;
    std::int64_t bytes = -1;
  };
  void set_retention(TopicId topic, Retention retention) { retention_[topic] = retention; }
  const std::map<TopicId, Retention>& retention() const { return retention_; }
  /// A broker's state begins at `start`, with `bytes_left` behind it. Everything before may be gone
  /// if the topic's settings allow it at this time, by the clocks as they are.
  void start_seen(PartitionRef at, Offset start, std::uint64_t bytes_left, std::int64_t now_ms);
  /// A broker's clock shows so much more than the true time. One that is off by more than
  /// `kClockWrongMs` is wrong, and must count for nothing.
  void clock_seen(std::int64_t ahead_ms);
  static constexpr std::int64_t kClockWrongMs = 3'600'000;
  /// Called before anything is judged by where a partition starts.
  void before_judging(std::function<void()> look) { look_ = std::move(look); }

  /// From now on the topic may be compacted.
  void compaction_asked(TopicId topic, std::int64_t delete_retention_ms);
  bool may_be_compacted(PartitionRef at) const { return compacted_.contains(at.topic); }

  // Brokers.
  void digest(std::string_view broker, Position at, Hash128 digest);
  void report(Violation kind, std::string text);

  // The end: all brokers have been read from start to end.
  void final_reading_begins(PartitionRef at) { logs_[at].compacted.begin_final(); }
  void ended(PartitionRef at, Offset start, Offset end, Offset compacted_to = Offset(-1));
  void finish();

  const std::vector<Finding>& findings() const { return findings_; }
  std::uint64_t records_sent() const { return records_sent_; }
  std::uint64_t records_acknowledged() const { return records_acknowledged_; }
  std::uint64_t records_read() const { return records_read_; }

 private:
  static constexpr StreamId kNobody = ~StreamId{0};
  struct Cell {
    StreamId stream = kNobody;
    std::uint32_t number = 0;
    /// By a reader; an answer to a producer fills a cell, too.
    bool read = false;
  };
  struct Record {
    std::uint64_t hash = 0;
    KeyedRecord keyed;
    bool acknowledged = false;
  };
  struct Stream {
    PartitionRef at;
    bool idempotent = false;
    std::vector<Record> records;
  };
  struct Log {
    std::vector<Cell> cells;
    Offset start_max{0};
    Offset committed_end{0};
    std::optional<Offset> start;
    std::optional<Offset> end;
    CompactedView compacted;
  };
  void place(Log& log, PartitionRef at, Offset offset, Cell cell, std::string_view who);
  void finish_log(PartitionRef at, const Log& log);
  void finish_order(PartitionRef at, const Log& log);
  void finish_streams();
  /// `counts`: per stream and record, how often it stands in its log.
  void finish_compacted(const std::vector<std::vector<std::uint32_t>>& counts);
  void report_compacted(PartitionRef at, CompactedView::Fault fault, Offset where);
  void take_poll(Log& log, const Poll& poll);
  Log& log_of(PartitionRef at);
  std::string name_of(PartitionRef at) const;
  std::string name_of(Cell cell) const;

  std::vector<Stream> streams_;
  std::map<PartitionRef, Log> logs_;
  std::map<TopicId, bool> topics_;
  std::map<TopicId, Retention> retention_;
  /// Topics that may be compacted, with their delete.retention.ms.
  std::map<TopicId, std::int64_t> compacted_;
  /// Of the brokers whose clocks are about right; 0 is that of the clients.
  std::int64_t clock_least_ms_ = 0;
  std::int64_t clock_most_ms_ = 0;
  std::function<void()> look_;
  std::map<Position, std::pair<Hash128, std::string>> digests_;
  std::vector<Finding> findings_;
  std::uint64_t records_sent_ = 0;
  std::uint64_t records_acknowledged_ = 0;
  std::uint64_t records_read_ = 0;
};

}  // namespace weir::sim
