// The limits of the HTTP server. It serves people and scrapers, so they are small.
#pragma once

#include <cstddef>

#include "base/time.h"

namespace weir::http {

struct ServerLimits {
  std::size_t connections_max = 64;
  /// Request line and header fields together.
  std::size_t header_bytes_max = 8u << 10;
  std::size_t body_bytes_max = 64u << 10;
  /// Requests on one connection; then it is closed.
  std::size_t requests_max = 10'000;
  /// From the first byte of a request to its last.
  Duration receive_timeout = 10s;
  /// From accepting a connection to its first whole request.
  Duration first_request_timeout = 5s;
  /// Between two requests.
  Duration idle_timeout = 60s;
  /// For the peer to take an answer.
  Duration send_timeout = 30s;
};

/// Read from a socket at once.
inline constexpr std::size_t kReadBytes = 4096;
/// Pause after the process ran out of descriptors.
inline constexpr Duration kAcceptPause = 100ms;

}  // namespace weir::http
