// OTLP: reads the metrics that clients push: a `MetricsData` message of the OpenTelemetry protocol
// (opentelemetry-proto v1), of which Kafka's clients send numbers as gauges and sums.
//
// Pure and bounded: at most `points_max` numbers are taken, unknown fields and other kinds of
// metrics are passed over, and whatever does not parse is an error, never a crash.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace weir::broker::telemetry {

struct Point {
  std::string metric;
  /// Of the point itself; those of the resource are what the broker knows of the client anyway.
  std::vector<std::pair<std::string, std::string>> attributes;
  double value = 0;
  /// A growth since the last push, not the whole.
  bool delta = false;
};

/// Errors: corrupt; too_large when there are more than `points_max` numbers.
Result<std::vector<Point>> read_metrics(Bytes message, std::size_t points_max);

}  // namespace weir::broker::telemetry
