// Units: sizes and durations as people write them, in options, files and topic configs.
//
// A size is a whole number with an optional unit (`256MiB`, `1GB`, `4096`); a duration is a sum of
// whole numbers with units (`7d`, `1h30m`, `250ms`), `0`, or `forever`. A duration without a unit
// is refused, for nobody can tell what it means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace weir {

/// Bytes. Binary units KiB, MiB, GiB, TiB (also K, M, G, T), decimal units KB, MB, GB, TB, B; in
/// any case. Errors: invalid_argument with a sentence that says what would be right.
Result<std::uint64_t> parse_size(std::string_view text);

/// Nothing for `forever`. Units ns, us, ms, s, m or min, h, d, w. Errors: invalid_argument.
Result<std::optional<Duration>> parse_duration(std::string_view text);

/// Decimal digits with an optional minus; the whole text. Errors: invalid_argument.
Result<std::int64_t> parse_integer(std::string_view text);

/// The shortest exact form: "256MiB", "1000B".
std::string format_size(std::uint64_t bytes);
/// The shortest exact form with one unit: "90m", "250ms"; "forever" for nothing.
std::string format_duration(std::optional<Duration> duration);

}  // namespace weir
