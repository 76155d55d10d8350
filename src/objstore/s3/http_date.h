// Points in time as HTTP writes them.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace weir::objstore::s3 {

/// "Fri, 24 May 2013 00:00:00 GMT" (RFC 9110). Nothing if it is something else.
std::optional<WallMillis> parse_http_date(std::string_view text);

}  // namespace weir::objstore::s3
