// LatencyStore: a store that answers as slowly as a real one, for the simulation and for
// benchmarks.
//
// The law is log-normal, given by what people measure: p50 and p99 of a small request per verb, and
// the throughput of one connection for its bytes. The wait lies before the request reaches the
// inner store and after it, in random parts, so that requests overtake each other. Store, loop and
// random outlive it; tasks end on the loop.
#pragma once

#include "objstore/object_store.h"
#include "rt/loop.h"
#include "rt/random.h"

namespace weir::objstore {

struct LatencyPoints {
  Duration p50;
  Duration p99;
};

struct LatencyLaw {
  LatencyPoints write{30ms, 120ms};  // puts of each kind
  LatencyPoints read{15ms, 80ms};    // get, get_range, head
  LatencyPoints list{40ms, 200ms};   // list, remove
  std::uint64_t bytes_per_second = 90'000'000;

  /// As published and measured for S3 standard within a region.
  static LatencyLaw s3() { return {}; }
  static LatencyLaw s3_express() { return {{6ms, 15ms}, {5ms, 12ms}, {10ms, 40ms}, 150'000'000}; }
};

/// One draw of the law, bytes included.
Duration draw_latency(const LatencyPoints& points, std::uint64_t bytes,
                      std::uint64_t bytes_per_second, rt::Random& random);

class LatencyStore final : public ObjectStore {
 public:
  LatencyStore(ObjectStore& inner, rt::Loop& loop, rt::Random& random, LatencyLaw law)
      : inner_(inner), loop_(loop), random_(random), law_(law) {}

  rt::Task<Result<std::string>> put(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                             std::string etag) override;
  rt::Task<Result<SharedBytes>> get(std::string name) override;
  rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                          std::uint64_t length) override;
  rt::Task<Result<ObjectInfo>> head(std::string name) override;
  rt::Task<Result<Page>> list(std::string prefix, std::string continuation) override;
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) override;
  std::string describe() const override { return inner_.describe(); }

 private:
  template <class T>
  rt::Task<Result<T>> delay(LatencyPoints points, std::uint64_t bytes, rt::Task<Result<T>> request);

  ObjectStore& inner_;
  rt::Loop& loop_;
  rt::Random& random_;
  LatencyLaw law_;
};

}  // namespace weir::objstore
