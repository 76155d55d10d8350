// Request and response headers: the part of a frame that must be understood before the API is
// known.
//
// The layout of a request's header depends on its first four bytes, and that of a response's header
// on the request (KIP-482). The answer to ApiVersions always has the oldest header, because the
// client cannot know yet what we speak (KIP-511).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "serial/reader.h"
#include "serial/writer.h"
#include "wire/api_table.h"
#include "wire/request_header.h"

namespace weir::wire {

struct RequestStart {
  /// Points into the table; the version in `header` may be one that the API does not serve.
  const ApiInfo* api = nullptr;
  RequestHeader header;

  bool version_served() const { return api->serves(header.request_api_version); }
};

/// Reads a request's header and leaves the reader at its body. `unsupported` for an API key that we
/// do not know, `corrupt` for bytes that are no header; both close the connection.
Result<RequestStart> decode_request_start(serial::Reader& reader);

/// Writes the header that fits `header`'s key and version; for clients. A key that is not in the
/// table is an error of the writer.
void encode_request_header(const RequestHeader& header, serial::Writer& writer);

/// Writes the header of the answer to a request of `version`.
void encode_response_header(const ApiInfo& api, std::int16_t version, std::int32_t correlation_id,
                            serial::Writer& writer);

/// Reads the header of an answer; gives its correlation id. For clients.
Result<std::int32_t> decode_response_header(const ApiInfo& api, std::int16_t version,
                                            serial::Reader& reader);

}  // namespace weir::wire
