// GcsOptions: what a gs:// URL and the environment say about a bucket. Pure.
//
//   gs://bucket/prefix?endpoint=…&credentials_file=…&ca_file=…&proxy=…
//
// STORAGE_EMULATOR_HOST names an emulator: plain HTTP, no credentials.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "objstore/url.h"

namespace weir::objstore::gcs {

struct GcsOptions {
  std::string bucket;
  /// Without slashes at its ends; empty for the whole bucket.
  std::string prefix;
  /// "https://storage.googleapis.com".
  std::string endpoint;
  /// No token is sent.
  bool anonymous = false;
  /// A key file; empty = by the usual order.
  std::string credentials_file;
  std::string ca_file;
  std::optional<std::string> proxy;
  /// Between two writes of one name.
  Duration same_name_gap{};
  /// Of one request, beside the time for its bytes.
  Duration request_timeout{};

  std::string describe() const;
};

/// Errors: invalid_argument.
Result<GcsOptions> gcs_options(const StoreUrl& url, const Variables& variables);

/// Everything but letters, digits and "-._~" as %XX.
std::string escape(std::string_view text);

}  // namespace weir::objstore::gcs
