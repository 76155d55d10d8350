// EndToEnd: records at a fixed rate, and consumers that wait for them.
//
// A record's time counts from when it was due to be sent until the answer that holds it has been
// read. Producer and consumers have connections of their own, and share one clock.
#pragma once

#include "perf/fetch_share.h"
#include "perf/record_producer.h"

namespace weir::perf {

struct EndToEndOutcome {
  Outcome produced;
  /// Latency: end to end, of each record.
  Outcome consumed;
};

class EndToEnd {
 public:
  struct Sides {
    Links& producing;
    Links& consuming;
  };
  /// All outlive it. `options.stamps` is set.
  EndToEnd(Sides sides, const ProduceOptions& options);

  /// Once. Errors: those of both sides; timed_out if records do not arrive.
  rt::Task<Result<EndToEndOutcome>> run();

 private:
  rt::Task<void> produce();
  rt::Task<void> consume(FetchShare& share);
  Result<void> see(const record::BatchView& batch, Offset from);
  bool goes_on() const;
  void fail_with(const Error& error);

  Links& consuming_;
  const ProduceOptions& options_;
  rt::Loop& loop_;
  RecordProducer producer_;
  MonoTime begun_;
  EndToEndOutcome outcome_;
  std::optional<MonoTime> last_sent_;
  std::optional<Error> failure_;
};

}  // namespace weir::perf
