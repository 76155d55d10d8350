// The time at which a record was due, written into its value, for a consumer of the same process.
#pragma once

#include <optional>

#include "base/endian.h"
#include "base/time.h"

namespace weir::perf {

inline constexpr std::size_t kStampBytes = 8;

/// `value` has room for it.
inline void put_stamp(MutableBytes value, MonoTime due) {
  store_be<std::int64_t>(value, 0, due.time_since_epoch().count());
}
/// Nothing if the value is too short to hold one.
inline std::optional<MonoTime> stamp_of(Bytes value) {
  if (value.size() < kStampBytes) return std::nullopt;
  return MonoTime(Duration(load_be<std::int64_t>(value, 0)));
}

}  // namespace weir::perf
