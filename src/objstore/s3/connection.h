// Connection: one signed request to one bucket, and what came of it.
//
// Lives on the client's loop. It repeats nothing: what an answer means is in the error's code, and
// who repeats what is decided above the driver.
#pragma once

#include <optional>
#include <string>

#include "http/client.h"
#include "objstore/aws/credentials.h"
#include "objstore/s3/answer_error.h"
#include "objstore/s3/s3_options.h"

namespace weir::objstore::s3 {

/// What a visit to the store found out besides its result; told to others at home.
struct Trip {
  bool throttled = false;
  std::optional<Duration> retry_after;
};

struct Ask {
  Call call = Call::get;
  http::Method method = http::Method::get;
  /// Empty: the bucket itself.
  std::string key;
  /// Escaped, without '?'.
  std::string query = {};
  http::HeaderFields headers = {};
  BytesChain body = {};
  std::size_t answer_bytes_max;
  Duration timeout;
};

class Connection {
 public:
  struct Signer {
    std::string_view service = "s3";
    std::string_view token_header = "x-amz-security-token";
  };
  /// All outlive it.
  Connection(http::Client& client, aws::CredentialsProvider& credentials, const S3Options& options,
             Signer signer);

  /// An answer of status 200, 204 or 206, or the error that the answer stands for.
  rt::Task<Result<http::ClientResponse>> send(Ask ask, Trip& trip);
  /// The error that a code inside a 200 stands for.
  Error error_inside(Call call, std::string_view code, std::string_view message, Trip& trip) const;

  http::Client& client() { return client_; }
  const S3Options& options() const { return options_; }

 private:
  Asked asked(Call call) const;
  http::ClientRequest request_of(Ask& ask) const;
  std::string payload_of(const BytesChain& body) const;

  http::Client& client_;
  aws::CredentialsProvider& credentials_;
  const S3Options& options_;
  Signer signer_;
  std::string where_;
  std::string base_url_;
};

}  // namespace weir::objstore::s3
