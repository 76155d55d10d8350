// Header fields of requests that write objects. Pure.
#pragma once

#include <string>

#include "base/bytes.h"
#include "http/client.h"
#include "objstore/s3/s3_options.h"

namespace weir::objstore::s3 {

/// Base64 of the big-endian CRC32C, as S3 writes it.
std::string checksum_of(const BytesChain& body);
std::string checksum_of(Bytes body);

/// Storage class, encryption, tags: what a new object gets.
void add_object_fields(http::HeaderFields& fields, const S3Options& options);

inline constexpr std::string_view kChecksumField = "x-amz-checksum-crc32c";

}  // namespace weir::objstore::s3
