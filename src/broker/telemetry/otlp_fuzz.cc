// Whatever bytes a client pushes as metrics, reading them ends, within the limit, without a crash.
#include <cstddef>
#include <cstdint>

#include "base/ensure.h"
#include "broker/telemetry/otlp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kPointsMax = 64;
  const auto points =
      weir::broker::telemetry::read_metrics(std::as_bytes(std::span(data, size)), kPointsMax);
  ENSURE(!points || points->size() <= kPointsMax);
  return 0;
}
