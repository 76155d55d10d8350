// What an s3:// URL means.
//
//   s3://bucket/prefix?region=eu-west-1
//   s3://bucket/prefix?endpoint=http://localhost:9000&path_style=true
//   s3://name--euw1-az1--x-s3/prefix?region=eu-west-1      a directory bucket (S3 Express One Zone)
//
//   region           where the bucket is; from the environment where the URL does not say
//   endpoint         http(s)://host[:port] of a store that is not Amazon's
//   path_style       true: https://host/bucket/…; false: https://bucket.host/…
//   dual_stack       true: Amazon's addresses for IPv4 and IPv6
//   fips             true: Amazon's FIPS addresses
//   ca_file          PEM file of trusted authorities, in place of the system's
//   proxy            http://host:port, or "none"; otherwise what https_proxy and no_proxy say
//   checksum         crc32c (default) or none, for stores that know no checksums
//   payload          auto (default), signed, unsigned: whether the signature covers a body's
//                    SHA-256. auto: over http to other machines; else the signed CRC32C is enough
//   sse              AES256, aws:kms or aws:kms:dsse; with sse_kms_key_id, sse_bucket_key
//   storage_class    STANDARD, INTELLIGENT_TIERING, …
//   tags             of each object: "team=a&env=b", escaped once more in the URL
//
// Options of credentials (`credential_options`) are read elsewhere. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "objstore/url.h"

namespace weir::objstore::s3 {

enum class PayloadSigning : unsigned char { automatic, always, never };

struct S3Options {
  std::string bucket;
  /// Without slashes at both ends; empty = the whole bucket.
  std::string prefix;
  std::string region;
  /// "https://host[:port]" without the bucket.
  std::string endpoint;
  bool path_style = false;
  /// Of a directory bucket: "euw1-az1". Empty for a general purpose bucket.
  std::string zone;
  std::string ca_file;
  std::optional<std::string> proxy;
  bool checksum = true;
  PayloadSigning payload = PayloadSigning::automatic;
  std::string sse;
  std::string sse_kms_key_id;
  bool sse_bucket_key = false;
  std::string storage_class;
  /// As they are sent: "a=b&c=d".
  std::string tags;

  bool is_directory_bucket() const { return !zone.empty(); }
  bool over_tls() const { return endpoint.starts_with("https://"); }
  /// "https://bucket.host", or "https://host/bucket".
  std::string base_url() const;
  /// "s3://bucket/prefix".
  std::string describe() const;
};

/// `variables`: AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL. Errors:
/// invalid_argument, with what to write. `credential_options` are accepted and left alone.
Result<S3Options> s3_options(const StoreUrl& url, const Variables& variables,
                             const std::vector<std::string_view>& credential_options);

}  // namespace weir::objstore::s3
