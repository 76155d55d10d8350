#include "tests/sim/weather.h"

namespace weir::sim {

Fate draw_fate(const Weather& weather, rt::Random& random, bool writes) {
  std::uint64_t draw = random.below(1'000'000);
  if (weather.down) return Fate::refused;
  if (weather.full && writes) return Fate::no_space;
  auto within = [&draw](std::uint32_t ppm) {
    if (draw < ppm) return true;
    draw -= ppm;
    return false;
  };
  if (within(weather.refused_ppm)) return Fate::refused;
  if (within(weather.request_lost_ppm)) return Fate::request_lost;
  if (within(weather.reply_lost_ppm)) return Fate::reply_lost;
  if (within(weather.late_ppm)) return writes ? Fate::late : Fate::reply_lost;
  return Fate::done;
}

Duration draw_travel(const Weather& weather, rt::Random& random) {
  auto width = static_cast<std::uint64_t>((weather.latency_max - weather.latency_min).count() + 1);
  Duration travel = weather.latency_min + Duration(static_cast<std::int64_t>(random.below(width)));
  if (weather.slow_one_in > 0 && random.below(weather.slow_one_in) == 0) travel *= 10;
  return travel / 2;
}

}  // namespace weir::sim
