#include "wire/headers.h"

#include "wire/response_header.h"

namespace weir::wire {

Result<RequestStart> decode_request_start(serial::Reader& reader) {
  // A second reader looks ahead: key and version stand first in every version of the header.
  serial::Reader ahead = reader;
  const std::int16_t key = ahead.int16("RequestHeader.request_api_key");
  const std::int16_t version = ahead.int16("RequestHeader.request_api_version");
  if (!ahead.ok()) return std::unexpected(ahead.error());
  RequestStart start;
  start.api = find_api(key);
  if (start.api == nullptr) {
    return fail(ErrorCode::unsupported, "API key " + std::to_string(key) + " is not known");
  }
  if (!decode(start.header, reader, start.api->request_header_version(version))) {
    return std::unexpected(reader.error());
  }
  return start;
}

void encode_request_header(const RequestHeader& header, serial::Writer& writer) {
  const ApiInfo* api = find_api(header.request_api_key);
  if (api == nullptr) {
    return writer.fail_field("RequestHeader.request_api_key", header.request_api_version);
  }
  encode(header, writer, api->request_header_version(header.request_api_version));
}

void encode_response_header(const ApiInfo& api, std::int16_t version, std::int32_t correlation_id,
                            serial::Writer& writer) {
  encode(ResponseHeader{.correlation_id = correlation_id}, writer,
         api.response_header_version(version));
}

Result<std::int32_t> decode_response_header(const ApiInfo& api, std::int16_t version,
                                            serial::Reader& reader) {
  ResponseHeader header;
  if (!decode(header, reader, api.response_header_version(version))) {
    return std::unexpected(reader.error());
  }
  return header.correlation_id;
}

}  // namespace weir::wire
