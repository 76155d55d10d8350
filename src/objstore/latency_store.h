// LatencyStore: a store that answers as slowly as a real one, for the simulation and for
// benchmarks.
//
// The law is log-normal, given by what people measure: p50 and p99 of a small request per verb, and
// the throughput of one connection for its bytes; or, for puts, p50 and p99 by size. The wait lies
// before the request reaches the inner store and after it, in random parts, so that requests
// overtake each other. Store, loop and random outlive it; tasks end on the loop.
#pragma once

#include <vector>

#include "objstore/decorator.h"
#include "rt/loop.h"
#include "rt/random.h"

namespace weir::objstore {

struct LatencyPoints {
  Duration p50;
  Duration p99;
};

/// Of a put of so many bytes; between two sizes by a straight line.
struct SizedLatency {
  std::uint64_t bytes;
  LatencyPoints points;
};

struct LatencyLaw {
  LatencyPoints write{30ms, 120ms};  // puts of each kind
  LatencyPoints read{15ms, 80ms};    // get, get_range, head
  LatencyPoints list{40ms, 200ms};   // list, remove
  std::uint64_t bytes_per_second = 90'000'000;
  /// Of puts, by rising size, in place of `write` and the throughput. Empty: those.
  std::vector<SizedLatency> write_sizes = {};

  /// As published and measured for S3 standard within a region.
  static LatencyLaw s3() { return {}; }
  /// The same by size, as the promises about latency name it.
  static LatencyLaw s3_by_size() {
    return {.write = {62ms, 150ms},
            .read = {35ms, 110ms},
            .list = {62ms, 150ms},
            .write_sizes = {{64u << 10, {62ms, 150ms}},
                            {1u << 20, {90ms, 260ms}},
                            {4u << 20, {130ms, 400ms}},
                            {8u << 20, {170ms, 450ms}}}};
  }
  static LatencyLaw s3_express() { return {{6ms, 15ms}, {5ms, 12ms}, {10ms, 40ms}, 150'000'000}; }
};

/// What the law says of a put of that size. `write_sizes` must not be empty.
LatencyPoints points_of(const std::vector<SizedLatency>& sizes, std::uint64_t bytes);

/// One draw of the law, bytes included.
Duration draw_latency(const LatencyPoints& points, std::uint64_t bytes,
                      std::uint64_t bytes_per_second, rt::Random& random);

class LatencyStore final : public Decorator<LatencyStore> {
 public:
  LatencyStore(ObjectStore& inner, rt::Loop& loop, rt::Random& random, LatencyLaw law)
      : Decorator(inner), loop_(loop), random_(random), law_(law) {}

 private:
  friend class Decorator<LatencyStore>;
  template <class T>
  rt::Task<Result<T>> around(Request request);

  rt::Loop& loop_;
  rt::Random& random_;
  LatencyLaw law_;
};
extern template class Decorator<LatencyStore>;

}  // namespace weir::objstore
