// Weather: how well the simulated store and log behave at present. The nemesis changes it, the
// faulty decorators obey it.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "rt/random.h"

namespace weir::sim {

/// Rates are per million operations.
struct Weather {
  Duration latency_min = 200us;
  Duration latency_max = 3ms;
  /// One operation of this many takes ten times as long.
  std::uint32_t slow_one_in = 100;
  /// The driver's own deadline of one operation.
  Duration time_out = 800ms;
  /// Answered `unavailable`, nothing done.
  std::uint32_t refused_ppm = 0;
  /// Nothing done, and no answer before the deadline.
  std::uint32_t request_lost_ppm = 0;
  /// Done, and no answer before the deadline.
  std::uint32_t reply_lost_ppm = 0;
  /// No answer before the deadline, and done some time after it.
  std::uint32_t late_ppm = 0;
  Duration late_max = 8s;
  /// Everything is answered 503.
  bool down = false;
  /// Writes find no space.
  bool full = false;
};

enum class Fate : std::uint8_t { done, refused, no_space, request_lost, reply_lost, late };

/// What becomes of one operation.
Fate draw_fate(const Weather& weather, rt::Random& random, bool writes);
/// Time on the way, in one direction.
Duration draw_travel(const Weather& weather, rt::Random& random);

}  // namespace weir::sim
