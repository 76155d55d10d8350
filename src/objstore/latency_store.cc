#include "objstore/latency_store.h"

#include <cmath>
#include <numbers>

namespace weir::objstore {
namespace {

/// Standard normal quantile of 0.99: how many sigmas p99 lies above the median.
constexpr double kSigmasOfP99 = 2.3263;

/// In (0, 1].
double draw_unit(rt::Random& random) {
  return (static_cast<double>(random.next() >> 11) + 1.0) / 9007199254740992.0;
}

double draw_normal(rt::Random& random) {
  double radius = std::sqrt(-2.0 * std::log(draw_unit(random)));
  return radius * std::cos(2.0 * std::numbers::pi * draw_unit(random));
}

std::uint64_t bytes_of(const SharedBytes& body) { return body.size(); }
template <class T>
std::uint64_t bytes_of(const T&) {
  return 0;
}

}  // namespace

Duration draw_latency(const LatencyPoints& points, std::uint64_t bytes,
                      std::uint64_t bytes_per_second, rt::Random& random) {
  double p50 = static_cast<double>(points.p50.count());
  double sigma = std::log(static_cast<double>(points.p99.count()) / p50) / kSigmasOfP99;
  double wait = p50 * std::exp(sigma * draw_normal(random));
  double transfer = static_cast<double>(bytes) * 1e9 / static_cast<double>(bytes_per_second);
  return Duration(static_cast<std::int64_t>(wait + transfer));
}

template <class T>
rt::Task<Result<T>> LatencyStore::delay(LatencyPoints points, std::uint64_t bytes,
                                        rt::Task<Result<T>> request) {
  Duration whole = draw_latency(points, bytes, law_.bytes_per_second, random_);
  Duration before = whole * static_cast<std::int64_t>(random_.below(1'001)) / 1'000;
  co_await rt::sleep_for(loop_, before);
  Result<T> result = co_await std::move(request);
  if (result)
    whole += Duration(static_cast<std::int64_t>(static_cast<double>(bytes_of(*result)) * 1e9 /
                                                static_cast<double>(law_.bytes_per_second)));
  co_await rt::sleep_for(loop_, whole - before);
  co_return result;
}

rt::Task<Result<std::string>> LatencyStore::put(std::string name, BytesChain body) {
  std::uint64_t bytes = body.size();
  return delay(law_.write, bytes, inner_.put(std::move(name), std::move(body)));
}

rt::Task<Result<std::string>> LatencyStore::put_if_absent(std::string name, BytesChain body) {
  std::uint64_t bytes = body.size();
  return delay(law_.write, bytes, inner_.put_if_absent(std::move(name), std::move(body)));
}

rt::Task<Result<std::string>> LatencyStore::put_if_match(std::string name, BytesChain body,
                                                         std::string etag) {
  std::uint64_t bytes = body.size();
  return delay(law_.write, bytes,
               inner_.put_if_match(std::move(name), std::move(body), std::move(etag)));
}

rt::Task<Result<SharedBytes>> LatencyStore::get(std::string name) {
  return delay(law_.read, 0, inner_.get(std::move(name)));
}

rt::Task<Result<SharedBytes>> LatencyStore::get_range(std::string name, std::uint64_t offset,
                                                      std::uint64_t length) {
  return delay(law_.read, 0, inner_.get_range(std::move(name), offset, length));
}

rt::Task<Result<ObjectInfo>> LatencyStore::head(std::string name) {
  return delay(law_.read, 0, inner_.head(std::move(name)));
}

rt::Task<Result<ObjectStore::Page>> LatencyStore::list(std::string prefix,
                                                       std::string continuation) {
  return delay(law_.list, 0, inner_.list(std::move(prefix), std::move(continuation)));
}

rt::Task<Result<ObjectStore::RemoveFailures>> LatencyStore::remove(std::vector<std::string> names) {
  return delay(law_.list, 0, inner_.remove(std::move(names)));
}

}  // namespace weir::objstore
