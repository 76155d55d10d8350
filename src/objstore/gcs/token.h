// Tokens of Google, and where they come from.
//
//   the file of the URL, else GOOGLE_APPLICATION_CREDENTIALS, else what gcloud left in the home
//   directory, else the metadata server
//
// Files hold a service account key, which signs a web token that the token service trades (RFC
// 7523), or a user's refresh token.
#pragma once

#include <memory>
#include <optional>

#include "base/secret.h"
#include "http/client.h"
#include "objstore/refreshed.h"
#include "objstore/url.h"
#include "rt/files.h"
#include "rt/workers.h"

namespace weir::objstore::gcs {

struct AccessToken {
  Secret text;
  std::optional<WallMillis> expires_at;
  friend bool operator==(const AccessToken&, const AccessToken&) = default;
};

/// On the client's loop.
using Tokens = Refreshed<AccessToken>;
using TokenSource = RefreshSource<AccessToken>;

/// All outlive the source. `variables` is the environment.
struct TokenParts {
  http::Client& client;
  rt::Workers& workers;
  rt::FileSystem& files;
  const Variables& variables;
};
/// `file` is the URL's; empty if it names none.
std::unique_ptr<TokenSource> token_source(TokenParts parts, std::string file);

/// The signed request for a token of a service account: header.claims.signature, RS256. Errors:
/// configuration.
struct ServiceAccount {
  std::string email;
  std::string key_id;
  Secret private_key;
  std::string token_uri;
};
Result<std::string> signed_assertion(const ServiceAccount& account, WallMillis now);

}  // namespace weir::objstore::gcs
