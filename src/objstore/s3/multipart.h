// Multipart uploads: a large body as parts side by side, which become one object at the end.
//
// Until it is completed there is no object, so all but the completion may fail without doubt about
// the outcome. A failed upload is aborted; what a dead process left is aborted after a day. For
// plain puts only: not every store honours conditions at the completion.
#pragma once

#include <string>
#include <vector>

#include "objstore/s3/answers.h"
#include "objstore/s3/connection.h"

namespace weir::objstore::s3 {

/// More time for more bytes, at 1 MiB/s.
Duration timeout_for(std::uint64_t bytes);
/// A decimal number, and nothing else.
std::optional<std::uint64_t> parse_size(std::string_view text);

class MultipartUpload {
 public:
  /// Connection and trip outlive it.
  MultipartUpload(Connection& connection, std::string key, BytesChain body, Trip& trip);
  /// Once; on the client's loop. The object's etag.
  rt::Task<Result<std::string>> run();

 private:
  rt::Task<Result<std::string>> create();
  rt::Task<void> send_parts();
  rt::Task<Result<UploadedPart>> send_part(int number, BytesChain body);
  rt::Task<Result<std::string>> complete();
  rt::Task<void> give_up();

  Connection& connection_;
  std::string key_;
  std::vector<BytesChain> bodies_;
  Trip& trip_;
  std::string id_;
  std::vector<UploadedPart> parts_;
  /// The next that nobody has begun.
  std::size_t next_ = 0;
  Result<void> failure_;
};

/// `body` in pieces of `bytes`, the last one shorter. Nothing is copied.
std::vector<BytesChain> cut(const BytesChain& body, std::size_t bytes);

/// Aborts uploads of keys with that prefix that are older than kUploadStaleAfter; their number.
rt::Task<Result<std::size_t>> abort_stale_uploads(Connection& connection, std::string key_prefix,
                                                  Trip& trip);

}  // namespace weir::objstore::s3
