// ConsumerLoad: reads a topic from its beginning, one request at a time on each connection.
//
// Record batches are walked by their headers, not decoded. Latency is that of whole requests.
#pragma once

#include "perf/fetch_share.h"

namespace weir::perf {

class ConsumerLoad {
 public:
  /// All outlive it.
  ConsumerLoad(Links& links, const ConsumeOptions& options);

  /// Once: up to the end as it was at the start, or for as long or as much as was asked. Errors:
  /// those of FetchShare.
  rt::Task<Result<Outcome>> run();

 private:
  rt::Task<void> read(FetchShare& share);
  bool goes_on(const FetchShare& share) const;

  Links& links_;
  const ConsumeOptions& options_;
  rt::Loop& loop_;
  MonoTime begun_;
  Outcome outcome_;
  std::optional<Error> failure_;
};

}  // namespace weir::perf
