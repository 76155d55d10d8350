// Signature version 4 of AWS: proves to a service who sends a request, without sending the key.
//
// A pure function over an http::ClientRequest. The path is signed as it stands in the URL, escaped
// once, which is S3's rule; other services are asked at "/" only, where the rules agree. All header
// fields of the request are signed, and so are the host, the time and the hash of the body.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/time.h"
#include "http/client.h"
#include "objstore/aws/credentials.h"

namespace weir::objstore::aws {

/// In place of a hash: the body is not signed. The transport or a signed checksum protects it.
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";

/// Lower-case hexadecimal SHA-256.
std::string payload_hash(const BytesChain& body);

struct Signing {
  const Credentials& credentials;
  std::string_view region;
  /// "s3", "s3express", "sts".
  std::string_view service;
  WallMillis now{};
  /// payload_hash or kUnsignedPayload.
  std::string_view payload;
  /// Whether the payload's hash is sent as x-amz-content-sha256, too. S3 demands it.
  bool send_payload_hash = true;
  std::string_view token_header = "x-amz-security-token";
};

/// Adds the header fields that a signature needs, and the signature, as `authorization`. Called
/// once for a request; each attempt signs anew.
void sign(http::ClientRequest& request, const Signing& signing);

/// `text` with everything but letters, digits and "-._~" escaped; slashes too, unless they are
/// kept.
enum class Slash : unsigned char { escape, keep };
std::string uri_escape(std::string_view text, Slash slash = Slash::escape);

/// "20150830T123600Z".
std::string signing_time(WallMillis now);

}  // namespace weir::objstore::aws
