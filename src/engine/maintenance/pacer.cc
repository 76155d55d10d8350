#include "engine/maintenance/pacer.h"

#include <algorithm>

#include "engine/limits.h"

namespace weir::engine {

rt::Task<void> Pacer::take(std::uint64_t bytes) {
  MonoTime begun = loop_.now();
  MonoTime gives_way_until = begun + kGiveWayMax;
  while (busy_ && busy_() && loop_.now() < gives_way_until)
    co_await rt::sleep_for(loop_, kGiveWayPause);
  // A short idle time is credited, so that a burst within the rate does not wait.
  MonoTime start = std::max(free_at_, loop_.now() - kPacerBurst);
  std::uint64_t request_ns = 1'000'000'000 / std::max<std::uint64_t>(rates_.requests_per_second, 1);
  std::uint64_t byte_ns =
      static_cast<std::uint64_t>(static_cast<unsigned __int128>(bytes) * 1'000'000'000 /
                                 std::max<std::uint64_t>(rates_.bytes_per_second, 1));
  free_at_ = start + Duration(static_cast<std::int64_t>(std::max(request_ns, byte_ns)));
  if (start > loop_.now()) co_await rt::sleep_until(loop_, start);
  waited_ += loop_.now() - begun;
}

}  // namespace weir::engine
