// ProfileFiles: what ~/.aws/config and ~/.aws/credentials say. Pure.
//
// The two have one grammar but name sections differently: "[profile dev]" and "[sso-session x]" in
// the former, "[dev]" in the latter, "[default]" in both. Where both have a property of a profile,
// the credentials file wins. Nested properties (indented lines) are of no use here and skipped.
//
// `plan_of` turns a profile into what has to be done for credentials: a base, and roles that are
// assumed one after another from there.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace weir::objstore::aws {

using Properties = std::map<std::string, std::string, std::less<>>;

struct ProfileFiles {
  std::map<std::string, Properties, std::less<>> profiles;
  std::map<std::string, Properties, std::less<>> sso_sessions;

  /// Error configuration with the number of the line, never with its text.
  Result<void> add_config(std::string_view text);
  Result<void> add_credentials(std::string_view text);
};

enum class ProfileBase : unsigned char {
  keys,
  process,
  web_identity,
  sso,
  environment,
  container,
  instance
};

struct RoleStep {
  std::string role_arn;
  std::string session_name;
  std::string external_id;
  std::string duration_seconds;
};

struct ProfilePlan {
  ProfileBase base = ProfileBase::keys;
  /// Of the profile that is the base. For sso those of its session are added.
  Properties properties;
  /// In order: the first is assumed with the base.
  std::vector<RoleStep> roles;
  std::string region;
};

/// Errors: not_found (no such profile, or one without credentials), configuration.
Result<ProfilePlan> plan_of(const ProfileFiles& files, std::string_view profile);

}  // namespace weir::objstore::aws
