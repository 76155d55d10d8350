// What may be concluded from an error of libcurl.
#pragma once

#include <curl/curl.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::http::curl {

struct Failure {
  CURLcode code = CURLE_OK;
  /// Whether a byte of the request, beyond a TLS handshake, left for the server.
  bool anything_sent = false;
  /// libcurl's own sentence; may be empty.
  std::string_view message;
  std::string_view url;
};

/// See http/client.h for the codes. The message names the host and says what to check.
Error error_of(const Failure& failure);

}  // namespace weir::http::curl
