// Sources that read what a person has set up: variables of the environment, and profile files with
// the roles, helper programs and SSO sessions that they name.
#pragma once

#include "objstore/aws/profile_files.h"
#include "objstore/aws/source.h"

namespace weir::objstore::aws {

/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
class EnvironmentSource final : public CredentialsSource {
 public:
  explicit EnvironmentSource(Surroundings in) : in_(in) {}
  rt::Task<Result<Credentials>> fetch() override;
  std::string describe() const override { return "environment"; }

 private:
  Surroundings in_;
};

/// One profile. Files are read anew each time, so changed keys are noticed.
class ProfileSource final : public CredentialsSource {
 public:
  /// An empty name: AWS_PROFILE, else "default". `region` is for STS where the profile has none.
  ProfileSource(Surroundings in, std::string name, std::string region);
  rt::Task<Result<Credentials>> fetch() override;
  std::string describe() const override { return "profile '" + name_ + "'"; }

 private:
  rt::Task<Result<ProfileFiles>> read_files();
  rt::Task<Result<Credentials>> base_credentials(const ProfilePlan& plan, std::string region);
  rt::Task<Result<Credentials>> run_process(std::string line);

  Surroundings in_;
  std::string name_;
  std::string region_;
  /// Somebody asked for this profile, so its absence is an error.
  bool named_;
};

}  // namespace weir::objstore::aws
