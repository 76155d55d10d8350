// Points in time, as values. Nothing in the project asks the system for the time but `rt/asio`.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/strong.h"

namespace weir {

using Duration = std::chrono::nanoseconds;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""h;

struct MonoClockTag {};
/// Monotonic time of one process; runs during suspend. Only differences mean anything.
using MonoTime = std::chrono::time_point<MonoClockTag, Duration>;
/// Milliseconds since 1970-01-01 UTC, as Kafka's timestamps. Informative: no promise depends on it.
using WallMillis = Strong<struct WallMillisTag, std::int64_t>;

}  // namespace weir
