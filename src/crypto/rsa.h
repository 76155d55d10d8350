// RSA signatures with SHA-256 (RSASSA-PKCS1-v1_5, RS256 in web tokens).
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "base/secret.h"

namespace weir::crypto {

/// `pem_key`: a private key, "-----BEGIN PRIVATE KEY-----…", without a passphrase. Takes about a
/// millisecond. Errors: invalid_argument (no RSA key), which does not repeat the key.
Result<std::string> rsa_sha256_signature(const Secret& pem_key, Bytes message);

/// Whether the holder of `pem_key`'s private half signed `message`. Errors: invalid_argument.
struct RsaSignature {
  std::string pem_public_key;
  Bytes message;
  Bytes signature;
};
Result<bool> verify_rsa_sha256(const RsaSignature& input);

}  // namespace weir::crypto
