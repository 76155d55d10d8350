// The limits of the outbound client.
#pragma once

#include <cstddef>

#include "base/time.h"

namespace weir::http::curl {

/// Connections to all hosts together; further requests wait for one, within their timeout.
inline constexpr long kConnectionsMax = 256;
/// A pooled connection that was idle for longer is not used again. Shorter than what servers allow
/// (Amazon S3 about 20 s), so that a request rarely meets a connection that is just being closed.
inline constexpr std::chrono::seconds kConnectionIdleMax{15};
/// Transfers whose memory is kept for the next request.
inline constexpr std::size_t kIdleHandlesMax = 64;
/// Read from and written to a socket at once.
inline constexpr long kTransferBytes = 256L << 10;
/// First allocation for an answer that does not tell its length.
inline constexpr std::size_t kUnknownBodyBytes = std::size_t{16} << 10;
/// How long an address of a host is believed.
inline constexpr long kDnsSeconds = 30;
inline constexpr long kTcpKeepAliveSeconds = 15;

}  // namespace weir::http::curl
