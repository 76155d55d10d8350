#include "objstore/latency_store.h"

#include <cmath>
#include <numbers>

#include "objstore/decorator_impl.h"

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

LatencyPoints points_of(const std::vector<SizedLatency>& sizes, std::uint64_t bytes) {
  if (bytes <= sizes.front().bytes || sizes.size() == 1) return sizes.front().points;
  std::size_t upper = 1;
  while (upper + 1 < sizes.size() && sizes[upper].bytes < bytes) ++upper;
  const SizedLatency& low = sizes[upper - 1];
  const SizedLatency& high = sizes[upper];
  // Above the greatest size the last line goes on.
  double part =
      static_cast<double>(bytes - low.bytes) / static_cast<double>(high.bytes - low.bytes);
  auto between = [&](Duration a, Duration b) {
    return a + Duration(static_cast<std::int64_t>(part * static_cast<double>((b - a).count())));
  };
  return {between(low.points.p50, high.points.p50), between(low.points.p99, high.points.p99)};
}

template <class T>
rt::Task<Result<T>> LatencyStore::around(Request request) {
  const LatencyPoints& points = is_put(request.verb) ? law_.write
                                : request.verb == Verb::list || request.verb == Verb::remove
                                    ? law_.list
                                    : law_.read;
  std::uint64_t sent = request.body.size();
  Duration whole =
      is_put(request.verb) && !law_.write_sizes.empty()
          ? draw_latency(points_of(law_.write_sizes, sent), 0, law_.bytes_per_second, random_)
          : draw_latency(points, sent, law_.bytes_per_second, random_);
  Duration before = whole * static_cast<std::int64_t>(random_.below(1'001)) / 1'000;
  co_await rt::sleep_for(loop_, before);
  Result<T> result = co_await send<T>(inner(), std::move(request));
  if (result)
    whole += Duration(static_cast<std::int64_t>(static_cast<double>(bytes_of(*result)) * 1e9 /
                                                static_cast<double>(law_.bytes_per_second)));
  co_await rt::sleep_for(loop_, whole - before);
  co_return result;
}

template class Decorator<LatencyStore>;

}  // namespace weir::objstore
