// Addresses as people write them: HOST:PORT, [IPV6]:PORT, and lists of them.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "rt/stream.h"

namespace weir::client {

/// "host:9092", "[::1]:9092", "*:9092" or ":9092" (all addresses). Port 0 is allowed; whether it
/// makes sense is the caller's business. Errors: invalid_argument.
Result<rt::Endpoint> parse_endpoint(std::string_view text);

/// Endpoints with commas between; hosts and ports must not be empty or 0. Errors: invalid_argument.
Result<std::vector<rt::Endpoint>> parse_bootstrap(std::string_view text);

}  // namespace weir::client
