#include "objstore/s3/object_fields.h"

#include <array>

#include "codec/crc32c.h"
#include "crypto/base64.h"

namespace weir::objstore::s3 {
namespace {

std::string encoded(std::uint32_t crc) {
  std::array<std::byte, 4> bytes{std::byte(crc >> 24), std::byte(crc >> 16 & 0xff),
                                 std::byte(crc >> 8 & 0xff), std::byte(crc & 0xff)};
  return crypto::base64_encode(bytes);
}

}  // namespace

std::string checksum_of(const BytesChain& body) { return encoded(codec::crc32c(body)); }
std::string checksum_of(Bytes body) { return encoded(codec::crc32c(body)); }

void add_object_fields(http::HeaderFields& fields, const S3Options& options) {
  fields.emplace_back("content-type", "application/octet-stream");
  if (!options.storage_class.empty())
    fields.emplace_back("x-amz-storage-class", options.storage_class);
  if (!options.tags.empty()) fields.emplace_back("x-amz-tagging", options.tags);
  if (options.sse.empty()) return;
  fields.emplace_back("x-amz-server-side-encryption", options.sse);
  if (!options.sse_kms_key_id.empty())
    fields.emplace_back("x-amz-server-side-encryption-aws-kms-key-id", options.sse_kms_key_id);
  if (options.sse_bucket_key)
    fields.emplace_back("x-amz-server-side-encryption-bucket-key-enabled", "true");
}

}  // namespace weir::objstore::s3
