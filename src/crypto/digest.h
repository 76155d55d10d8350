// Digests and what is built from them: HMAC (RFC 2104), PBKDF2 (RFC 8018), comparison in constant
// time.
//
// The functions are pure and may run on any thread. OpenSSL failing at a digest means that the
// process is out of memory or that the library lacks SHA-2: both stop the process.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/result.h"

namespace weir::crypto {

using Sha1 = std::array<std::byte, 20>;
using Sha256 = std::array<std::byte, 32>;
using Sha512 = std::array<std::byte, 64>;

/// Broken for signatures; only for names that others have fixed (the file of an SSO session).
Sha1 sha1(Bytes bytes);
Sha256 sha256(Bytes bytes);
/// Of the pieces in order, as if they were one string.
Sha256 sha256(std::span<const Bytes> pieces);
Sha512 sha512(Bytes bytes);

/// SHA-256 of many short strings: keeps what each call would set up anew. One thread uses it.
class Sha256Hasher {
 public:
  Sha256Hasher();
  ~Sha256Hasher();
  Sha256Hasher(const Sha256Hasher&) = delete;
  Sha256Hasher& operator=(const Sha256Hasher&) = delete;
  Sha256 operator()(Bytes bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct HmacInput {
  Bytes key;
  Bytes message;
};
Sha256 hmac_sha256(const HmacInput& input);
Sha512 hmac_sha512(const HmacInput& input);

/// `iterations` may come from a peer, so it is checked, against crypto/limits.h.
struct Pbkdf2Input {
  Bytes password;
  Bytes salt;
  std::uint32_t iterations = 0;
};
/// Errors: invalid_argument for no iterations; too_large. As long as the digest; thousands of
/// rounds take milliseconds, so this belongs on a worker thread.
Result<Sha256> pbkdf2_sha256(const Pbkdf2Input& input);
Result<Sha512> pbkdf2_sha512(const Pbkdf2Input& input);

/// Whether two secrets are equal; the time depends on their lengths alone.
bool equal_in_constant_time(Bytes a, Bytes b);

}  // namespace weir::crypto
