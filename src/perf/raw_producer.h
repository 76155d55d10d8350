// RawProducer: sends batches that were encoded beforehand, so that nearly all of the time is the
// broker's.
//
// Each connection has `window` workers; a worker takes the next request when its last one was
// answered. With a rate, request n is due at its time whatever happened before, and its latency
// counts from there. The first error ends the run.
#pragma once

#include <vector>

#include "perf/links.h"
#include "perf/load.h"
#include "perf/produce_call.h"
#include "perf/raw_batches.h"

namespace weir::perf {

class RawProducer {
 public:
  /// All outlive it.
  RawProducer(Links& links, const ProduceOptions& options);

  /// Once. Errors: those of the broker and of the connections.
  rt::Task<Result<Outcome>> run();

 private:
  struct Target {
    PartitionIndex index;
    ProducerIdentity producer;
    std::int32_t sequence = 0;
  };
  struct Lane {
    client::Connection* connection;
    /// The partitions of each request, sent in turn.
    std::vector<std::vector<Target>> requests;
    std::size_t next = 0;
  };
  /// What goes into one request.
  struct Parcel {
    PartitionBatches batches;
    std::uint64_t records = 0;
    std::uint64_t batch_bytes = 0;
    std::uint64_t payload_bytes = 0;
  };

  rt::Task<Result<void>> prepare();
  rt::Task<void> work(Lane& lane);
  Parcel next_parcel(Lane& lane);
  bool goes_on() const;
  /// Of keys and values, in a usual request.
  std::size_t request_payload() const;

  Links& links_;
  const ProduceOptions& options_;
  rt::Loop& loop_;
  RawBatches batches_;
  std::vector<Lane> lanes_;
  std::size_t next_batch_ = 0;
  Schedule schedule_;
  MonoTime begun_;
  std::uint64_t claimed_ = 0;
  std::uint64_t claimed_bytes_ = 0;
  Outcome outcome_;
  std::optional<Error> failure_;
};

}  // namespace weir::perf
