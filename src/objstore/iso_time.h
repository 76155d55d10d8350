// Times as web services write them: RFC 3339, "2026-11-30T10:00:00Z".
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace weir::objstore {

/// Fractions of a second and offsets ("+01:00") are understood. Errors: corrupt.
Result<WallMillis> parse_iso_time(std::string_view text);

}  // namespace weir::objstore
