// The limits of the HTTP server and of the client. The server serves people and scrapers, so its
// limits are small.
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

/// Client: what a request gets that names nothing else.
inline constexpr std::size_t kClientResponseBytesMax = std::size_t{1} << 20;
inline constexpr Duration kClientTimeout = 30s;
inline constexpr Duration kClientConnectTimeout = 3s;
/// Header fields of one answer together.
inline constexpr std::size_t kClientHeaderBytesMax = std::size_t{64} << 10;

/// XML: a list page of 1,000 objects with long names is about 2 MiB and 10,000 elements.
inline constexpr std::size_t kXmlBytesMax = std::size_t{8} << 20;
inline constexpr std::size_t kXmlElementsMax = 50'000;
inline constexpr std::size_t kXmlDepthMax = 16;

/// JSON: a list page of 1,000 objects with long names is about 2 MiB and 5,000 fields.
inline constexpr std::size_t kJsonBytesMax = std::size_t{8} << 20;
inline constexpr std::size_t kJsonFieldsMax = 50'000;
inline constexpr std::size_t kJsonDepthMax = 16;

}  // namespace weir::http
