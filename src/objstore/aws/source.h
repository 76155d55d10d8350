// CredentialsSource: one place where credentials of AWS come from, asked anew each time.
//
// `Surroundings` is what sources may look at. They live on the client's loop.
#pragma once

#include <memory>
#include <string>

#include "http/client.h"
#include "objstore/aws/credentials.h"
#include "objstore/refreshed.h"
#include "objstore/service.h"
#include "objstore/url.h"
#include "rt/commands.h"
#include "rt/files.h"
#include "rt/workers.h"

namespace weir::objstore::aws {

using CredentialsSource = RefreshSource<Credentials>;

/// All outlive the sources.
struct Surroundings {
  http::Client& client;
  rt::Workers& workers;
  rt::FileSystem& files;
  rt::Commands& commands;
  /// The environment of the process.
  const Variables& variables;
};

/// Empty if it is not set.
std::string variable(const Surroundings& in, std::string_view name);
/// See objstore/service.h.
rt::Task<Result<std::string>> read_small_file(const Surroundings& in, std::string path);

/// From JSON as the metadata services write it: AccessKeyId, SecretAccessKey, Token or
/// SessionToken, Expiration. Errors: corrupt, configuration (a Code that is not Success).
Result<Credentials> credentials_of_json(std::string_view text, const std::string& who);

}  // namespace weir::objstore::aws
