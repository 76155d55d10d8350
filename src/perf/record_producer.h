// RecordProducer: gathers records into batches as a client does, with linger and a full codec.
//
// One task makes records, at their time or as fast as there is room. A record without key goes to
// one partition until its batch is complete, then to another; with keys, where Kafka's clients put
// them. A batch is complete when it is full or has lingered; each connection sends what is
// complete, one batch per partition and request, as long as fewer than `window` requests are
// unanswered. Every record's latency counts from when it was due. The first error ends the run.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "perf/links.h"
#include "perf/load.h"
#include "perf/produce_call.h"
#include "record/builder.h"
#include "rt/event.h"
#include "rt/scope.h"

namespace weir::perf {

class RecordProducer {
 public:
  /// All outlive it.
  RecordProducer(Links& links, const ProduceOptions& options);

  /// Once. Errors: those of encoding, of the broker and of the connections.
  rt::Task<Result<Outcome>> run();
  /// Acknowledged so far.
  std::uint64_t records_done() const { return outcome_.records; }

 private:
  struct Lane;
  struct Batch {
    explicit Batch(const record::BatchOptions& options) : builder(options) {}
    record::BatchBuilder builder;
    std::vector<MonoTime> due;
    std::size_t payload_bytes = 0;
  };
  struct Partition {
    PartitionIndex index;
    Lane* lane = nullptr;
    std::unique_ptr<Batch> open;
    /// Of `open`; tells what lingers from what has been sealed meanwhile.
    std::uint64_t open_number = 0;
    std::deque<std::unique_ptr<Batch>> sealed;
    bool is_ready = false;
    std::int32_t sequence = 0;
  };
  struct Lingering {
    MonoTime until;
    Partition* partition;
    std::uint64_t open_number;
  };
  struct Lane {
    explicit Lane(rt::Loop& loop) : changed(loop) {}
    client::Connection* connection = nullptr;
    ProducerIdentity producer;
    /// Partitions with sealed batches.
    std::deque<Partition*> ready;
    /// In order of time, for all linger equally long.
    std::deque<Lingering> lingering;
    std::size_t in_flight = 0;
    rt::Event changed;
  };
  /// What one request carries.
  struct Parcel {
    PartitionBatches batches;
    std::vector<std::unique_ptr<Batch>> sources;
    std::uint64_t batch_bytes = 0;
    std::size_t payload_bytes = 0;
    std::uint64_t records = 0;
  };

  rt::Task<Result<void>> prepare();
  rt::Task<void> make_records();
  void append(MonoTime due);
  Partition& choose(const std::optional<std::string_view>& key);
  void seal(Partition& partition);
  rt::Task<void> send(Lane& lane);
  void seal_what_lingered(Lane& lane);
  Result<Parcel> next_parcel(Lane& lane);
  rt::Task<void> transmit(Lane& lane, Parcel parcel);
  void fail_with(const Error& error);
  bool goes_on() const;

  Links& links_;
  const ProduceOptions& options_;
  rt::Loop& loop_;
  Payload payload_;
  rt::SeededRandom random_;
  std::vector<std::byte> stamped_value_;
  std::deque<Lane> lanes_;
  /// By index.
  std::vector<Partition> partitions_;
  Partition* sticky_ = nullptr;
  std::uint64_t batches_opened_ = 0;
  MonoTime begun_;
  std::size_t buffered_bytes_ = 0;
  std::uint64_t made_bytes_ = 0;
  bool made_all_ = false;
  rt::Event room_;
  Outcome outcome_;
  std::optional<Error> failure_;
};

}  // namespace weir::perf
