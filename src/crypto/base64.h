// Base64 (RFC 4648), decoded strictly: one text for one byte string.
//
// Refused are characters outside the alphabet (white space too), wrong padding, and bits behind the
// last byte that are not zero. SCRAM uses the standard alphabet with padding, web tokens the
// url-safe one without.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace weir::crypto {

enum class Base64 : unsigned char {
  standard,  // + and /, padded with =
  url_safe,  // - and _, no padding
};

std::string base64_encode(Bytes bytes, Base64 alphabet = Base64::standard);

/// Errors: invalid_argument; too_large over crypto/limits.h.
Result<std::vector<std::byte>> base64_decode(std::string_view text,
                                             Base64 alphabet = Base64::standard);

}  // namespace weir::crypto
