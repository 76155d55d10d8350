// The XML documents of the S3 protocol, read and written. Pure.
//
// A store may be of another make than Amazon's, so that nothing here insists on more than it needs.
// Errors are `corrupt`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "objstore/aws/credentials.h"

namespace weir::objstore::s3 {

/// Etags are kept without their quotes.
std::string bare_etag(std::string_view etag);

struct ListedObject {
  std::string key;
  std::uint64_t size = 0;
  std::string etag;
};
struct ListAnswer {
  std::vector<ListedObject> objects;
  /// For the next page; empty at the end.
  std::string next;
};
Result<ListAnswer> parse_list(std::string_view text);

/// The body of DeleteObjects. Successes are not listed in the answer.
std::string delete_request(const std::vector<std::string>& keys);
struct DeleteFailure {
  std::string key;
  std::string code;
  std::string message;
};
Result<std::vector<DeleteFailure>> parse_delete(std::string_view text);

/// Of CreateMultipartUpload.
Result<std::string> parse_upload_id(std::string_view text);
struct UploadedPart {
  int number = 0;
  std::string etag;
  /// As it was sent; empty without checksums.
  std::string checksum;
};
std::string complete_request(const std::vector<UploadedPart>& parts);
/// CompleteMultipartUpload may say 200 long before it knows: then an error comes in the body.
struct CompleteAnswer {
  std::string etag;
  std::string error_code;
  std::string error_message;
};
Result<CompleteAnswer> parse_complete(std::string_view text);

struct StaleUpload {
  std::string key;
  std::string id;
  std::optional<WallMillis> begun;
};
struct UploadsAnswer {
  std::vector<StaleUpload> uploads;
  std::string next_key;
  std::string next_id;
};
Result<UploadsAnswer> parse_uploads(std::string_view text);

/// Of CreateSession.
Result<aws::Credentials> parse_session(std::string_view text);

}  // namespace weir::objstore::s3
