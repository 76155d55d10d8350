// Load: what a run is asked to do, and what it found.
//
// A rate is a schedule made before the run: latency counts from the moment something was due, so a
// stalled broker is charged for everything that had to wait behind the stall. Without a rate,
// things are due when there is room to send them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "codec/codec.h"
#include "perf/histogram.h"
#include "perf/payload.h"

namespace weir::perf {

/// When the n-th thing is due. `per_second` 0 = as fast as possible.
class Schedule {
 public:
  Schedule(MonoTime start, double per_second) : start_(start), per_second_(per_second) {}

  bool paced() const { return per_second_ > 0; }
  MonoTime due(std::uint64_t n) const {
    return start_ + Duration(static_cast<std::int64_t>(static_cast<double>(n) * 1e9 / per_second_));
  }

 private:
  MonoTime start_;
  double per_second_;
};

/// Whichever comes first ends the run.
struct Amount {
  /// Of keys and values.
  std::optional<std::uint64_t> bytes;
  std::optional<Duration> time;
};

struct ProduceOptions {
  std::string topic;
  PayloadOptions payload;
  std::size_t batch_bytes = 256u << 10;
  codec::Codec codec = codec::Codec::none;
  std::int16_t acks = -1;
  bool idempotent = false;
  /// Unanswered requests per connection.
  std::size_t window = 5;
  /// Of keys and values; 0 = as fast as possible.
  std::uint64_t bytes_per_second = 0;
  Amount amount;
  /// Of a raw producer; 0 = as many as fit into a request of usual size.
  std::size_t partitions_per_request = 0;
  /// Of a record producer.
  Duration linger = 5ms;
  /// Of a record producer: values begin with the time at which they were due (stamp.h).
  bool stamps = false;
  /// For each request.
  Duration timeout = 30s;
  std::uint64_t seed = 1;
};

struct ConsumeOptions {
  std::string topic;
  /// Without a time the end at the start of the run is the end.
  Amount amount;
  Duration timeout = 30s;
};

struct Outcome {
  std::uint64_t records = 0;
  /// Record batches, as they are on the wire.
  std::uint64_t batch_bytes = 0;
  /// Keys and values; not known to a consumer.
  std::uint64_t payload_bytes = 0;
  std::uint64_t requests = 0;
  Duration took{};
  LatencyHistogram latency;

  void add(const Outcome& other);
};

}  // namespace weir::perf
