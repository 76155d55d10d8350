// Requests for temporary credentials: STS (AssumeRole, AssumeRoleWithWebIdentity) and SSO.
#pragma once

#include "objstore/aws/profile_files.h"
#include "objstore/aws/source.h"

namespace weir::objstore::aws {

/// Where STS is: AWS_ENDPOINT_URL_STS, else the one of the region, else the global one.
struct StsPlace {
  std::string url;
  std::string region;
};
StsPlace sts_place(const Surroundings& in, std::string_view region);

/// Trades credentials for those of a role.
rt::Task<Result<Credentials>> assume_role(const Surroundings& in, StsPlace at, RoleStep role,
                                          Credentials with);

struct WebIdentity {
  std::string role_arn;
  std::string session_name;
  std::string token_file;
};
/// Trades the token in a file, which is read anew each time since somebody renews it.
rt::Task<Result<Credentials>> assume_with_web_identity(const Surroundings& in, StsPlace at,
                                                       WebIdentity identity);

/// Trades the token that `aws sso login` left in its cache. Error configuration, with what to do,
/// if there is none or it has expired.
rt::Task<Result<Credentials>> sso_credentials(const Surroundings& in, Properties profile);

}  // namespace weir::objstore::aws
